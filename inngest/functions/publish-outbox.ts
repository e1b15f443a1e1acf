import { inngest } from "../client";
import { publishOutbox } from "../publish";

/**
 * The net under the doorbell: publishes each minute what a crash or an unreachable engine left in the outbox (P5).
 * Overlapping and caught-up ticks are harmless: rows are claimed.
 */
export const publishOutboxCron = inngest.createFunction(
  { id: "publish-outbox", triggers: [{ cron: "* * * * *" }], retries: 1, concurrency: 1 },
  ({ step }) => step.run("publish", publishOutbox),
);
