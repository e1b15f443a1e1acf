import { sql } from "drizzle-orm";
import { at, ledgerNowMs, rows } from "../connection";
import { effects } from "../effects";
import { type IdempotencyClaim, once } from "../idempotency";
import { type DueAtInput, resolveDueAt } from "../rules/due-time";
import { fail, ok, type Result } from "../rules/errors";
import type { Channel } from "../rules/outcome";
import { checkChannels, insertOccurrence } from "./occurrence";
import { firstOfSeries, inZone } from "./series";
import { type Owner, type ReminderView, selectReminders, toView } from "./views";

export interface ScheduleInput {
  owner: Owner;
  subscriberId: string;
  title: string;
  note: string | null;
  url: string | null;
  dueAt: DueAtInput;
  channels: readonly Channel[];
  expiresAfterSeconds: number;
  /** An RRULE as `checkRecurrence` returns it; the first element is the first at or after `dueAt`. */
  repeat?: string | null;
  /** The wall time holds wherever the subscriber is; a zone in `dueAt` is then left out of account. */
  floating?: boolean;
  throughQuietHours?: boolean;
  /** Minutes from one channel to the next in their order; null: all at once. */
  nextChannelAfterMinutes?: number | null;
  checkUrl?: string | null;
}

/**
 * Stores a reminder, its first occurrence and the event that arms its wait, in one transaction (P5): when this returns
 * `ok`, the reminder will be delivered, expire with a reason, or be found waiting, whatever dies. A due time is resolved
 * against the ledger's clock.
 */
export async function scheduleReminder(
  input: ScheduleInput,
  idempotency: IdempotencyClaim | null = null,
): Promise<Result<{ value: ReminderView; replayed: boolean }>> {
  return once(idempotency, async (tx) => {
    // FOR SHARE: an erasure or an opt-out waits for us or we for it.
    const [subscriber] = await rows<{ timeZone: string }>(
      tx,
      sql`select time_zone as "timeZone" from subscribers where id = ${input.subscriberId}::uuid for share`,
    );
    if (subscriber === undefined) return fail({ code: "not_found", what: "subscriber" });
    const nowMs = await ledgerNowMs(tx);
    const dueAt = input.floating === true ? inZone(input.dueAt, subscriber.timeZone) : input.dueAt;
    const resolved = resolveDueAt(dueAt, { defaultTimeZone: subscriber.timeZone, nowMs });
    if (!resolved.ok) return resolved;
    const due = firstOfSeries(input.repeat ?? null, resolved.value);
    if (!due.ok) return due;
    const channels = await checkChannels(tx, input.subscriberId, input.channels);
    if (!channels.ok) return channels;
    const id = effects.newId();
    await rows(
      tx,
      sql`insert into reminders (id, subscriber_id, title, note, url, wall_time, time_zone, due_at, channels,
          expires_after_seconds, recurrence, series_start, series_last, floating, through_quiet, step_minutes, check_url,
          version, status, created_at, updated_at)
        values (${id}::uuid, ${input.subscriberId}::uuid, ${input.title}, ${input.note}, ${input.url}, ${due.value.wallTime},
          ${due.value.timeZone}, ${at(due.value.dueAtMs)}, string_to_array(${input.channels.join(",")}, ','),
          ${input.expiresAfterSeconds}, ${due.value.recurrence}, ${due.value.seriesStart}, ${due.value.seriesLast},
          ${input.floating ?? false}, ${input.throughQuietHours ?? false}, ${input.nextChannelAfterMinutes ?? null},
          ${input.checkUrl ?? null}, 1, 'active', ${at(nowMs)}, ${at(nowMs)})`,
    );
    await insertOccurrence(tx, {
      reminderId: id,
      origin: "schedule",
      due: due.value,
      channels: input.channels,
      version: 1,
    });
    const [row] = await selectReminders(tx, input.owner, sql`r.id = ${id}::uuid`);
    if (row === undefined) throw new Error("Bug! the reminder just stored is not visible to its owner");
    return ok(toView(row));
  });
}
