import { randomUUID } from "node:crypto";
import { eq } from "drizzle-orm";
import { database } from "../../db/connection";
import type { ShipmentEventBody } from "../../db/rules/shipment-schemas";
import { MILESTONES } from "../../db/rules/shipment-status";
import { deliveries, shipmentEvents } from "../../db/schema";
import { type FollowerView, followShipment } from "../../db/shipments/follow";
import { type RecordedScan, recordScans } from "../../db/shipments/record";
import { testClock } from "./test-clock";

/** A scan that happened now, in every part that a test does not name. */
export function scanOf(overrides: Partial<ShipmentEventBody> = {}): ShipmentEventBody {
  return {
    eventId: randomUUID(),
    shipment: "parcel-1",
    order: null,
    carrier: "DHL",
    trackingNumber: null,
    status: "in_transit",
    occurredAt: testClock.nowMs(),
    detail: null,
    location: null,
    pickUpCode: null,
    expectedOn: null,
    url: null,
    ...overrides,
  };
}

/** Records scans as the shop's backend would. */
export async function record(...scans: Partial<ShipmentEventBody>[]): Promise<RecordedScan[]> {
  const recorded = await recordScans("shop", scans.map(scanOf));
  if (!recorded.ok) throw new Error(JSON.stringify(recorded.problem));
  return recorded.value.value;
}

/** Follows a parcel, by default on email, for every milestone. */
export async function follow(
  subscriberId: string,
  overrides: Partial<Parameters<typeof followShipment>[2]> & { shipment?: string } = {},
): Promise<FollowerView> {
  const { shipment = "parcel-1", ...body } = overrides;
  const followed = await followShipment({ externalId: shipment }, subscriberId, {
    channels: ["email"],
    milestones: [...MILESTONES],
    policy: "every",
    order: null,
    ...body,
  });
  if (!followed.ok) throw new Error(JSON.stringify(followed.problem));
  return followed.value;
}

/** Ids of the announced scans, in the order of their versions. */
export async function announcedIds(): Promise<string[]> {
  const events = await database()
    .select()
    .from(shipmentEvents)
    .where(eq(shipmentEvents.outcome, "announced"));
  return events.toSorted((one, other) => (one.version ?? 0) - (other.version ?? 0)).map((event) => event.id);
}

/** Every delivery of shipment updates, by version and birth. */
export async function updates() {
  const rows = await database().select().from(deliveries);
  return rows
    .filter((row) => row.shipmentEventId !== null)
    .toSorted((one, other) => one.version - other.version || one.key.localeCompare(other.key));
}
