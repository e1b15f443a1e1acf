import { sql } from "drizzle-orm";
import { at, ledgerNowMs, rows, type Transaction } from "../connection";
import { once } from "../idempotency";
import { endWaiting } from "../ledger/expire";
import { instantOfWallTime, wallTimeAt } from "../rules/due-time";
import { fail, ok, type Result } from "../rules/errors";
import { isId } from "../rules/id";
import type { Channel } from "../rules/outcome";
import { lockDeliveriesOf } from "./cancel";
import { checkChannels, insertOccurrence } from "./occurrence";
import { nextOfSeries, type SeriesDue } from "./series";
import { type Owner, type ReminderRow, type ReminderView, selectReminders, toView } from "./views";

/**
 * Pauses a reminder: what waits ends, nothing comes until it is resumed, and its rule and time are kept. A delivery that
 * is being sent finishes as it began. Pausing twice changes nothing.
 */
export function pauseReminder(owner: Owner, id: string): Promise<Result<ReminderView>> {
  return changing(owner, id, async (tx, before) => {
    if (before.status === "paused") return ok(null);
    if (before.status !== "active") {
      return fail({ code: "conflict", why: "Only a reminder that is to come can be paused." });
    }
    await rows(
      tx,
      sql`update occurrences set state = 'cancelled' where reminder_id = ${id}::uuid and state = 'waiting'`,
    );
    const waiting = (await lockDeliveriesOf(tx, id)).filter((row) =>
      ["scheduled", "ready", "deferred"].includes(row.state),
    );
    await endWaiting(
      tx,
      waiting.map((row) => row.id),
      "cancelled",
    );
    await rows(
      tx,
      sql`update reminders set status = 'paused', updated_at = ledger_now() where id = ${id}::uuid`,
    );
    return ok(null);
  });
}

/** Resumes a paused reminder: at its time if that is to come, a series with its next time; else it needs a new time. */
export function resumeReminder(owner: Owner, id: string): Promise<Result<ReminderView>> {
  return changing(owner, id, async (tx, before) => {
    if (before.status === "active") return ok(null);
    if (before.status !== "paused") {
      return fail({ code: "conflict", why: "Only a paused reminder can be resumed." });
    }
    const nowMs = await ledgerNowMs(tx);
    const due = comesAgain(before, nowMs);
    if (due === null) {
      return fail({ code: "conflict", why: "Its time has passed while it was paused; give it a new time." });
    }
    return insertAgain(tx, before, { due, channels: before.channels, origin: "resume" });
  });
}

/**
 * Takes a cancel back: a new occurrence at the same time, or at once if that has passed meanwhile and is still of use,
 * for the channels whose delivery the cancel ended. What was sent is not sent again.
 */
export function restoreReminder(owner: Owner, id: string): Promise<Result<ReminderView>> {
  return changing(owner, id, async (tx, before) => {
    if (before.status === "active") return ok(null);
    if (before.status !== "cancelled") {
      return fail({ code: "conflict", why: "Only a cancelled reminder can be taken back." });
    }
    const nowMs = await ledgerNowMs(tx);
    const channels = await cancelledChannels(tx, before);
    const late = lateAgain(before, nowMs);
    const due = comesAgain(before, nowMs) ?? late;
    if (due === null || channels.length === 0) {
      const why = channels.length === 0 ? "It had been sent already." : "Its time has passed.";
      return fail({ code: "conflict", why: `${why} Set it again with a new time.` });
    }
    return insertAgain(tx, before, { due, channels, origin: "undo" });
  });
}

async function changing(
  owner: Owner,
  id: string,
  change: (tx: Transaction, before: ReminderRow) => Promise<Result<null>>,
): Promise<Result<ReminderView>> {
  if (!isId(id)) return fail({ code: "not_found", what: "reminder" });
  const result = await once(null, async (tx): Promise<Result<ReminderView>> => {
    const [before] = await selectReminders(tx, owner, sql`r.id = ${id}::uuid`, sql`for no key update of r`);
    if (before === undefined) return fail({ code: "not_found", what: "reminder" });
    const changed = await change(tx, before);
    if (!changed.ok) return changed;
    const [after] = await selectReminders(tx, owner, sql`r.id = ${id}::uuid`);
    if (after === undefined) throw new Error("Bug! a reminder is gone");
    return ok(toView(after));
  });
  return result.ok ? ok(result.value.value) : result;
}

/** When it comes again: at its own time if that is ahead, a series at its next; null when neither is. */
function comesAgain(before: ReminderRow, nowMs: number): SeriesDue | null {
  const { wallTime, timeZone, recurrence, seriesStart, seriesLast } = before;
  const dueAtMs = instantOfWallTime(wallTime, timeZone, before.dueAtMs);
  if (dueAtMs > nowMs) return { wallTime, timeZone, dueAtMs, recurrence, seriesStart, seriesLast };
  if (recurrence === null || seriesStart === null) return null;
  const next = nextOfSeries({ recurrence, seriesStart, timeZone }, wallTimeAt(nowMs, timeZone));
  return next.ok ? next.value : null;
}

function lateAgain(before: ReminderRow, nowMs: number): SeriesDue | null {
  if (before.recurrence !== null || before.dueAtMs + before.expiresAfterSeconds * 1000 <= nowMs) return null;
  const { timeZone } = before;
  return {
    dueAtMs: nowMs,
    wallTime: wallTimeAt(nowMs, timeZone),
    timeZone,
    recurrence: null,
    seriesStart: null,
    seriesLast: null,
  };
}

/** All channels of what had not come; of what had come those whose delivery was cancelled. */
async function cancelledChannels(tx: Transaction, before: ReminderRow): Promise<Channel[]> {
  if (before.recurrence !== null || before.occurrenceState !== "opened") return before.channels;
  const cancelled = await rows<{ channel: Channel }>(
    tx,
    sql`select distinct channel from deliveries where occurrence_id = ${before.occurrenceId}::uuid and reason = 'cancelled'`,
  );
  return before.channels.filter((channel) => cancelled.some((row) => row.channel === channel));
}

async function insertAgain(
  tx: Transaction,
  before: ReminderRow,
  again: { due: SeriesDue; channels: readonly Channel[]; origin: "resume" | "undo" },
): Promise<Result<null>> {
  const reachable = await checkChannels(tx, before.subscriberId, again.channels);
  if (!reachable.ok) return reachable;
  const { due } = again;
  const version = before.version + 1;
  await insertOccurrence(tx, { reminderId: before.id, version, ...again });
  await rows(
    tx,
    sql`update reminders set status = 'active', cancelled_at = null, due_at = ${at(due.dueAtMs)}, wall_time = ${due.wallTime},
        series_last = ${due.seriesLast}, version = ${version}, updated_at = ledger_now() where id = ${before.id}::uuid`,
  );
  return ok(null);
}
