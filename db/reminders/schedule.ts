import { type SQL, sql } from "drizzle-orm";
import { type Answers, at, CLOCK, type Decision, type Queries } from "../connection";
import { effects } from "../effects";
import { type IdempotencyClaim, onceInTwoTrips } from "../idempotency";
import { type DueAtInput, resolveDueAt } from "../rules/due-time";
import { fail, ok, type Result } from "../rules/errors";
import type { Channel } from "../rules/outcome";
import { insertingOccurrences, judgeChannels, reachableChannels } from "./occurrence";
import { firstOfSeries, inZone } from "./series";
import { type Owner, type ReminderView, type SeenOfRow, toView } from "./views";

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
type Known = [{ externalId: string | null; timeZone: string }, { nowMs: number }, { channel: Channel }];

/**
 * Stores a reminder, its first occurrence and the event that arms its wait, in one transaction (P5): when this returns
 * `ok`, the reminder will be delivered, expire with a reason, or be found waiting, whatever dies. A due time is resolved
 * against the ledger's clock. What is stored is known before it is written, so the answer needs no reading back.
 */
export function scheduleReminder(
  input: ScheduleInput,
  idempotency: IdempotencyClaim | null = null,
): Promise<Result<{ value: ReminderView; replayed: boolean }>> {
  const reads: Queries<Known> = [
    // FOR SHARE: an erasure or an opt-out waits for us or we for it.
    sql`select external_id as "externalId", time_zone as "timeZone" from subscribers
      where id = ${input.subscriberId}::uuid for share`,
    CLOCK,
    reachableChannels(input.subscriberId),
  ];
  return onceInTwoTrips<Known, ReminderView>(idempotency, reads, (known) => decide(input, known));
}

function decide(
  input: ScheduleInput,
  [[subscriber], [clock], reachable]: Answers<Known>,
): Result<Decision<ReminderView>> {
  // A shopper whom the shop does not know is nobody to it.
  const isStranger = input.owner.kind === "shop" && subscriber?.externalId === null;
  if (clock === undefined || subscriber === undefined || isStranger)
    return fail({ code: "not_found", what: "subscriber" });
  const { nowMs } = clock;
  const dueAt = input.floating === true ? inZone(input.dueAt, subscriber.timeZone) : input.dueAt;
  const resolved = resolveDueAt(dueAt, { defaultTimeZone: subscriber.timeZone, nowMs });
  if (!resolved.ok) return resolved;
  const due = firstOfSeries(input.repeat ?? null, resolved.value);
  if (!due.ok) return due;
  const channels = judgeChannels(reachable, input.channels);
  if (!channels.ok) return channels;
  const { subscriberId, expiresAfterSeconds } = input;
  const reminder: NewReminder = {
    id: effects.newId(),
    subscriberId,
    externalId: subscriber.externalId,
    title: input.title,
    note: input.note,
    url: input.url,
    ...due.value,
    channels: [...input.channels],
    expiresAfterSeconds,
    floating: input.floating ?? false,
    throughQuiet: input.throughQuietHours ?? false,
    stepMinutes: input.nextChannelAfterMinutes ?? null,
    checkUrl: input.checkUrl ?? null,
    status: "active",
    version: 1,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  };
  const occurrenceId = effects.newId();
  const first = { id: occurrenceId, reminderId: reminder.id, origin: "schedule" as const, due: due.value };
  return ok({
    writes: [
      inserting(reminder),
      ...insertingOccurrences([{ ...first, channels: reminder.channels, version: reminder.version }]),
    ],
    value: toView({
      ...reminder,
      occurrenceId,
      occurrenceNumber: 1,
      occurrenceState: "waiting",
      occurrenceDueAtMs: due.value.dueAtMs,
    }),
  });
}

/** A row before it has an occurrence. */
type NewReminder = Omit<
  SeenOfRow,
  "occurrenceId" | "occurrenceNumber" | "occurrenceState" | "occurrenceDueAtMs"
>;

function inserting(reminder: NewReminder): SQL {
  const createdAt = at(reminder.createdAtMs);
  return sql`insert into reminders (id, subscriber_id, title, note, url, wall_time, time_zone, due_at, channels,
      expires_after_seconds, recurrence, series_start, series_last, floating, through_quiet, step_minutes, check_url,
      version, status, created_at, updated_at)
    values (${reminder.id}::uuid, ${reminder.subscriberId}::uuid, ${reminder.title}, ${reminder.note}, ${reminder.url},
      ${reminder.wallTime}, ${reminder.timeZone}, ${at(reminder.dueAtMs)},
      string_to_array(${reminder.channels.join(",")}, ','), ${reminder.expiresAfterSeconds}, ${reminder.recurrence},
      ${reminder.seriesStart}, ${reminder.seriesLast}, ${reminder.floating}, ${reminder.throughQuiet},
      ${reminder.stepMinutes}, ${reminder.checkUrl}, ${reminder.version}, ${reminder.status}, ${createdAt}, ${createdAt})`;
}
