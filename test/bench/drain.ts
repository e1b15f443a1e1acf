import { setTimeout as sleep } from "node:timers/promises";
import type { Bench, Figures } from "./bench";
import { accepted, countTransactions, notMadePerThousand, untilAccepted } from "./evidence";
import { type Drop, floorSeconds } from "./figures";
import { makeReminders, makeShoppers, publish } from "./load";
import type { Stage } from "./stage";
import { warmUp } from "./warm-up";

/** Far enough ahead that the engine's own wait opens them, with time to insert the load. */
const AHEAD_MS = 10_000;

/** The provider's burst, as on the peers' stub. */
export const PROVIDER_BURST = 10;

/** A backlog that falls due at one instant: how close to the provider's own pace does it drain? */
export const bench: Bench = {
  question: "time to drain a backlog due at one instant ÷ the least time that the provider's rate allows",
  floor: "(deliveries − burst) ÷ rate: a call sooner is a 429",
  rates: { email: 100 },
  parameters: (scale) => ({
    ratePerSecond: 100,
    burst: PROVIDER_BURST,
    deliveries: Math.round(3000 * scale),
  }),
  targets: {
    drainOverFloor: { atMost: 1.01, peer: "BullMQ tuned 1.13, documented style 1.16, pg-boss 2.8" },
    throttledPerThousand: { atMost: 0, peer: "BullMQ tuned 0" },
    duplicates: { atMost: 0 },
    transactionsPerDelivery: { atMost: 0.5, peer: "bare claim loop 0.13, BullMQ on Postgres 3.1" },
  },
  run: (stage, parameters) => drain(stage, parameters),
};

/** What happens to the provider meanwhile, and how long before their instant the reminders are there. */
interface Circumstances {
  drop?: Drop;
  aheadMs?: number;
}

/** Lets `deliveries` fall due at one instant and watches them go, through a drop of the provider's limit if there is one. */
export async function drain(
  stage: Stage,
  parameters: Record<string, number>,
  { drop, aheadMs = AHEAD_MS }: Circumstances = {},
): Promise<Figures> {
  const { ratePerSecond = 0, burst = 0, deliveries = 0 } = parameters;
  await stage.control("resend", { ratePerSecond, burst });
  await warmUp(stage, ["email"]);
  const shoppers = await makeShoppers(stage, deliveries, ["email"]);
  const dueAtMs = Math.ceil((Date.now() + aheadMs) / 1000) * 1000;
  await makeReminders(
    stage,
    shoppers.map(({ id }) => ({ subscriberId: id, dueAtMs, channels: ["email"] as const })),
  );
  const before = await countTransactions(stage);
  await publish(stage, shoppers);
  await sleep(dueAtMs - Date.now());
  const dropped = drop === undefined ? null : dropLimit(stage, ratePerSecond, drop);
  const leastSeconds = Math.max(0.001, floorSeconds(deliveries, ratePerSecond, burst, drop));
  await untilAccepted(stage, "resend", deliveries, leastSeconds * 3_000 + 60_000);
  await dropped;
  const transactions = (await countTransactions(stage)) - before;
  const summary = await stage.summary("resend");
  const calls = await stage.calls("resend");
  const sends = accepted(calls);
  const seconds = ((sends.at(-1)?.at ?? Number.NaN) - dueAtMs) / 1000;
  return {
    drainOverFloor: summary.accepted < deliveries ? Number.NaN : seconds / leastSeconds,
    floorSeconds: leastSeconds,
    drainSeconds: seconds,
    firstCallMs: (sends[0]?.at ?? Number.NaN) - dueAtMs,
    throttledPerThousand: (summary.throttled / summary.accepted) * 1000,
    duplicates: summary.duplicates,
    notMadePerThousand: await notMadePerThousand(stage),
    missing: deliveries - summary.accepted,
    transactionsPerDelivery: transactions / deliveries,
    attemptsPerAccepted: calls.length / summary.accepted,
    deliveriesPerSecond: summary.accepted / seconds,
    maxBacklogAgeSeconds: seconds,
    maxInOneSecond: summary.maxInOneSecond,
  };
}

async function dropLimit(stage: Stage, ratePerSecond: number, drop: Drop): Promise<void> {
  await sleep(drop.afterSeconds * 1000);
  await stage.control("resend", { ratePerSecond: ratePerSecond * drop.share });
  await sleep(drop.seconds * 1000);
  await stage.control("resend", { ratePerSecond });
}
