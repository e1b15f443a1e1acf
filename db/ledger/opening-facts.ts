import { sql } from "drizzle-orm";
import { at, rows, type Transaction, uuids } from "../connection";
import type { Channel } from "../rules/outcome";

/** An occurrence that is being opened. */
export interface OccurrenceRow {
  id: string;
  reminderId: string;
  subscriberId: string;
  version: number;
  number: number;
  channels: Channel[];
  dueAtMs: number;
  expiresAtMs: number;
  quietFrom: string | null;
  quietUntil: string | null;
  throughQuiet: boolean;
  smsFrom: string | null;
  smsUntil: string | null;
  awayUntilMs: number | null;
  timeZone: string;
  /** Minutes between one channel and the next; null: all at once. */
  stepMinutes: number | null;
  /** Belongs to a series, whose next element is inserted when this one opens. */
  repeats: boolean;
  /** Of the request that made it. */
  trace: string | null;
  /** The shop was asked, and says that the thing does not make sense any more. */
  moot: boolean;
}

export interface DestinationRow {
  id: string;
  subscriberId: string;
  channel: Channel;
  address: string;
  state: "active" | "suppressed";
  dailyLimit: number | null;
}

export interface PayloadRow {
  id: string;
  sourceId: string;
  channel: Channel;
  version: number;
  cost: number;
}

/**
 * Takes the sources FOR SHARE and the occurrences FOR NO KEY UPDATE, in the one lock order. Never FOR UPDATE on a row that
 * deliveries refer to: their foreign keys take it FOR KEY SHARE, also when a delivery moves twice in one transaction (an
 * admission promotes and stamps), with the delivery's own lock already held.
 */
export async function lockSources(tx: Transaction, ids: readonly string[]): Promise<void> {
  const opened = sql`r.id in (select reminder_id from occurrences where id = any(${uuids(ids)}))`;
  // The opening of a series moves its reminder on: two of them that shared the row would wait for each other.
  await rows(
    tx,
    sql`select r.id from reminders r where ${opened} and r.recurrence is not null order by r.id for no key update`,
  );
  await rows(
    tx,
    sql`select r.id from reminders r where ${opened} and r.recurrence is null order by r.id for share`,
  );
  await rows(
    tx,
    sql`select s.id from subscribers s where s.id in (select r.subscriber_id from reminders r
        join occurrences o on o.reminder_id = r.id where o.id = any(${uuids(ids)})) order by s.id for share`,
  );
  await rows(tx, sql`select id from occurrences where id = any(${uuids(ids)}) order by id for no key update`);
}

/** The occurrences that are to be opened, due until `untilMs`, read after their locks. */
export function readWaiting(
  tx: Transaction,
  ids: readonly string[],
  untilMs: number,
): Promise<OccurrenceRow[]> {
  return rows<OccurrenceRow>(
    tx,
    sql`select o.id, o.reminder_id as "reminderId", r.subscriber_id as "subscriberId", o.version, o.number, o.channels,
        epoch_ms(o.due_at) as "dueAtMs", epoch_ms(o.due_at) + r.expires_after_seconds * 1000.0::float8 as "expiresAtMs",
        s.quiet_from as "quietFrom", s.quiet_until as "quietUntil", r.through_quiet as "throughQuiet",
        s.sms_from as "smsFrom", s.sms_until as "smsUntil", epoch_ms(s.paused_until) as "awayUntilMs",
        s.time_zone as "timeZone", r.step_minutes as "stepMinutes", r.recurrence is not null as repeats,
        coalesce(o.answered_by = 'shop', false) as moot, o.trace
      from occurrences o join reminders r on r.id = o.reminder_id join subscribers s on s.id = r.subscriber_id
      where o.id = any(${uuids(ids)}) and o.state = 'waiting' and o.due_at <= ${at(untilMs)}
        and r.status = 'active'
      order by o.due_at, o.id`,
  );
}

/** Under which name a payload is found for an occurrence. */
export const payloadName = (row: { id: string; version: number }, channel: Channel) =>
  `${row.id}:${channel}:${row.version}`;

export async function readPayloads(
  tx: Transaction,
  waiting: readonly OccurrenceRow[],
): Promise<Map<string, PayloadRow>> {
  const payloads = await rows<PayloadRow>(
    tx,
    sql`select id, source_id as "sourceId", channel, version, cost from payloads
      where source_id = any(${uuids(waiting.map((row) => row.id))}) and content is not null`,
  );
  return new Map(
    payloads.map((row) => [payloadName({ id: row.sourceId, version: row.version }, row.channel), row]),
  );
}

/** The verified destinations of subscribers that are not retired, newest first, by `<subscriber>:<channel>`. */
export async function readDestinations(
  tx: Transaction,
  subscriberIds: readonly string[],
): Promise<Map<string, DestinationRow[]>> {
  const found = await rows<DestinationRow>(
    tx,
    sql`select id, subscriber_id as "subscriberId", channel, address, state, daily_limit as "dailyLimit"
      from destinations
      where subscriber_id = any(${uuids(subscriberIds)}) and state <> 'retired'
        and verified_at is not null
      order by verified_at desc, id`,
  );
  const byChannel = new Map<string, DestinationRow[]>();
  for (const row of found) {
    const name = `${row.subscriberId}:${row.channel}`;
    byChannel.set(name, [...(byChannel.get(name) ?? []), row]);
  }
  return byChannel;
}

/**
 * Where a channel's deliveries go: to every active device, or to the one newest address or number; null is a delivery
 * without a destination, born `expired`. `suppressed`: the only destinations there are said stop.
 */
export function targetsOf(
  channel: Channel,
  known: readonly DestinationRow[],
): { targets: (DestinationRow | null)[]; suppressed: boolean } {
  const active = known.filter((destination) => destination.state === "active");
  if (active.length === 0) return { targets: [null], suppressed: known.length > 0 };
  return { targets: channel === "push" ? active : active.slice(0, 1), suppressed: false };
}

/** Who turned a topic off on which channel, as `<subscriber>:<channel>`. */
export async function readOptOuts(
  tx: Transaction,
  subscriberIds: readonly string[],
  topic: "reminders" | "shipments",
): Promise<Set<string>> {
  const off = await rows<{ subscriberId: string; channel: Channel }>(
    tx,
    sql`select subscriber_id as "subscriberId", channel from preferences
      where subscriber_id = any(${uuids(subscriberIds)}) and topic = ${topic} and not enabled`,
  );
  return new Set(off.map((row) => `${row.subscriberId}:${row.channel}`));
}

/**
 * Destinations whose owner's limit for a day is used up, counted over the last 24 hours by what was opened for them and
 * not skipped. Only those with a limit are counted; two openings at one instant may both find the last place free.
 */
export async function readUsedUp(
  tx: Transaction,
  destinations: Map<string, DestinationRow[]>,
): Promise<Set<string>> {
  const limited = [...destinations.values()].flat().filter((row) => row.dailyLimit !== null);
  if (limited.length === 0) return new Set();
  const full = await rows<{ id: string }>(
    tx,
    sql`select dest.id from destinations dest
      where dest.id = any(${uuids(limited.map((row) => row.id))}) and dest.daily_limit <= (
        select count(*) from reminders r join occurrences o on o.reminder_id = r.id join deliveries d on d.occurrence_id = o.id
        where r.subscriber_id = dest.subscriber_id and o.opened_at > ledger_now() - interval '24 hours'
          and d.destination_id = dest.id and d.state <> 'expired')`,
  );
  return new Set(full.map((row) => row.id));
}
