import { readAftership } from "../../db/rules/aftership";
import type { ShipmentEventBody } from "../../db/rules/shipment-schemas";
import { MILESTONES } from "../../db/rules/shipment-status";
import { followShipment, unfollowShipment } from "../../db/shipments/follow";
import { recordScans, type ScanSource } from "../../db/shipments/record";
import { ringDoorbell } from "../../inngest/publish";
import type { Dice } from "./dice";
import type { Following, Shopper, Stage } from "./stage";

/** Stories in which parcels travel. */
const SHARE = 0.4;

/** A parcel's way as its carrier tells it, and AfterShip's word for each step. */
const JOURNEY = [
  ["in_transit", "InTransit"],
  ["out_for_delivery", "OutForDelivery"],
  ["available_for_pickup", "AvailableForPickup"],
  ["delivered", "Delivered"],
] as const;

interface Import {
  source: ScanSource;
  parcels: readonly string[];
  order: string | null;
  /** Which steps of the journey it tells, in the order in which it tells them. */
  steps: readonly number[];
}

/**
 * Parcels with their followers, and imports of their scans: bursts of many parcels, a hot order whose parcels all move at
 * once, the same import twice, scans that arrive in the wrong order, a provider that throttles right then.
 */
export function planShipments(stage: Stage, dice: Dice): void {
  if (!dice.chance(SHARE)) return;
  const source = dice.pick(["shop", "shop", "aftership"] as const);
  const isHot = dice.chance(0.3);
  const order = isHot || dice.chance(0.5) ? "order-1" : null;
  const parcels = Array.from({ length: isHot ? dice.int(4, 7) : dice.int(1, 3) }, (_, index) =>
    source === "shop" ? `parcel-${index}` : `dhl:${index}`,
  );
  let step = 0;
  let atMs = dice.int(stage.length.activeMs * 0.2, stage.length.activeMs);
  for (let left = dice.int(1, 3); left > 0; left -= 1) {
    const steps = dice.chance(0.25) ? [step + 1, step] : [step];
    planImport(stage, dice, atMs, { source, parcels: dice.some(parcels), order, steps });
    step += dice.chance(0.7) ? 1 : 0;
    // Two in a row: the second finds much of the first waiting.
    atMs = dice.chance(0.6) ? atMs + dice.int(300, 6_000) : dice.int(atMs, stage.length.activeMs + 5_000);
  }
  for (const shopper of stage.shoppers) {
    for (const parcel of parcels) if (dice.chance(0.6)) planFollower(stage, dice, shopper, parcel);
  }
}

function planFollower(stage: Stage, dice: Dice, shopper: Shopper, parcel: string): void {
  const { activeMs } = stage.length;
  const following: Following = {
    shopper,
    parcel,
    channels: dice.some(shopper.channels),
    policy: dice.pick(["every", "latest"] as const),
    fromMs: Number.POSITIVE_INFINITY,
    leftAskedAtMs: Number.POSITIVE_INFINITY,
    leftAtMs: Number.POSITIVE_INFINITY,
  };
  const atMs = dice.int(0, activeMs * 0.4);
  const { externalId } = shopper;
  stage.ask(atMs, `${externalId} follows ${parcel} by ${following.channels.join(", ")}`, async () => {
    const { channels, policy } = following;
    const name = { externalId: parcel };
    const milestones = [...MILESTONES];
    const followed = await followShipment(name, shopper.id, { channels, policy, milestones, order: null });
    if (!followed.ok) return;
    following.fromMs = stage.world.nowMs();
    stage.followings.push(following);
  });
  if (!dice.chance(0.2)) return;
  const leavesMs = Math.max(atMs + 1_000, stage.soonAfterWork(dice) ?? dice.int(0, activeMs));
  stage.ask(leavesMs, `${externalId} lets ${parcel} go`, async () => {
    following.leftAskedAtMs = stage.world.nowMs();
    const left = await unfollowShipment({ externalId: parcel }, shopper.id);
    if (left.ok) following.leftAtMs = stage.world.nowMs();
  });
}

function planImport(stage: Stage, dice: Dice, atMs: number, told: Import): void {
  stage.busyAtMs.push(atMs);
  planRecording(stage, atMs, told);
  if (dice.chance(0.3)) planRecording(stage, atMs + dice.int(0, 15_000), told);
  if (!dice.chance(0.4)) return;
  const trouble = {
    fault: "throttle",
    faultCount: dice.int(1, 3),
    retryAfter: "seconds",
    retryAfterSeconds: dice.int(3, 20),
  };
  stage.at(atMs + dice.int(50, 1_500), () => {
    stage.note(`resend, amid an import: ${JSON.stringify(trouble)}`);
    stage.world.providers.control("resend", trouble);
  });
}

function planRecording(stage: Stage, atMs: number, told: Import): void {
  stage.ask(atMs, `an import of ${told.parcels.length} parcels`, async () => {
    const { world } = stage;
    const askedAtMs = world.nowMs();
    const recorded = await recordScans(told.source, scansOf(told, world.ledgerNowMs()));
    if (!recorded.ok) return;
    for (const { shipment, version, outcome } of recorded.value.value) {
      if (outcome !== "announced" || version === null) continue;
      stage.announced.push({ parcel: shipment, version, askedAtMs, atMs: world.nowMs() });
    }
    await ringDoorbell();
  });
}

function scansOf({ source, parcels, order, steps }: Import, nowMs: number): ShipmentEventBody[] {
  return steps.flatMap((step) => {
    const [status, tag] = JOURNEY[step % JOURNEY.length] ?? JOURNEY[0];
    return parcels.map((parcel): ShipmentEventBody => {
      const eventId = `${parcel}-${status}`;
      const occurredAtMs = nowMs - 60_000 + step * 1_000;
      if (source === "aftership") return fromWebhook({ eventId, parcel, tag, order, occurredAtMs });
      return {
        ...{ eventId, shipment: parcel, order, carrier: "DHL", trackingNumber: null, status },
        ...{ occurredAt: occurredAtMs, detail: null, location: null, pickUpCode: null, expectedOn: null },
        url: null,
      };
    });
  });
}

function fromWebhook(scan: {
  eventId: string;
  parcel: string;
  tag: string;
  order: string | null;
  occurredAtMs: number;
}): ShipmentEventBody {
  const [slug, number] = scan.parcel.split(":");
  const time = new Date(scan.occurredAtMs).toISOString();
  const msg = {
    ...{ tracking_number: number, slug, tag: scan.tag, order_id: scan.order },
    checkpoints: [{ checkpoint_time: time, message: scan.tag }],
  };
  const read = readAftership(
    { event: "tracking_update", event_id: scan.eventId, ts: scan.occurredAtMs / 1_000, msg },
    scan.occurredAtMs,
  );
  if (!read.ok || read.value === null) throw new Error(`Bug! ${JSON.stringify(read)}`);
  return read.value;
}
