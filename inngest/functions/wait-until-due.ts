import { NonRetriableError, RetryAfterError } from "inngest";
import { processGeneration } from "../../db/admission/partitions";
import { effects } from "../../db/effects";
import { reminderScheduledV1 } from "../../db/rules/event-catalog";
import { inngest } from "../client";
import { openDueSecond, readClockMs } from "../opening";

/** Wakes this much before the second begins: the engine rounds to whole seconds and may be half a second off. */
const WAKE_AHEAD_MS = 2_000;

/** The ledger accepts an opening this early; a run that woke earlier asks to be woken again. */
const EARLIEST_MS = 3_000;

/** A wait is a handful of requests; a database that is away for some minutes must not end it. */
const RETRIES = 10;

/**
 * One sleeping run per due second, whatever the number of reminders (event id `due:<second>:<generation>`). It holds
 * nothing: cancelled, edited and snoozed reminders live in the ledger alone, and a run that finds nothing ends.
 *
 * A crash or a lost run leaves occurrences waiting; the sweep opens what is overdue. A second run for the same second
 * finds them opened.
 */
export const waitUntilDue = inngest.createFunction(
  { id: "wait-until-due", triggers: [{ event: "reminder/scheduled" }], retries: RETRIES },
  async ({ event, step }) => {
    const parsed = reminderScheduledV1.safeParse(event.data);
    if (!parsed.success) throw new NonRetriableError(`reminder/scheduled: ${parsed.error.message}`);
    const { dueSecond, generation } = parsed.data;
    if (generation !== processGeneration()) return { held: "another ledger generation" };
    await step.sleepUntil("until-due", new Date(dueSecond * 1000 - WAKE_AHEAD_MS));
    return step.run("open-due", async () => {
      const earlyMs = dueSecond * 1000 - (await readClockMs()) - EARLIEST_MS;
      if (earlyMs > 0) {
        throw new RetryAfterError(
          "woken before the ledger's time",
          new Date(effects.wallMs() + earlyMs + 500),
        );
      }
      return openDueSecond(dueSecond);
    });
  },
);
