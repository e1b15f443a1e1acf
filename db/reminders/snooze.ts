import { sql } from "drizzle-orm";
import { at, ledgerNowMs, rows, type Transaction } from "../connection";
import { type IdempotencyClaim, once } from "../idempotency";
import { endWaiting } from "../ledger/expire";
import type { SnoozeBody } from "../rules/api-schemas";
import { type DueTime, resolveDueAt, wallTimeAt } from "../rules/due-time";
import { fail, ok, type Result } from "../rules/errors";
import { isId } from "../rules/id";
import { checkChannels, insertOccurrence } from "./occurrence";
import { type Owner, type ReminderRow, type ReminderView, selectReminders, toView } from "./views";

/**
 * Snoozes a reminder: a new occurrence at the new time, also when the old one was delivered. What still waits of the old
 * one gives way: an unopened occurrence is cancelled, waiting deliveries end as `superseded`. A delivery that is being
 * sent, or whose outcome is unknown, finishes as it began. Of a series one element is put off, the latest that came or
 * else the next to come; the others stay where they are.
 */
export async function snoozeReminder(
  owner: Owner,
  id: string,
  until: SnoozeBody,
): Promise<Result<ReminderView>> {
  const result = await snoozeReminderOnce(owner, id, until, null);
  return result.ok ? ok(result.value.value) : result;
}

/** The same for a caller with an `Idempotency-Key`: repeating the request does not snooze again. */
export async function snoozeReminderOnce(
  owner: Owner,
  id: string,
  until: SnoozeBody,
  idempotency: IdempotencyClaim | null,
): Promise<Result<{ value: ReminderView; replayed: boolean }>> {
  if (!isId(id)) return fail({ code: "not_found", what: "reminder" });
  return once(idempotency, async (tx) => {
    const [before] = await selectReminders(tx, owner, sql`r.id = ${id}::uuid`, sql`for no key update of r`);
    if (before === undefined) return fail({ code: "not_found", what: "reminder" });
    if (before.status === "cancelled" || before.status === "paused") {
      const why =
        before.status === "paused" ? "is paused; resume it first." : "is cancelled; set a new one instead.";
      return fail({ code: "conflict", why: `This reminder ${why}` });
    }
    const due = resolveSnooze(before, until, await ledgerNowMs(tx));
    if (!due.ok) return due;
    const channels = await checkChannels(tx, before.subscriberId, before.channels);
    if (!channels.ok) return channels;
    await clearWaiting(tx, id, before.recurrence !== null && (await hasOpenElement(tx, id)));
    // A new version: an edit that was rendered for the old time meets it under the lock, and starts over.
    const version = before.version + 1;
    await insertOccurrence(tx, {
      reminderId: id,
      origin: "snooze",
      due: due.value,
      channels: before.channels,
      version,
    });
    const moved =
      before.recurrence === null
        ? sql`due_at = ${at(due.value.dueAtMs)}, wall_time = ${due.value.wallTime}, time_zone = ${due.value.timeZone},`
        : sql``;
    await rows(
      tx,
      sql`update reminders set ${moved} status = 'active', version = ${version}, updated_at = ledger_now()
        where id = ${id}::uuid`,
    );
    const [after] = await selectReminders(tx, owner, sql`r.id = ${id}::uuid`);
    if (after === undefined) throw new Error("Bug! a snoozed reminder is gone");
    return ok(toView(after));
  });
}

function resolveSnooze(row: ReminderRow, until: SnoozeBody, nowMs: number): Result<DueTime> {
  if ("dueAt" in until) return resolveDueAt(until.dueAt, { defaultTimeZone: row.timeZone, nowMs });
  const dueAtMs = Math.ceil(nowMs + until.minutes * 60_000);
  return ok({
    dueAtMs,
    wallTime: wallTimeAt(dueAtMs, row.timeZone),
    timeZone: row.timeZone,
    resolution: "exact",
  });
}

/** Whether an element of the series has come and is not answered: that is the one which a snooze or Done means. */
export async function hasOpenElement(tx: Transaction, reminderId: string): Promise<boolean> {
  const [row] = await rows<{ open: boolean }>(
    tx,
    sql`select exists (select from occurrences where reminder_id = ${reminderId}::uuid and answered_at is null
        and (state = 'opened' or (state = 'waiting' and origin = 'snooze'))) as open`,
  );
  return row?.open ?? false;
}

/** `keepNext`: what waits as the next element of a series stays; only a snoozed one gives way. */
async function clearWaiting(tx: Transaction, reminderId: string, keepNext: boolean): Promise<void> {
  await rows(
    tx,
    sql`update occurrences set state = 'cancelled' where reminder_id = ${reminderId}::uuid and state = 'waiting'
        and (origin = 'snooze' or ${!keepNext})`,
  );
  const waiting = await rows<{ id: string }>(
    tx,
    sql`select d.id from deliveries d
      where d.occurrence_id in (select id from occurrences where reminder_id = ${reminderId}::uuid)
        and d.state in ('scheduled', 'ready', 'deferred') and d.unresolved_since is null
      order by d.id for update`,
  );
  await endWaiting(
    tx,
    waiting.map((row) => row.id),
    "superseded",
  );
}
