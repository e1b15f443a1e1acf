import { setTimeout as sleep } from "node:timers/promises";
import type { Channel } from "../../db/rules/outcome";
import type { Bench, Figures } from "./bench";
import { accepted, ownersOf, untilAccepted } from "./evidence";
import { fairness, unfairness } from "./figures";
import { makeReminders, makeShoppers, publish, type Shopper } from "./load";
import { PROVIDERS, type Stage } from "./stage";
import { warmUp } from "./warm-up";

/** Far enough ahead that the engine's own wait opens them, with time to insert the load. */
const AHEAD_MS = 10_000;

/**
 * The index looks at the first sends, this many for each subscriber. Twice as many would be all there are, and say
 * nothing of their order; once as many would say nothing but whether the window of work under way mixes.
 */
const ROOM_PER_SUBSCRIBER = 1.25;

/** At 5 a second the other must not stand behind the thousand, nor behind what is under way: two seconds of rate. */
const FIRST_FEW = 5;

/** Beyond so many sends, six seconds of them, the other's place is not looked for. */
const FIRST_MANY = 30;

/** One subscriber with a thousand reminders of one instant beside others with one each: who is served first? */
export const bench: Bench = {
  question: "do the first sends go to everybody alike when one subscriber has a thousand waiting?",
  floor: "Jain's index 1; unfairness 0.5, where everybody's first stands before anybody's second",
  rates: { email: 100, sms: 5 },
  parameters: (scale) => ({
    ratePerSecond: 100,
    hotDeliveries: Math.round(1000 * scale),
    others: Math.round(1000 * scale),
    slowRatePerSecond: 5,
  }),
  targets: {
    jain: { atLeast: 0.99, peer: "first in, first out 0.001 to 0.24; bare virtual-time index 1.000" },
    unfairness: { atMost: 0.55 },
    positionAmongMany: { atMost: FIRST_FEW, peer: "first in, first out 1001" },
    duplicates: { atMost: 0 },
  },
  async run(stage, { ratePerSecond = 0, hotDeliveries = 0, others = 0, slowRatePerSecond = 0 }) {
    await stage.control("resend", { ratePerSecond, burst: 10 });
    await stage.control("twilio", { ratePerSecond: slowRatePerSecond, burst: 5, receipts: "absent" });
    await warmUp(stage, ["email"]);
    const crowd = await oneAmongMany(stage, hotDeliveries, others);
    const slow = await makeShoppers(stage, 2, ["sms"]);
    const order = await sendOrder(stage, "sms", demandsOf(slow, hotDeliveries), FIRST_MANY);
    return { ...crowd, positionAmongMany: order.indexOf(slow[1]?.id ?? "") + 1 || Number.NaN };
  },
};

async function oneAmongMany(stage: Stage, hotDeliveries: number, others: number): Promise<Figures> {
  const shoppers = await makeShoppers(stage, others + 1, ["email"]);
  const demands = demandsOf(shoppers, hotDeliveries);
  const total = hotDeliveries + others;
  const order = await sendOrder(stage, "email", demands, total);
  const [hot] = shoppers;
  const summary = await stage.summary("resend");
  return {
    jain: fairness(order, demands, Math.round(ROOM_PER_SUBSCRIBER * demands.size)),
    unfairness: unfairness(order, demands.size),
    hotAmongFirst: order.slice(0, demands.size).filter((owner) => owner === hot?.id).length,
    lastOfOthersPosition: order.findLastIndex((owner) => owner !== hot?.id) + 1,
    throttledPerThousand: (summary.throttled / summary.accepted) * 1000,
    duplicates: summary.duplicates,
    missing: total - summary.accepted,
  };
}

/** The first of them wants `many`, everybody else one. */
function demandsOf(shoppers: readonly Shopper[], many: number): Map<string, number> {
  return new Map(shoppers.map(({ id }, index) => [id, index === 0 ? many : 1]));
}

/** Sets reminders of one instant, and answers whose the first so many were that the provider accepted. */
async function sendOrder(
  stage: Stage,
  channel: Channel,
  demands: ReadonlyMap<string, number>,
  count: number,
): Promise<string[]> {
  const dueAtMs = Math.ceil((Date.now() + AHEAD_MS) / 1000) * 1000;
  const wanted = [...demands].flatMap(([subscriberId, count]) =>
    Array.from({ length: count }, () => ({ subscriberId, dueAtMs, channels: [channel] })),
  );
  await makeReminders(stage, wanted);
  await publish(stage, await makeShoppers(stage, 1, ["email"]));
  await sleep(dueAtMs - Date.now());
  const provider = PROVIDERS[channel];
  await untilAccepted(stage, provider, Math.min(count, wanted.length), 120_000);
  const owners = await ownersOf(stage, channel);
  return accepted(await stage.calls(provider)).map((call) => owners.get(call.key ?? "") ?? "");
}
