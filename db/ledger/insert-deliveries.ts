import { sql } from "drizzle-orm";
import { ensurePartitions, type PartitionDefaults } from "../admission/partitions";
import { rows, type Transaction } from "../connection";
import type { Channel, Lane } from "../rules/outcome";
import type { UpdateOpening } from "../rules/shipment-opening";
import { deliveryReference } from "./reference";

/** A delivery that is being born, of exactly one source. */
export interface NewDelivery {
  id: string;
  key: string;
  occurrenceId?: string;
  shipmentEventId?: string;
  noticeId?: string;
  subscriberId: string;
  channel: Channel;
  destinationId: string | null;
  partition: PartitionDefaults | null;
  lane: Lane;
  /** Whose turn it is inside the lane: a subscriber, or an order. */
  flow: string;
  cost: number;
  dueAtMs: number;
  expiresAtMs: number;
  payloadId: string | null;
  version: number;
  opening: UpdateOpening;
  /** The trace of the request that made it, where one did. */
  trace?: string | null;
}

/**
 * Inserts deliveries, set-based, with the partitions that they need; a key that exists stays as it is (P1). Rows born
 * `ready` get their pass here, behind their own flow's last ready row, as promotion gives it (`db/admission/promote.ts`):
 * so a burst of one order takes its turn like everybody else and waits for no promotion. Returns the partitions' keys.
 */
export async function insertDeliveries(tx: Transaction, born: readonly NewDelivery[]): Promise<string[]> {
  const wanted = new Map(
    born.flatMap(({ partition }) => (partition === null ? [] : [[partition.key, partition] as const])),
  );
  await ensurePartitions(tx, [...wanted.values()]);
  if (born.length === 0) return [];
  const given = JSON.stringify(
    born.map(({ opening, partition, ...delivery }, place) => ({
      ...delivery,
      place,
      reference: deliveryReference(delivery.key),
      partition: partition?.key ?? null,
      state: opening.state,
      reason: opening.state === "expired" ? opening.reason : null,
      nextMs: opening.state === "scheduled" ? opening.nextEligibleAtMs : null,
      heldBy: opening.state === "scheduled" ? opening.heldBy : null,
    })),
  );
  await rows(
    tx,
    sql`with w as (
        select * from jsonb_to_recordset(${given}::jsonb) as w(id uuid, key text, reference text, "occurrenceId" uuid,
          "shipmentEventId" uuid, "noticeId" uuid, "subscriberId" uuid, channel text, "destinationId" uuid, partition text,
          lane text, flow text, cost int, state text, reason text, "heldBy" text, "dueAtMs" float8, "nextMs" float8,
          "expiresAtMs" float8, "payloadId" uuid, version int, place int, trace text)
      ), behind as (
        select f.partition, f.lane, f.flow, greatest(l.pass_floor, coalesce(
            (select max(r.pass) from deliveries r where r.partition = f.partition and r.lane = f.lane and r.flow = f.flow
              and r.state = 'ready'), l.pass_floor)) as base
        from (select distinct partition, lane, flow from w where state = 'ready') f
        join lanes l on l.partition = f.partition and l.lane = f.lane
      )
      insert into deliveries (id, key, reference, occurrence_id, shipment_event_id, notice_id, subscriber_id, channel,
        destination_id, partition, lane, flow, pass, cost, state, reason, last_class, scheduled_at, next_eligible_at,
        expires_at, created_at, finished_at, payload_id, version, owner, trace)
      select w.id, w.key, w.reference, w."occurrenceId", w."shipmentEventId", w."noticeId", w."subscriberId", w.channel,
        w."destinationId", w.partition, w.lane, w.flow,
        behind.base + sum(w.cost) over (partition by w.partition, w.lane, w.flow, w.state order by w.place),
        w.cost, w.state, w.reason, w."heldBy", from_epoch_ms(w."dueAtMs"), from_epoch_ms(w."nextMs"),
        from_epoch_ms(w."expiresAtMs"), ledger_now(), case when w.state = 'expired' then ledger_now() end,
        w."payloadId", w.version, coalesce(p.owner, 1), w.trace
      from w left join partitions p on p.key = w.partition
        left join behind on w.state = 'ready' and behind.partition = w.partition and behind.lane = w.lane
          and behind.flow = w.flow
      on conflict (key) do nothing`,
  );
  return [...wanted.keys()];
}
