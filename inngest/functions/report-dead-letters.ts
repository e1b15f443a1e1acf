import { inngest } from "../client";
import { reportDeadLetters } from "../report";

/**
 * Writes once an hour what is dead, by partition, reason and age, with the change since the hour before, and tells
 * operators when it is time to. Ticks that overlap or are caught up write one report; a report that no medium has taken
 * is told by the next tick.
 */
export const reportDeadLettersCron = inngest.createFunction(
  { id: "report-dead-letters", triggers: [{ cron: "3 * * * *" }], retries: 2, concurrency: 1 },
  ({ step }) => step.run("report", reportDeadLetters),
);
