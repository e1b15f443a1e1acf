import { type SQL, sql } from "drizzle-orm";
import { alone, rows, type Transaction, uuids } from "./connection";
import { effects } from "./effects";
import { burialEventId, EVENTS, type EventData, type EventName } from "./rules/event-catalog";
import { currentTrace } from "./trace";

export interface StagedEvent<Name extends EventName = EventName> {
  name: Name;
  data: EventData<Name>;
  /** Explicit where several facts share one event; otherwise the outbox row's own id. */
  eventId?: string;
  /** Epoch milliseconds; at once when absent. */
  notBeforeMs?: number;
}

export interface OutboxRow {
  id: string;
  eventName: EventName;
  eventId: string;
  data: unknown;
  tries: number;
  /** Of the request that staged it. */
  trace: string | null;
}

/** A publisher that dies leaves its claim this long; the next one then takes the rows over. */
const CLAIM_SECONDS = 20;

/** After a refusal by the engine the same rows are tried again this much later. */
const RETRY_SECONDS = 5;

/**
 * Writes events beside the fact that they announce, in the fact's own transaction (P5): after the commit they will be
 * published, however often the process dies. The shape is checked against the catalog here, so nothing unreadable waits.
 */
export async function stageEvents(tx: Transaction, events: readonly StagedEvent[]): Promise<void> {
  if (events.length > 0) await rows(tx, stagingEvents(events));
}

/** The same as a statement, for a caller that sends several at once. At least one event. */
export function stagingEvents(events: readonly StagedEvent[]): SQL {
  const staged = events.map((event) => {
    const id = effects.newId();
    return {
      id,
      name: event.name,
      eventId: event.eventId ?? id,
      data: EVENTS[event.name].parse(event.data),
      notBeforeMs: event.notBeforeMs ?? null,
    };
  });
  return sql`insert into outbox (id, event_name, event_id, data, not_before, created_at, trace)
    select w.id, w.name, w."eventId", w.data, coalesce(from_epoch_ms(w."notBeforeMs"), ledger_now()), ledger_now(), ${currentTrace()}::text
    from jsonb_to_recordset(${JSON.stringify(staged)}::jsonb)
      as w(id uuid, name text, "eventId" text, data jsonb, "notBeforeMs" float8)`;
}

/** Announces the burials of these deliveries: one `delivery/dead` per burial, with ids only. */
export async function stageDeaths(tx: Transaction, deliveryIds: readonly string[]): Promise<void> {
  if (deliveryIds.length === 0) return;
  const dead = await rows<{ deliveryId: string; burialId: string; key: string; reason: string }>(
    tx,
    sql`select id as "deliveryId", burial_id as "burialId", key, reason from deliveries
      where id = any(${uuids(deliveryIds)}) and state = 'dead' order by id`,
  );
  await stageEvents(
    tx,
    dead.map((row) => ({
      name: "delivery/dead" as const,
      data: { v: 1 as const, ...row },
      eventId: burialEventId(row.burialId),
    })),
  );
}

/** Takes up to `limit` due, unpublished events for a short while. Two publishers never hold the same row. */
export async function claimUnpublished(limit: number): Promise<OutboxRow[]> {
  return alone<OutboxRow>(
    sql`update outbox o set claimed_until = ledger_now() + ${CLAIM_SECONDS} * interval '1 second', tries = o.tries + 1
        from (select id from outbox where published_at is null and not_before <= ledger_now()
            and (claimed_until is null or claimed_until <= ledger_now())
          order by not_before, id limit ${limit} for update skip locked) due
        where o.id = due.id
        returning o.id, o.event_name as "eventName", o.event_id as "eventId", o.data, o.tries, o.trace`,
  );
}

/** Records that the engine has taken these events. Repeating it is harmless. */
export async function markPublished(ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await alone(
    sql`update outbox set published_at = ledger_now(), claimed_until = null
      where id = any(${uuids(ids)}) and published_at is null`,
  );
}

/** Gives claimed events back after the engine refused them; they are due again after a short wait. */
export async function releaseUnpublished(ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await alone(
    sql`update outbox set claimed_until = ledger_now() + ${RETRY_SECONDS} * interval '1 second'
      where id = any(${uuids(ids)}) and published_at is null`,
  );
}

/** How many events wait past their time, and since when: what operators watch. */
export async function readOutboxLag(): Promise<{ waiting: number; oldestMs: number | null }> {
  const [row] = await alone<{ waiting: number; oldestMs: number | null }>(
    sql`select count(*)::int as waiting, min(epoch_ms(not_before)) as "oldestMs" from outbox
      where published_at is null and not_before <= ledger_now()`,
  );
  return row ?? { waiting: 0, oldestMs: null };
}
