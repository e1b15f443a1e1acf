import { z } from "zod";
import { invalid, ok, type Result } from "./errors";
import { checkDate, checkInstant } from "./instant";
import { DETAIL_MAX_CHARACTERS, type ShipmentEventBody, shipmentEventBody } from "./shipment-schemas";
import type { Milestone } from "./shipment-status";
import { cleanProviderText } from "./text";

/**
 * AfterShip's webhook body (https://www.aftership.com/docs/tracking/webhook/webhook-specifications), as far as it is
 * read here. Somebody else's format: what is not known in it is let through, what is missing is done without.
 */
const webhook = z.object({
  event: z.string(),
  event_id: z.string().min(1),
  ts: z.number().optional(),
  msg: z.object({
    tracking_number: z.string().min(1),
    slug: z.string().nullish(),
    order_id: z.string().nullish(),
    tag: z.string(),
    return_to_sender: z.boolean().nullish(),
    expected_delivery: z.string().nullish(),
    checkpoints: z
      .array(
        z.object({
          checkpoint_time: z.string().nullish(),
          message: z.string().nullish(),
          location: z.string().nullish(),
        }),
      )
      .nullish(),
  }),
});

/** AfterShip's delivery tags (docs: enum, delivery statuses) in our words; `Pending` says that nothing is known yet. */
const STATUS_OF_TAG: Record<string, Milestone> = {
  InfoReceived: "info_received",
  InTransit: "in_transit",
  OutForDelivery: "out_for_delivery",
  AttemptFail: "failed_attempt",
  AvailableForPickup: "available_for_pickup",
  Delivered: "delivered",
  Exception: "exception",
  Expired: "expired",
};

/** Tags under which a parcel that goes back to its sender travels. */
const RETURNING = ["Delivered", "Exception"];

/**
 * Turns AfterShip's body into the canonical scan; null for an event that announces nothing (a new estimate, a parcel
 * that nobody has scanned). The parcel's name is `<slug>:<tracking number>`. A checkpoint's time without an offset is
 * the carrier's own wall time in a zone that nobody names: the event's `ts` counts then.
 */
export function readAftership(body: unknown, receivedAtMs: number): Result<ShipmentEventBody | null> {
  const parsed = webhook.safeParse(body);
  if (!parsed.success) return invalid("body", body, "AfterShip's webhook body");
  const { event, event_id: eventId, msg, ts } = parsed.data;
  const isReturning = msg.return_to_sender === true && RETURNING.includes(msg.tag);
  const status = isReturning ? "returned" : STATUS_OF_TAG[msg.tag];
  if (event !== "tracking_update" || status === undefined) return ok(null);
  const checkpoint = msg.checkpoints?.at(-1);
  const scanned = checkInstant("checkpoint_time", checkpoint?.checkpoint_time);
  const occurredAtMs = scanned.ok ? scanned.value : ts === undefined ? receivedAtMs : ts * 1_000;
  const expected = checkDate("expected_delivery", msg.expected_delivery?.slice(0, 10));
  const text = (value: string | null | undefined) =>
    cleanProviderText(value ?? "", DETAIL_MAX_CHARACTERS).trim() || null;
  // Through the canonical schema: one gate for everything that is stored.
  const scan = shipmentEventBody.safeParse({
    eventId,
    shipment: `${msg.slug ?? "carrier"}:${msg.tracking_number}`,
    order: text(msg.order_id),
    carrier: text(msg.slug),
    trackingNumber: text(msg.tracking_number),
    status,
    occurredAt: new Date(occurredAtMs).toISOString(),
    detail: text(checkpoint?.message),
    location: text(checkpoint?.location),
    expectedOn: expected.ok ? expected.value : null,
  });
  return scan.success ? ok(scan.data) : invalid("body", body, "AfterShip's webhook body");
}
