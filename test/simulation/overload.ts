import { pausePartition, setLimits } from "../../db/admission/controls";
import { readPartitionHealth } from "../../db/console/partitions";
import { DEGRADATIONS, type Degradation } from "../../db/rules/degradation";
import type { Channel } from "../../db/rules/outcome";
import { switchDegradation, writeDegradation } from "../../db/shipments/degradation";
import { degrade } from "../../inngest/degrade";
import { ringPumps } from "../../inngest/dispatch";
import type { ProviderName } from "../../standins/providers";
import type { Dice } from "./dice";
import { askToFollow, planImport } from "./shipments";
import type { PolicyAsked, Stage } from "./stage";

const OPERATOR = { name: "operator", reason: "the import is too large" };
const PROVIDER: Record<Channel, ProviderName> = { email: "resend", sms: "twilio", push: "push" };

/** The shortest after which a policy acts (`db/rules/degradation.ts`). */
const WINDOW_MS = 60_000;

/**
 * An import that is too much: the first parcels go out, then a channel stands still (a pause, a rate of 0, or a provider
 * that refuses for long), and what follows grows old. Operators let lanes give something up: of this channel, or of all of
 * them at once; they switch it off again, or it ends by itself.
 */
export function planOverload(stage: Stage, dice: Dice): void {
  if (!stage.isOverloaded) return;
  const parcels = Array.from({ length: dice.int(2, 4) }, (_, index) => `load-${index}`);
  const channel = dice.pick(stage.shoppers.flatMap((shopper) => shopper.channels));
  for (const shopper of stage.shoppers) {
    for (const parcel of parcels) {
      const isPlain = shopper.channels.includes(channel) && dice.chance(0.5);
      const channels = isPlain ? [channel] : dice.some(shopper.channels);
      const policy = dice.pick(["every", "every", "latest"] as const);
      askToFollow(stage, dice.int(0, 800), { shopper, parcel, channels, policy });
    }
  }
  const steps = dice.int(2, 4);
  for (let step = 0; step < steps; step += 1) {
    const atMs = step === 0 ? 1_000 : dice.int(6_000, step * 20_000);
    planImport(stage, dice, atMs, { source: "shop", parcels, order: "load", steps: [step] });
  }
  // Where everything stands still there is nowhere to move to, and two channels may want to move to each other.
  const channels: readonly Channel[] = dice.chance(0.5) ? ["email", "sms", "push"] : [channel];
  standStill(stage, dice, channels);
  planPolicies(stage, dice, dice.chance(0.3) ? ["email", "sms", "push"] : channels);
}

const partitionsOf = async (channels: readonly Channel[]) =>
  (await readPartitionHealth()).filter((health) => channels.includes(health.channel as Channel));

function standStill(stage: Stage, dice: Dice, channels: readonly Channel[]): void {
  const how = dice.pick(["pause", "pause", "rate-0", "refusals"] as const);
  if (how === "refusals") {
    const change = {
      fault: "throttle",
      faultCount: 20,
      retryAfter: "seconds",
      retryAfterSeconds: dice.int(20, 90),
    };
    stage.at(4_000, () => {
      for (const channel of channels) {
        stage.note(`${PROVIDER[channel]}: ${JSON.stringify(change)}`);
        stage.world.providers.control(PROVIDER[channel], change);
      }
    });
    return;
  }
  stage.ask(4_000, `an operator: ${how} of ${channels.join(", ")}`, async () => {
    for (const { partition } of await partitionsOf(channels)) {
      const turned = await (how === "pause"
        ? pausePartition(partition, null, OPERATOR)
        : setLimits(partition, { ceiling: 0 }, OPERATOR));
      if (turned.ok) await ringPumps(turned.value.rings);
    }
  });
}

function planPolicies(stage: Stage, dice: Dice, channels: readonly Channel[]): void {
  const policy = dice.pick([...DEGRADATIONS, "other_channel"] as const);
  const lanes = dice.some(["bulk", "standard"] as const);
  const onMs = dice.pick([dice.int(6_000, 20_000), dice.int(70_000, 130_000)]);
  // Nothing is old enough at first: what is switched on early lasts until a sweep finds something.
  const forMs = dice.pick(onMs > WINDOW_MS ? [30_000, 600_000] : [120_000, 600_000]);
  // The minutes at which sweeps act, and the switching on itself: what goes wrong then meets a policy at work.
  stage.busyAtMs.push(onMs, onMs + WINDOW_MS);
  stage.ask(onMs, `an operator: ${policy} of ${lanes.join(", ")} by ${channels.join(", ")}`, async () => {
    for (const { partition } of await partitionsOf(channels)) {
      for (const lane of lanes) await switchOn(stage, { partition, lane, policy, forMs });
      await degrade(partition);
    }
  });
  if (!dice.chance(0.3)) return;
  const offMs = onMs + dice.int(2_000, 100_000);
  stage.ask(offMs, "an operator: no policy any more", async () => {
    for (const asked of stage.policies) {
      const off = await switchDegradation(asked.partition, asked.lane, null, OPERATOR);
      if (off.ok) asked.untilMs = Math.min(asked.untilMs, stage.world.ledgerNowMs());
    }
  });
}

async function switchOn(
  stage: Stage,
  { partition, lane, policy, forMs }: { partition: string; lane: string; policy: Degradation; forMs: number },
): Promise<void> {
  const fromMs = stage.world.ledgerNowMs();
  const asked: PolicyAsked = {
    ...{ partition, lane, policy, windowMs: WINDOW_MS, fromMs },
    untilMs: Number.POSITIVE_INFINITY,
  };
  // Whatever becomes of the request: from now on it may act.
  stage.policies.push(asked);
  const written = await writeDegradation(partition, { lane, policy, windowMs: WINDOW_MS }, OPERATOR);
  if (!written.ok) return;
  const on = await switchDegradation(partition, lane, forMs, OPERATOR);
  if (on.ok) asked.untilMs = Math.min(asked.untilMs, stage.world.ledgerNowMs() + forMs);
}
