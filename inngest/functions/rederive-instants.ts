import { rederiveInstants } from "../../db/reminders/rederive";
import { inngest } from "../client";

/**
 * Derives the instants of waiting reminders again when this process has other zone data than the one before: after a
 * release with a newer runtime, or a newer ICU. Looks once an hour, which is one small read while nothing has changed.
 * A crash in between begins again; occurrences that have moved stay where they are.
 */
export const rederiveInstantsCron = inngest.createFunction(
  { id: "rederive-instants", triggers: [{ cron: "7 * * * *" }], retries: 1, concurrency: 1 },
  ({ step }) => step.run("rederive", () => rederiveInstants(process.versions.tz ?? "unknown")),
);
