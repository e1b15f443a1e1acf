import { sql } from "drizzle-orm";
import { alone, uuids } from "../connection";
import type { Channel, Lane } from "../rules/outcome";

/** One settled call with what its spans say: instants by the ledger's clock, ids that name nobody. */
export interface TracedCall {
  deliveryId: string;
  reference: string;
  channel: Channel;
  partition: string;
  lane: Lane;
  /** The delivery's own trace, as stored. */
  trace: string | null;
  /** Of the request that made it indirectly: a carrier's report, which has followers by the thousand. */
  causedBy: string | null;
  number: number;
  /** When its source was accepted: the reminder set, the scan recorded. */
  askedAtMs: number;
  dueAtMs: number;
  /** When it could be admitted for this call. */
  eligibleAtMs: number;
  admittedAtMs: number | null;
  slotAtMs: number;
  callMs: number;
  class: string;
  status: number | null;
}

/** The settled ones of these calls. */
export function readTracedCalls(attemptIds: readonly string[]): Promise<TracedCall[]> {
  return alone<TracedCall>(
    sql`select d.id as "deliveryId", d.reference, d.channel, d.partition, d.lane, d.trace, e.trace as "causedBy", a.number,
        epoch_ms(coalesce(o.created_at, e.recorded_at, d.created_at)) as "askedAtMs", epoch_ms(d.scheduled_at) as "dueAtMs",
        epoch_ms(coalesce(before.settled_at, least(d.admitted_at, greatest(d.scheduled_at, d.created_at)), d.created_at)) as "eligibleAtMs",
        epoch_ms(d.admitted_at) as "admittedAtMs", epoch_ms(a.slot_at) as "slotAtMs", coalesce(a.call_ms, 0) as "callMs",
        a.class, a.status
      from attempts a join deliveries d on d.id = a.delivery_id left join occurrences o on o.id = d.occurrence_id
        left join shipment_events e on e.id = d.shipment_event_id
        left join attempts before on before.delivery_id = a.delivery_id and before.number = a.number - 1
      where a.id = any(${uuids(attemptIds)}) and a.class is not null order by a.slot_at, a.id`,
  );
}

/** Keeps the traces that deliveries without a request of their own were given; the first one stands. */
export async function storeTraces(given: readonly { deliveryId: string; trace: string }[]): Promise<void> {
  if (given.length === 0) return;
  await alone(
    sql`update deliveries d set trace = w.trace
      from jsonb_to_recordset(${JSON.stringify(given)}::jsonb) as w("deliveryId" uuid, trace text)
      where d.id = w."deliveryId" and d.trace is null`,
  );
}
