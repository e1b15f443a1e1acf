import { inngest } from "../client";
import { sweep } from "../sweep";

/**
 * Heals once a minute what a crash left (see `inngest/sweep.ts`). The app also sweeps at its start, when the engine
 * registers anew, and from health checks, because an engine that has forgotten everything has no crons either.
 */
export const sweepCron = inngest.createFunction(
  { id: "sweep", triggers: [{ cron: "* * * * *" }], retries: 1, concurrency: 1 },
  ({ step }) => step.run("sweep", () => sweep("cron")),
);
