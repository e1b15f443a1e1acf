import { type SQL, sql } from "drizzle-orm";
import { type Executor, rows } from "../connection";
import type { Channel } from "../rules/outcome";

/** Who asks: a shopper for their own things, or the shop's backend for everybody it knows. */
export type Owner = { kind: "subscriber"; subscriberId: string } | { kind: "shop" };

/** `done`: its owner has dealt with it. Nothing comes of one that is not active. */
export type ReminderStatus = "active" | "paused" | "done" | "cancelled";

/** A reminder as callers see it. Instants are ISO 8601 in UTC; `timeZone` says where the wall time is read. */
export interface ReminderView {
  id: string;
  /** The shop's id of the subscriber; null for a shopper whom the shop does not know. */
  subscriber: string | null;
  title: string;
  note: string | null;
  url: string | null;
  dueAt: string;
  timeZone: string;
  channels: Channel[];
  expiresAfterSeconds: number;
  /** How it repeats, as an RRULE; null: once. */
  repeat: string | null;
  /** The zone follows the subscriber. */
  floating: boolean;
  throughQuietHours: boolean;
  /** Minutes from one channel to the next; null: all at once. */
  nextChannelAfterMinutes: number | null;
  checkUrl: string | null;
  status: ReminderStatus;
  version: number;
  /** The occurrence that is due next, or the latest one. */
  occurrence: {
    id: string;
    number: number;
    state: "waiting" | "opened" | "missed" | "cancelled";
    dueAt: string;
  };
  createdAt: string;
  updatedAt: string;
}

/** The row behind a view, with what the verbs need besides. */
export interface ReminderRow {
  id: string;
  subscriberId: string;
  externalId: string | null;
  title: string;
  note: string | null;
  url: string | null;
  wallTime: string;
  dueAtMs: number;
  timeZone: string;
  subscriberTimeZone: string;
  locale: string;
  channels: Channel[];
  expiresAfterSeconds: number;
  recurrence: string | null;
  seriesStart: string | null;
  seriesLast: string | null;
  floating: boolean;
  throughQuiet: boolean;
  stepMinutes: number | null;
  checkUrl: string | null;
  status: ReminderStatus;
  version: number;
  createdAtMs: number;
  updatedAtMs: number;
  occurrenceId: string;
  occurrenceNumber: number;
  occurrenceState: "waiting" | "opened" | "missed" | "cancelled";
  occurrenceDueAtMs: number;
}

/** Rows of reminders that `owner` may see and that satisfy `where`; somebody else's is as absent as a missing one. */
export function selectReminders(
  executor: Executor,
  owner: Owner,
  where: SQL,
  tail: SQL = sql``,
): Promise<ReminderRow[]> {
  return rows<ReminderRow>(executor, selectingReminders(owner, where, tail));
}

/** The same as a statement, for a caller that sends several at once. */
export function selectingReminders(owner: Owner, where: SQL, tail: SQL = sql``): SQL {
  const mine =
    owner.kind === "shop"
      ? sql`s.external_id is not null`
      : sql`r.subscriber_id = ${owner.subscriberId}::uuid`;
  return sql`select r.id, r.subscriber_id as "subscriberId", s.external_id as "externalId", r.title, r.note, r.url,
        r.wall_time as "wallTime", epoch_ms(r.due_at) as "dueAtMs", r.time_zone as "timeZone",
        s.time_zone as "subscriberTimeZone", s.locale, r.channels, r.expires_after_seconds as "expiresAfterSeconds",
        r.recurrence, r.series_start as "seriesStart", r.series_last as "seriesLast", r.floating,
        r.through_quiet as "throughQuiet", r.step_minutes as "stepMinutes", r.check_url as "checkUrl",
        r.status, r.version, epoch_ms(r.created_at) as "createdAtMs", epoch_ms(r.updated_at) as "updatedAtMs",
        o.id as "occurrenceId", o.number as "occurrenceNumber", o.state as "occurrenceState",
        epoch_ms(o.due_at) as "occurrenceDueAtMs"
      from reminders r join subscribers s on s.id = r.subscriber_id
      cross join lateral (select * from occurrences o where o.reminder_id = r.id
        order by (o.state = 'waiting') desc, case when o.state = 'waiting' then o.due_at end, o.number desc limit 1) o
      where ${mine} and ${where} ${tail}`;
}

const iso = (ms: number) => new Date(ms).toISOString();

/** What is told of a row, and what is told from it. */
export type SeenOfRow = Omit<ReminderRow, "subscriberTimeZone" | "locale">;

/** What callers see of a row. */
export function toView(row: SeenOfRow): ReminderView {
  return {
    id: row.id,
    subscriber: row.externalId,
    title: row.title,
    note: row.note,
    url: row.url,
    // Of a series the next time, which may be a snoozed one before the series' own.
    dueAt: iso(row.recurrence === null ? row.dueAtMs : row.occurrenceDueAtMs),
    timeZone: row.timeZone,
    channels: row.channels,
    expiresAfterSeconds: row.expiresAfterSeconds,
    repeat: row.recurrence,
    floating: row.floating,
    throughQuietHours: row.throughQuiet,
    nextChannelAfterMinutes: row.stepMinutes,
    checkUrl: row.checkUrl,
    status: row.status,
    version: row.version,
    occurrence: {
      id: row.occurrenceId,
      number: row.occurrenceNumber,
      state: row.occurrenceState,
      dueAt: iso(row.occurrenceDueAtMs),
    },
    createdAt: iso(row.createdAtMs),
    updatedAt: iso(row.updatedAtMs),
  };
}
