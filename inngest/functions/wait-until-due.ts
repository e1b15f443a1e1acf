import { NonRetriableError, RetryAfterError } from "inngest";
import { processGeneration } from "../../db/admission/partitions";
import { effects } from "../../db/effects";
import { isSleepTooLong } from "../../db/rules/engine-limits";
import { reminderScheduledV1 } from "../../db/rules/event-catalog";
import { inngest } from "../client";
import { dispatchAll } from "../dispatch";
import { openDueSecond, readClockMs } from "../opening";

/** Wakes this much before the second begins: the engine rounds to whole seconds and may be half a second off. */
const WAKE_AHEAD_MS = 2_000;

/** So much sooner than asked a run may wake; one that woke earlier asks to be woken again. */
const EARLY_WAKE_MS = 1_000;

/** A wait is a handful of requests; a database that is away for some minutes must not end it. */
const RETRIES = 10;

/**
 * One sleeping run per due second, whatever the number of reminders (event id `due:<second>:<generation>`). It holds
 * nothing: cancelled, edited and snoozed reminders live in the ledger alone, and a run that finds nothing ends.
 *
 * A crowded second has a second run, which opens ahead and lets the first ones go when the others wake. A crash or a
 * lost run leaves occurrences waiting; the sweep opens what is overdue. A later run for the same second finds them opened.
 *
 * The outbox hands a wait over five days before its time. One that comes sooner would ask for a sleep that small plans
 * refuse, which fails the run for good: it ends by itself, and the sweep opens its second.
 */
export const waitUntilDue = inngest.createFunction(
  { id: "wait-until-due", triggers: [{ event: "reminder/scheduled" }], retries: RETRIES },
  async ({ event, step }) => {
    const parsed = reminderScheduledV1.safeParse(event.data);
    if (!parsed.success) throw new NonRetriableError(`reminder/scheduled: ${parsed.error.message}`);
    const { dueSecond, generation, aheadSeconds } = parsed.data;
    if (generation !== processGeneration()) return { held: "another ledger generation" };
    const aheadMs = aheadSeconds === undefined ? WAKE_AHEAD_MS : aheadSeconds * 1000;
    if (isSleepTooLong(dueSecond * 1000 - aheadMs - effects.wallMs())) return { held: "longer than a sleep" };
    await step.sleepUntil("until-due", new Date(dueSecond * 1000 - aheadMs));
    const opened = await step.run("open-due", async () => {
      const earlyMs = dueSecond * 1000 - (await readClockMs()) - aheadMs - EARLY_WAKE_MS;
      if (earlyMs > 0) {
        throw new RetryAfterError(
          "woken before the ledger's time",
          new Date(effects.wallMs() + earlyMs + 500),
        );
      }
      return openDueSecond(dueSecond, aheadMs + EARLY_WAKE_MS);
    });
    if (aheadSeconds === undefined) return opened;
    await step.sleepUntil("until-others-wake", new Date(dueSecond * 1000 - WAKE_AHEAD_MS));
    const dispatched = await step.run("let-go", () => dispatchAll(opened.partitions));
    return { ...opened, dispatched };
  },
);
