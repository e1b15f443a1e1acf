import { NonRetriableError } from "inngest";
import { handOverRedrive, stepRedrive } from "../../db/redrive/step";
import { redriveCalledV1 } from "../../db/rules/event-catalog";
import { inngest } from "../client";
import { callRedrives, dispatchAll } from "../dispatch";

/** Ticks per run: two steps each, far under the engine's thousand. */
const TICKS_MAX = 200;

/** A tick is short; an app that restarts is back within a few retries. */
const RETRIES = 10;

/**
 * Drives one redrive, single by its generation in the ledger. Each tick is one `stepRedrive` and a dispatch of its
 * partitions; what to release, when to pause and when it has ended is decided there.
 *
 * A crash anywhere leaves `driver_until` to run out; the sweep then calls another generation, which goes on with the
 * members that are still pending.
 */
export const redriveDeadLetters = inngest.createFunction(
  { id: "redrive-dead-letters", triggers: [{ event: "redrive/called" }], retries: RETRIES },
  async ({ event, step }) => {
    const parsed = redriveCalledV1.safeParse(event.data);
    if (!parsed.success) throw new NonRetriableError(`redrive/called: ${parsed.error.message}`);
    const call = { redriveId: parsed.data.redriveId, generation: parsed.data.generation };
    for (let count = 0; count < TICKS_MAX; count += 1) {
      const tick = await step.run(`tick-${count}`, async () => {
        const done = await stepRedrive(call);
        await dispatchAll(done.partitions);
        // The run keeps what its steps answer, two hundred times: no lists.
        return { ...done, partitions: done.partitions.length };
      });
      if (tick.next === "end") return { redriveId: call.redriveId, ticks: count + 1, ended: tick.why };
      await step.sleep(`rest-${count}`, tick.ms);
    }
    await step.run("hand-over", async () => {
      const next = await handOverRedrive(call);
      if (next !== null) await callRedrives([next]);
    });
    return { redriveId: call.redriveId, ticks: TICKS_MAX, ended: "handed over" };
  },
);
