import { sql } from "drizzle-orm";
import { rows, type Transaction, transact } from "../connection";
import { NEXT_ELIGIBLE_MS } from "../ledger/next-eligible";
import { WEIGHTIEST_RECEIPT } from "../receipts/weightiest";
import type { Milestone, ScanOutcome, ShipmentStatus } from "../rules/shipment-status";
import type { StoryFacts } from "../rules/story-line";
import { type FollowerView, readFollower, type ShipmentName } from "./follow";

export interface ShipmentScanView {
  id: string;
  status: Milestone;
  occurredAt: string;
  recordedAt: string;
  detail: string | null;
  location: string | null;
  outcome: ScanOutcome;
  version: number | null;
}

export interface ShipmentView {
  id: string;
  /** The shop's id of the parcel. */
  shipment: string;
  order: string | null;
  carrier: string | null;
  trackingNumber: string | null;
  url: string | null;
  status: ShipmentStatus;
  statusAt: string | null;
  expectedOn: string | null;
  version: number;
  /** Newest first, by the carrier's time. */
  history: ShipmentScanView[];
}

/** A parcel has a few dozen scans; a page shows no more. */
const HISTORY_MAX = 200;

const iso = (column: string) =>
  sql.raw(`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`);

/** A parcel with its scans, or null. Pick-up codes are not in it: they go to followers only. */
export async function readShipment(name: ShipmentName): Promise<ShipmentView | null> {
  return transact(async (tx) => {
    const which = "id" in name ? sql`s.id = ${name.id}::uuid` : sql`s.external_id = ${name.externalId}`;
    const [row] = await rows<Omit<ShipmentView, "history">>(
      tx,
      sql`select s.id, s.external_id as shipment, s.order_ref as "order", s.carrier, s.tracking_number as "trackingNumber",
          s.url, s.status, ${iso("s.status_at")} as "statusAt", s.expected_on::text as "expectedOn", s.version
        from shipments s where ${which}`,
    );
    return row === undefined ? null : { ...row, history: await readHistory(tx, row.id) };
  });
}

function readHistory(tx: Transaction, shipmentId: string): Promise<ShipmentScanView[]> {
  return rows<ShipmentScanView>(
    tx,
    sql`select e.id, e.status, ${iso("e.occurred_at")} as "occurredAt", ${iso("e.recorded_at")} as "recordedAt", e.detail,
        e.location, e.outcome, e.version
      from shipment_events e where e.shipment_id = ${shipmentId}::uuid
      order by e.occurred_at desc, e.version desc nulls last, e.id limit ${HISTORY_MAX}`,
  );
}

/** What became of one update for one follower on one channel or device. Instants are epoch milliseconds. */
export interface UpdateView extends Omit<StoryFacts, "expectedAtMs"> {
  key: string;
  version: number;
  device: string | null;
}

/** What a follower was sent about a parcel, newest first, and how they follow it now. */
export async function readFollowing(
  shipmentId: string,
  subscriberId: string,
): Promise<{ follower: FollowerView | null; updates: UpdateView[] }> {
  return transact(async (tx) => {
    const follower = await readFollower(tx, shipmentId, subscriberId);
    const updates = await rows<UpdateView>(
      tx,
      sql`select d.key, d.version, d.channel, case when d.channel = 'push' then dest.label end as device, d.state, d.reason,
          d.last_class as "lastClass", ${WEIGHTIEST_RECEIPT} as receipt, ${NEXT_ELIGIBLE_MS} as "nextEligibleAtMs",
          epoch_ms(d.scheduled_at) as "scheduledAtMs", epoch_ms(d.latest_attempt_at) as "latestAttemptAtMs",
          epoch_ms(d.finished_at) as "finishedAtMs", epoch_ms(d.expires_at) as "expiresAtMs", d.attempt_count as attempts,
          array(select a.class from attempts a where a.delivery_id = d.id order by a.number) as classes
        from shipment_events e join deliveries d on d.shipment_event_id = e.id
        left join destinations dest on dest.id = d.destination_id
        where e.shipment_id = ${shipmentId}::uuid and d.subscriber_id = ${subscriberId}::uuid
        order by d.version desc, array_position(array['email', 'sms', 'push'], d.channel), d.key limit ${HISTORY_MAX}`,
    );
    return { follower, updates };
  });
}
