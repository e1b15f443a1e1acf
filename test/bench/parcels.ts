import { randomUUID } from "node:crypto";
import { makeShoppers } from "./load";
import { json, type Stage } from "./stage";

/** A parcel with its followers, as the shop's backend would have PUT them. */
export type Parcel = { externalId: string };

/** Scans of one request. */
const BATCH = 1_000;

/** Parcels with `followers` each on email, every follower a person of their own, by statements. */
export async function makeParcels(stage: Stage, count: number, followers: number): Promise<Parcel[]> {
  const shoppers = await makeShoppers(stage, count * followers, ["email"]);
  const parcels = Array.from({ length: count }, (_, index) => {
    const id = randomUUID();
    return { id, externalId: `bench-${id}`, order: `order-${index}` };
  });
  const following = shoppers.map((shopper, index) => ({
    id: randomUUID(),
    shipmentId: parcels[Math.floor(index / followers)]?.id,
    subscriberId: shopper.id,
  }));
  await stage.sql`insert into shipments (id, external_id, order_ref, status, version, created_at, updated_at)
    select w.id, w."externalId", w."order", 'pending', 0, ledger_now(), ledger_now()
    from jsonb_to_recordset(${stage.sql.json(parcels)}) as w(id uuid, "externalId" text, "order" text)`;
  await stage.sql`insert into shipment_followers (id, shipment_id, subscriber_id, channels, milestones, policy,
      joined_version, created_at, updated_at)
    select w.id, w."shipmentId", w."subscriberId", '{email}', '{delivered}', 'latest', 0, ledger_now(), ledger_now()
    from jsonb_to_recordset(${stage.sql.json(following as never)}) as w(id uuid, "shipmentId" uuid, "subscriberId" uuid)`;
  // What a large insert leaves the planner to guess, autovacuum tells a running system.
  await stage.sql`analyze`;
  return parcels;
}

/** Reports every parcel delivered, in batches of a thousand; answers how long each request took. */
export async function reportDelivered(stage: Stage, parcels: readonly Parcel[]): Promise<number[]> {
  const tookMs: number[] = [];
  for (let start = 0; start < parcels.length; start += BATCH) {
    const events = parcels.slice(start, start + BATCH).map(({ externalId }) => ({
      eventId: `delivered-${externalId}`,
      shipment: externalId,
      carrier: "DHL",
      status: "delivered",
      occurredAt: new Date().toISOString(),
    }));
    const sentMs = performance.now();
    await post(stage, "/api/v1/shipments/events", { events });
    tookMs.push(performance.now() - sentMs);
  }
  return tookMs;
}

/** Sends one security notice to a shopper, as the shop's backend does. */
export function postNotice(stage: Stage, subscriber: string): Promise<{ id: string }> {
  return post(stage, "/api/v1/notices", {
    subscriber,
    template: "account-security",
    channels: ["email"],
    detail: "A new device signed in.",
  });
}

function post<T>(stage: Stage, path: string, body: object): Promise<T> {
  return json<T>(`${stage.app}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${stage.apiKey}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}
