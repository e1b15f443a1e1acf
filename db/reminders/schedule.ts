import { sql } from "drizzle-orm";
import { at, CLOCK, together } from "../connection";
import { effects } from "../effects";
import { type IdempotencyClaim, once } from "../idempotency";
import { type DueAtInput, resolveDueAt } from "../rules/due-time";
import { fail, ok, type Result } from "../rules/errors";
import type { Channel } from "../rules/outcome";
import { insertingOccurrences, judgeChannels, reachableChannels } from "./occurrence";
import { firstOfSeries, inZone } from "./series";
import { type Owner, type ReminderRow, type ReminderView, selectingReminders, toView } from "./views";

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

/** What is read before a reminder is stored: its owner, the clock, where the owner can be reached. */
type Known = [{ timeZone: string }, { nowMs: number }, { channel: Channel }];

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
    const [[subscriber], [clock], reachable] = await together<Known>(tx, [
      // FOR SHARE: an erasure or an opt-out waits for us or we for it.
      sql`select time_zone as "timeZone" from subscribers where id = ${input.subscriberId}::uuid for share`,
      CLOCK,
      reachableChannels(input.subscriberId),
    ]);
    if (clock === undefined || subscriber === undefined)
      return fail({ code: "not_found", what: "subscriber" });
    const { nowMs } = clock;
    const dueAt = input.floating === true ? inZone(input.dueAt, subscriber.timeZone) : input.dueAt;
    const resolved = resolveDueAt(dueAt, { defaultTimeZone: subscriber.timeZone, nowMs });
    if (!resolved.ok) return resolved;
    const due = firstOfSeries(input.repeat ?? null, resolved.value);
    if (!due.ok) return due;
    const channels = judgeChannels(reachable, input.channels);
    if (!channels.ok) return channels;
    const id = effects.newId();
    const [, , , [row]] = await together<[never, never, never, ReminderRow]>(tx, [
      sql`insert into reminders (id, subscriber_id, title, note, url, wall_time, time_zone, due_at, channels,
          expires_after_seconds, recurrence, series_start, series_last, floating, through_quiet, step_minutes, check_url,
          version, status, created_at, updated_at)
        values (${id}::uuid, ${input.subscriberId}::uuid, ${input.title}, ${input.note}, ${input.url}, ${due.value.wallTime},
          ${due.value.timeZone}, ${at(due.value.dueAtMs)}, string_to_array(${input.channels.join(",")}, ','),
          ${input.expiresAfterSeconds}, ${due.value.recurrence}, ${due.value.seriesStart}, ${due.value.seriesLast},
          ${input.floating ?? false}, ${input.throughQuietHours ?? false}, ${input.nextChannelAfterMinutes ?? null},
          ${input.checkUrl ?? null}, 1, 'active', ${at(nowMs)}, ${at(nowMs)})`,
      ...insertingOccurrences([
        { reminderId: id, origin: "schedule", due: due.value, channels: input.channels, version: 1 },
      ]),
      selectingReminders(input.owner, sql`r.id = ${id}::uuid`),
    ]);
    if (row === undefined) throw new Error("Bug! the reminder just stored is not visible to its owner");
    return ok(toView(row));
  });
}
