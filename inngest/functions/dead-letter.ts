import { NonRetriableError } from "inngest";
import { judgeDeadLetterRun } from "../../db/redrive/rerun";
import { type DeliveryDead, deliveryDeadV1 } from "../../db/rules/event-catalog";
import { inngest } from "../client";
import { ringDoorbell } from "../publish";

/**
 * One run per burial, which fails on purpose, so that every dead letter stands as a failed run in the Inngest dashboard,
 * named by reason and key. Rerunning it there, one or many, redrives the delivery under the same key, paced
 * (`judgeDeadLetterRun`); it ends well when it did, and fails again with the reason when the letter still needs somebody.
 *
 * No retries: an attempt that could not ask the ledger is rerun by whoever rerun it.
 */
export const deadLetter = inngest.createFunction(
  { id: "dead-letter", triggers: [{ event: "delivery/dead" }], retries: 0 },
  async ({ event, runId, attempt }) => {
    const parsed = deliveryDeadV1.safeParse(event.data);
    if (!parsed.success) throw new NonRetriableError(`delivery/dead: ${parsed.error.message}`);
    return judgeRun(parsed.data, { runId, attempt, eventId: event.id });
  },
);

async function judgeRun(
  { deliveryId, burialId, key, reason }: DeliveryDead,
  run: { runId: string; attempt: number; eventId: string | undefined },
) {
  const judged = await judgeDeadLetterRun({ deliveryId, burialId, ...run });
  switch (judged.verdict) {
    case "first":
      throw new NonRetriableError(`${reason}: ${key}`);
    case "repeat":
      throw new NonRetriableError(`${reason}: ${key} (not redriven because ${judged.why})`);
    case "redriven": {
      await ringDoorbell();
      const { redriveId, paused } = judged;
      return { redriven: key, redriveId, ...(paused === null ? {} : { paused }) };
    }
    case "refused":
      if (judged.stillDead)
        throw new NonRetriableError(`${reason}: ${key} (not redriven because ${judged.why})`);
      return { notRedriven: key, because: judged.why };
  }
}
