import { sql } from "drizzle-orm";
import { ledgerNowMs, rows, type Transaction, transact, uuids } from "../connection";
import { effects } from "../effects";
import { type IdempotencyClaim, once } from "../idempotency";
import { stageEvents } from "../outbox";
import { ok, type Result } from "../rules/errors";
import { ANNOUNCED_PER_EVENT } from "../rules/event-catalog";
import type { ShipmentEventBody } from "../rules/shipment-schemas";
import { decideScan, inScanOrder, type ScanOutcome, type ShipmentState } from "../rules/shipment-status";
import { currentTrace } from "../trace";

/** Who counts the carrier's event ids. */
export type ScanSource = "shop" | "aftership";

export interface RecordedScan {
  eventId: string;
  shipment: string;
  /** `duplicate`: this event id was recorded before, or stands twice in the batch. */
  outcome: ScanOutcome | "duplicate";
  /** The parcel's version that announces it; null for everything else. */
  version: number | null;
}

interface ShipmentRow extends ShipmentState {
  id: string;
  externalId: string;
}

interface NewScan extends Omit<ShipmentEventBody, "occurredAt"> {
  id: string;
  shipmentId: string;
  occurredAtMs: number;
  outcome: ScanOutcome;
  version: number | null;
}

/**
 * Records a carrier's scans and announces those that move a parcel forward, in one transaction with the outbox (P5): the
 * whole batch or nothing. A scan that comes again changes nothing; the answer says what became of each, in the order in
 * which they were given.
 *
 * Lock order: shipments by id. Two imports of the same parcels go one after the other, and the second finds the first's
 * scans.
 */
export function recordScans(
  source: ScanSource,
  scans: readonly ShipmentEventBody[],
  idempotency: IdempotencyClaim | null = null,
): Promise<Result<{ value: RecordedScan[]; replayed: boolean }>> {
  return once(idempotency, async (tx) => {
    const shipments = await lockShipments(tx, scans);
    const nowMs = await ledgerNowMs(tx);
    const known = await readKnown(tx, source, scans);
    const decided = decideAll(scans, shipments, known);
    await insertScans(tx, source, decided, nowMs);
    await moveShipments(tx, decided, shipments);
    await announce(tx, decided);
    const byEventId = new Map(decided.map((scan) => [scan.eventId, scan]));
    const recorded = scans.map((scan): RecordedScan => {
      const mine = byEventId.get(scan.eventId);
      // Only the first of two scans with one id is a scan.
      byEventId.delete(scan.eventId);
      const { eventId, shipment } = scan;
      return mine === undefined
        ? { eventId, shipment, outcome: "duplicate", version: null }
        : { eventId, shipment, outcome: mine.outcome, version: mine.version };
    });
    return ok(recorded);
  });
}

/** Makes sure that the parcels exist, and takes them FOR NO KEY UPDATE: their followers and scans may be referred to. */
async function lockShipments(
  tx: Transaction,
  scans: readonly ShipmentEventBody[],
): Promise<Map<string, ShipmentRow>> {
  const names = JSON.stringify(
    [...new Set(scans.map((scan) => scan.shipment))].sort().map((name) => ({ name, id: effects.newId() })),
  );
  await rows(
    tx,
    sql`insert into shipments (id, external_id, status, version, created_at, updated_at)
      select w.id, w.name, 'pending', 0, ledger_now(), ledger_now()
      from jsonb_to_recordset(${names}::jsonb) as w(name text, id uuid)
      where not exists (select 1 from shipments s where s.external_id = w.name)
      order by w.name on conflict (external_id) do nothing`,
  );
  const locked = await rows<ShipmentRow>(
    tx,
    sql`select id, external_id as "externalId", status, epoch_ms(status_at) as "statusAtMs", version from shipments
      where external_id in (select w.name from jsonb_to_recordset(${names}::jsonb) as w(name text))
      order by id for no key update`,
  );
  return new Map(locked.map((row) => [row.externalId, row]));
}

async function readKnown(
  tx: Transaction,
  source: ScanSource,
  scans: readonly ShipmentEventBody[],
): Promise<Set<string>> {
  const found = await rows<{ eventId: string }>(
    tx,
    sql`select carrier_event_id as "eventId" from shipment_events where source = ${source}
      and carrier_event_id in (select jsonb_array_elements_text(${JSON.stringify(scans.map((scan) => scan.eventId))}::jsonb))`,
  );
  return new Set(found.map((row) => row.eventId));
}

/** Each scan of each parcel in the order in which they happened; `shipments` holds the new states afterwards. */
function decideAll(
  scans: readonly ShipmentEventBody[],
  shipments: Map<string, ShipmentRow>,
  known: ReadonlySet<string>,
): NewScan[] {
  const seen = new Set(known);
  const fresh = scans
    .filter(({ eventId }) => !seen.has(eventId) && seen.add(eventId))
    .map(({ occurredAt, ...scan }) => ({ ...scan, occurredAtMs: occurredAt }));
  return inScanOrder(fresh).map((scan): NewScan => {
    const shipment = shipments.get(scan.shipment);
    if (shipment === undefined) throw new Error(`Bug! shipment ${scan.shipment} was not locked`);
    const { outcome, state } = decideScan(shipment, scan);
    shipments.set(scan.shipment, { ...shipment, ...state });
    const version = outcome === "announced" ? state.version : null;
    return { ...scan, id: effects.newId(), shipmentId: shipment.id, outcome, version };
  });
}

async function insertScans(
  tx: Transaction,
  source: ScanSource,
  scans: readonly NewScan[],
  nowMs: number,
): Promise<void> {
  if (scans.length === 0) return;
  await rows(
    tx,
    sql`insert into shipment_events (id, shipment_id, source, carrier_event_id, status, occurred_at, recorded_at, detail,
        location, pick_up_code, outcome, version, trace)
      select w.id, w."shipmentId", ${source}, w."eventId", w.status, from_epoch_ms(w."occurredAtMs"),
        from_epoch_ms(${nowMs}), w.detail, w.location, w."pickUpCode", w.outcome, w.version, ${currentTrace()}::text
      from jsonb_to_recordset(${JSON.stringify(scans)}::jsonb) as w(id uuid, "shipmentId" uuid, "eventId" text, status text,
        "occurredAtMs" float8, detail text, location text, "pickUpCode" text, outcome text, version int)`,
  );
}

/** Writes the new states, and what the newest scan says about the parcel itself. */
async function moveShipments(
  tx: Transaction,
  scans: readonly NewScan[],
  shipments: ReadonlyMap<string, ShipmentRow>,
): Promise<void> {
  const newest = new Map(scans.map((scan) => [scan.shipment, scan]));
  const moved = [...newest].map(([name, scan]) => {
    const { order, carrier, trackingNumber, url, expectedOn } = scan;
    return { ...shipments.get(name), order, carrier, trackingNumber, url, expectedOn };
  });
  if (moved.length === 0) return;
  await rows(
    tx,
    sql`update shipments s set status = w.status, status_at = from_epoch_ms(w."statusAtMs"), version = w.version,
        order_ref = coalesce(w."order", s.order_ref), carrier = coalesce(w.carrier, s.carrier),
        tracking_number = coalesce(w."trackingNumber", s.tracking_number), url = coalesce(w.url, s.url),
        expected_on = coalesce(w."expectedOn", s.expected_on), updated_at = ledger_now()
      from jsonb_to_recordset(${JSON.stringify(moved)}::jsonb) as w(id uuid, status text, "statusAtMs" float8, version int,
        "order" text, carrier text, "trackingNumber" text, url text, "expectedOn" date)
      where s.id = w.id`,
  );
}

async function announce(tx: Transaction, scans: readonly NewScan[]): Promise<void> {
  const ids = scans.filter((scan) => scan.outcome === "announced").map((scan) => scan.id);
  const parts = Array.from({ length: Math.ceil(ids.length / ANNOUNCED_PER_EVENT) }, (_, part) =>
    ids.slice(part * ANNOUNCED_PER_EVENT, (part + 1) * ANNOUNCED_PER_EVENT),
  );
  await stageEvents(
    tx,
    parts.map((shipmentEventIds) => ({
      name: "shipment/announced" as const,
      data: { v: 1 as const, shipmentEventIds },
    })),
  );
}

/** Announced scans whose fan-out nobody has finished since so long: what the sweep takes over. */
export async function readUnfinished(input: { olderThanMs: number; limit: number }): Promise<string[]> {
  return transact(async (tx) => {
    const found = await rows<{ id: string }>(
      tx,
      sql`select id from shipment_events where version is not null and fanned_out_at is null
        and recorded_at <= ledger_now() - ${input.olderThanMs} * interval '1 millisecond'
        order by recorded_at, id limit ${input.limit}`,
    );
    return found.map((row) => row.id);
  });
}

/** Which of these still lack rows for somebody. */
export async function unfinishedOf(ids: readonly string[]): Promise<string[]> {
  return transact(async (tx) => {
    const found = await rows<{ id: string }>(
      tx,
      sql`select id from shipment_events where id = any(${uuids(ids)}) and version is not null and fanned_out_at is null`,
    );
    return found.map((row) => row.id);
  });
}
