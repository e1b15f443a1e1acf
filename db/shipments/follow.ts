import { sql } from "drizzle-orm";
import { rows, type Transaction, transact } from "../connection";
import { effects } from "../effects";
import { once } from "../idempotency";
import { checkChannels } from "../reminders/occurrence";
import { fail, ok, type Result } from "../rules/errors";
import type { Channel } from "../rules/outcome";
import type { FollowBody } from "../rules/shipment-schemas";
import type { Milestone, ShipmentStatus } from "../rules/shipment-status";

export interface FollowerView {
  /** The shop's id of the parcel. */
  shipment: string;
  order: string | null;
  status: ShipmentStatus;
  version: number;
  channels: Channel[];
  milestones: Milestone[];
  policy: "every" | "latest";
}

/** Which parcel is meant: by the shop's id, which makes it when it is new, or by ours from a link. */
export type ShipmentName = { externalId: string } | { id: string };

/**
 * Follows a parcel, or changes how: from the next version on. The parcel is locked, so that a scan which is recorded at
 * the same moment comes clearly before or after. Repeating it changes nothing.
 */
export async function followShipment(
  name: ShipmentName,
  subscriberId: string,
  follow: FollowBody,
): Promise<Result<FollowerView>> {
  const stored = await once(null, async (tx) => {
    const shipment = await lockShipment(tx, name, follow.order);
    if (shipment === null) return fail({ code: "not_found", what: "parcel" });
    await rows(tx, sql`select id from subscribers where id = ${subscriberId}::uuid for share`);
    const reachable = await checkChannels(tx, subscriberId, follow.channels);
    if (!reachable.ok) return reachable;
    const list = (values: readonly string[]) => sql`string_to_array(${values.join(",")}, ',')`;
    await rows(
      tx,
      sql`insert into shipment_followers (id, shipment_id, subscriber_id, channels, milestones, policy, joined_version,
          created_at, updated_at)
        values (${effects.newId()}::uuid, ${shipment.id}::uuid, ${subscriberId}::uuid, ${list(follow.channels)},
          ${list(follow.milestones)}, ${follow.policy}, ${shipment.version}, ledger_now(), ledger_now())
        on conflict (shipment_id, subscriber_id) where left_version is null do update set channels = excluded.channels,
          milestones = excluded.milestones, policy = excluded.policy, updated_at = excluded.updated_at`,
    );
    const view = await readFollower(tx, shipment.id, subscriberId);
    return view === null ? fail({ code: "not_found", what: "follower" }) : ok(view);
  });
  return stored.ok ? ok(stored.value.value) : stored;
}

/** Stops following: what still waits ends when it is claimed, and no later version is told. Repeating it is harmless. */
export async function unfollowShipment(name: ShipmentName, subscriberId: string): Promise<Result<null>> {
  return transact(async (tx): Promise<Result<null>> => {
    const shipment = await lockShipment(tx, name, null, { create: false });
    if (shipment === null) return fail({ code: "not_found", what: "parcel" });
    await rows(
      tx,
      sql`update shipment_followers set left_version = greatest(joined_version, ${shipment.version}), updated_at = ledger_now()
        where shipment_id = ${shipment.id}::uuid and subscriber_id = ${subscriberId}::uuid and left_version is null`,
    );
    return ok(null);
  });
}

async function lockShipment(
  tx: Transaction,
  name: ShipmentName,
  order: string | null,
  options: { create: boolean } = { create: true },
): Promise<{ id: string; version: number } | null> {
  if ("externalId" in name && options.create) {
    await rows(
      tx,
      sql`insert into shipments (id, external_id, order_ref, status, version, created_at, updated_at)
        values (${effects.newId()}::uuid, ${name.externalId}, ${order}, 'pending', 0, ledger_now(), ledger_now())
        on conflict (external_id) do update set order_ref = coalesce(excluded.order_ref, shipments.order_ref)`,
    );
  }
  const which = "id" in name ? sql`id = ${name.id}::uuid` : sql`external_id = ${name.externalId}`;
  const [row] = await rows<{ id: string; version: number }>(
    tx,
    sql`select id, version from shipments where ${which} for no key update`,
  );
  return row ?? null;
}

/** How a subscriber follows a parcel now; null when they do not. */
export async function readFollower(
  tx: Transaction,
  shipmentId: string,
  subscriberId: string,
): Promise<FollowerView | null> {
  const [row] = await rows<FollowerView>(
    tx,
    sql`select s.external_id as shipment, s.order_ref as "order", s.status, s.version, f.channels, f.milestones, f.policy
      from shipment_followers f join shipments s on s.id = f.shipment_id
      where f.shipment_id = ${shipmentId}::uuid and f.subscriber_id = ${subscriberId}::uuid and f.left_version is null`,
  );
  return row ?? null;
}
