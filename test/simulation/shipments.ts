import type { ShipmentEventBody } from "../../db/rules/shipment-schemas";
import { MILESTONES } from "../../db/rules/shipment-status";
import { followShipment, unfollowShipment } from "../../db/shipments/follow";
import { type RecordedScan, recordScans, type ScanSource } from "../../db/shipments/record";
import { ringDoorbell } from "../../inngest/publish";
import { type Checkpoint, callWebhook } from "./aftership";
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

export interface Import {
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
  const [channels, policy] = [dice.some(shopper.channels), dice.pick(["every", "latest"] as const)];
  const atMs = dice.int(0, activeMs * 0.4);
  const following = askToFollow(stage, atMs, { shopper, parcel, channels, policy });
  if (!dice.chance(0.2)) return;
  const leavesMs = Math.max(atMs + 1_000, stage.soonAfterWork(dice) ?? dice.int(0, activeMs));
  stage.ask(leavesMs, `${shopper.externalId} lets ${parcel} go`, async () => {
    following.leftAskedAtMs = stage.world.nowMs();
    const left = await unfollowShipment({ externalId: parcel }, shopper.id);
    if (left.ok) following.leftAtMs = stage.world.nowMs();
  });
}

/** Lets a shopper follow a parcel; what is known of it is in the answer, and on the stage once it is confirmed. */
export function askToFollow(
  stage: Stage,
  atMs: number,
  wish: Pick<Following, "shopper" | "parcel" | "channels" | "policy">,
): Following {
  const following: Following = {
    ...wish,
    fromMs: Number.POSITIVE_INFINITY,
    leftAskedAtMs: Number.POSITIVE_INFINITY,
    leftAtMs: Number.POSITIVE_INFINITY,
  };
  const { shopper, parcel, channels, policy } = wish;
  stage.ask(atMs, `${shopper.externalId} follows ${parcel} by ${channels.join(", ")}`, async () => {
    const name = { externalId: parcel };
    const milestones = [...MILESTONES];
    const followed = await followShipment(name, shopper.id, { channels, policy, milestones, order: null });
    if (!followed.ok) return;
    following.fromMs = stage.world.nowMs();
    stage.followings.push(following);
  });
  return following;
}

export function planImport(stage: Stage, dice: Dice, atMs: number, told: Import): void {
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
  if (told.source === "aftership") {
    for (const [index, checkpoint] of checkpointsOf(stage, atMs, told).entries())
      planWebhook(stage, atMs + index * WEBHOOKS_APART_MS, checkpoint);
    return;
  }
  stage.ask(atMs, `an import of ${told.parcels.length} parcels`, async () => {
    const askedAtMs = stage.world.nowMs();
    const recorded = await recordScans(told.source, scansOf(told, stage.world.ledgerNowMs()));
    if (!recorded.ok) return;
    noteAnnounced(stage, recorded.value.value, askedAtMs);
    await ringDoorbell();
  });
}

function noteAnnounced(stage: Stage, recorded: readonly RecordedScan[], askedAtMs: number): void {
  for (const { shipment, version, outcome } of recorded) {
    if (outcome !== "announced" || version === null) continue;
    stage.announced.push({ parcel: shipment, version, askedAtMs, atMs: stage.world.nowMs() });
  }
}

/** AfterShip calls once for each checkpoint, one soon after the other. */
const WEBHOOKS_APART_MS = 40;

/** It calls again when there was no 200: https://www.aftership.com/docs/tracking/webhook/webhook-overview. */
const WEBHOOK_TRIES = 4;
const WEBHOOK_AGAIN_MS = 15_000;

function planWebhook(stage: Stage, atMs: number, checkpoint: Checkpoint, tries = WEBHOOK_TRIES): void {
  const { world } = stage;
  stage.at(atMs, () => {
    const askedAtMs = world.nowMs();
    const calling = world.app.act(() =>
      callWebhook(checkpoint, (recorded) => noteAnnounced(stage, recorded, askedAtMs)),
    );
    void calling
      .catch(() => null)
      .then((status) => {
        if (status === 200) return stage.note(`AfterShip tells of ${checkpoint.eventId}`);
        stage.struck("webhook not taken", `${checkpoint.eventId}: ${status ?? "no answer"}`);
        if (tries > 1) planWebhook(stage, stage.sinceMs() + WEBHOOK_AGAIN_MS, checkpoint, tries - 1);
      });
  });
}

function checkpointsOf(stage: Stage, atMs: number, { parcels, order, steps }: Import): Checkpoint[] {
  return steps.flatMap((step) => {
    const [status, tag] = stepOf(step);
    return parcels.map((parcel) => ({
      ...{ eventId: `${parcel}-${status}`, parcel, tag, order },
      occurredAtMs: stage.startMs + atMs - 60_000 + step * 1_000,
    }));
  });
}

const stepOf = (step: number) => JOURNEY[step % JOURNEY.length] ?? JOURNEY[0];

function scansOf({ parcels, order, steps }: Import, nowMs: number): ShipmentEventBody[] {
  return steps.flatMap((step) => {
    const [status] = stepOf(step);
    return parcels.map(
      (parcel): ShipmentEventBody => ({
        ...{ eventId: `${parcel}-${status}`, shipment: parcel, order, carrier: "DHL", trackingNumber: null },
        ...{ status, occurredAt: nowMs - 60_000 + step * 1_000, detail: null, location: null },
        ...{ pickUpCode: null, expectedOn: null, url: null },
      }),
    );
  });
}
