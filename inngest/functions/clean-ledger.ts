import { observeCalm } from "../../db/cleanup/certainty";
import { cleanStretch } from "../../db/cleanup/clean";
import { beginCleanup, endCleanup } from "../../db/cleanup/remove";
import { inngest } from "../client";

/** Stretches per pass: two million rows; what is left is the next hour's. */
const STRETCHES_MAX = 100;

/**
 * Removes finished deliveries past their approved retention, once an hour (P8): what may go is counted by state and
 * reason and written down, then it goes in bounded batches. Ticks that overlap or are caught up meet a pass that is under
 * way, or find nothing left. A crash leaves a pass whose hold runs out after two minutes.
 */
export const cleanLedgerCron = inngest.createFunction(
  { id: "clean-ledger", triggers: [{ cron: "17 * * * *" }], retries: 1, concurrency: 1 },
  async ({ step }) => {
    const pass = await step.run("count", async () => {
      await observeCalm();
      return beginCleanup("cron");
    });
    if (pass === null) return { ended: "another pass is under way" };
    if (!pass.permission.allowed) return { ended: pass.permission.why };
    let removed = 0;
    let why: string | null = null;
    for (let stretch = 0; stretch < STRETCHES_MAX; stretch += 1) {
      const done = await step.run(`remove-${stretch}`, () => cleanStretch(pass.runId));
      removed += done.removed;
      why = done.why;
      if (!done.more) break;
    }
    await step.run("end", () => endCleanup(pass.runId, why));
    return { removed, why };
  },
);
