import { sql } from "drizzle-orm";
import { EARLY_MS } from "../admission/admit";
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
  timeZone: string;
}

export interface DestinationRow {
  id: string;
  subscriberId: string;
  channel: Channel;
  address: string;
  state: "active" | "suppressed";
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
  await rows(
    tx,
    sql`select r.id from reminders r where r.id in (select reminder_id from occurrences where id = any(${uuids(ids)}))
      order by r.id for share`,
  );
  await rows(
    tx,
    sql`select s.id from subscribers s where s.id in (select r.subscriber_id from reminders r
        join occurrences o on o.reminder_id = r.id where o.id = any(${uuids(ids)})) order by s.id for share`,
  );
  await rows(tx, sql`select id from occurrences where id = any(${uuids(ids)}) order by id for no key update`);
}

/** The occurrences that are to be opened now, read after their locks. */
export function readWaiting(
  tx: Transaction,
  ids: readonly string[],
  nowMs: number,
): Promise<OccurrenceRow[]> {
  return rows<OccurrenceRow>(
    tx,
    sql`select o.id, o.reminder_id as "reminderId", r.subscriber_id as "subscriberId", o.version, o.number, o.channels,
        epoch_ms(o.due_at) as "dueAtMs", epoch_ms(o.due_at) + r.expires_after_seconds * 1000.0::float8 as "expiresAtMs",
        s.quiet_from as "quietFrom", s.quiet_until as "quietUntil", s.time_zone as "timeZone"
      from occurrences o join reminders r on r.id = o.reminder_id join subscribers s on s.id = r.subscriber_id
      where o.id = any(${uuids(ids)}) and o.state = 'waiting' and o.due_at <= ${at(nowMs + EARLY_MS)}
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

export async function readDestinations(
  tx: Transaction,
  waiting: readonly OccurrenceRow[],
): Promise<Map<string, DestinationRow[]>> {
  const found = await rows<DestinationRow>(
    tx,
    sql`select id, subscriber_id as "subscriberId", channel, address, state from destinations
      where subscriber_id = any(${uuids(waiting.map((row) => row.subscriberId))}) and state <> 'retired'
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

export async function readOptOuts(tx: Transaction, waiting: readonly OccurrenceRow[]): Promise<Set<string>> {
  const off = await rows<{ subscriberId: string; channel: Channel }>(
    tx,
    sql`select subscriber_id as "subscriberId", channel from preferences
      where subscriber_id = any(${uuids(waiting.map((row) => row.subscriberId))}) and topic = 'reminders' and not enabled`,
  );
  return new Set(off.map((row) => `${row.subscriberId}:${row.channel}`));
}
