import { config } from "../../db/config";
import { effects } from "../../db/effects";
import { readLookUps, recordLookUp } from "../../db/receipts/look-up";
import { inngest } from "../client";
import { log } from "../log";
import { lookUpSms } from "../providers/look-up";

/** One after the other, of one account's rate, which sends need more: the rest is the next minute's. */
const LOOK_UPS_MAX = 10;

/** A list is answered in well under a second; ten of these stay within a minute. */
const DEADLINE_MS = 5_000;

/**
 * Asks the provider about texts whose outcome nobody knows, before a person has to (P9). What its list proves ends the
 * delivery; what it does not prove is written down for whoever decides.
 */
export const lookUpUnknownCron = inngest.createFunction(
  { id: "look-up-unknown", triggers: [{ cron: "* * * * *" }], retries: 1, concurrency: 1 },
  ({ step }) => step.run("look-up", lookUpUnknown),
);

async function lookUpUnknown(): Promise<{ found: number; open: number }> {
  const counts = { found: 0, open: 0 };
  const { twilio, appUrl } = config();
  for (const message of await readLookUps(LOOK_UPS_MAX)) {
    const answer = await lookUpSms({ ...twilio, appUrl }, message, effects.deadline(DEADLINE_MS));
    if (answer.kind === "silent") {
      const { reference } = message;
      log.info("the provider did not say what became of a message", { reference, code: answer.code });
      if (answer.throttled) break;
      continue;
    }
    const verdict = await recordLookUp(message, answer.messages);
    if (verdict.kind === "found") counts.found += 1;
    else counts.open += 1;
  }
  return counts;
}
