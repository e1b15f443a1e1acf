import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Bench } from "./bench";
import { percentile } from "./figures";
import { makeShoppers, type Shopper } from "./load";
import type { Stage } from "./stage";

/** Requests before the measured ones, for the compiler and the connections. */
const WARM_UP_SECONDS = 4;

/** Reminders lie up to a month ahead: most wait in the outbox, the nearer ones go to the engine. */
const DUE_WITHIN_MS = 30 * 86_400_000;
const DUE_AFTER_MS = 3_600_000;

const DIFFERENT_SHOPPERS = 500;

/** The shop's backend sets reminders at a steady pace, whether or not the answers come: how long does each take? */
export const bench: Bench = {
  question: "POST /api/v1/reminders at a steady pace: from the instant it should leave to its whole answer",
  floor: "one transaction with a synchronous commit, and HTTP on one machine: a few milliseconds",
  rates: { email: 100 },
  parameters: (scale) => ({ requestsPerSecond: 100, seconds: Math.max(5, Math.round(30 * scale)) }),
  targets: { createP99Ms: { atMost: 50 }, failed: { atMost: 0 } },
  async run(stage, { requestsPerSecond = 0, seconds = 0 }) {
    const shoppers = await makeShoppers(stage, DIFFERENT_SHOPPERS, ["email"]);
    await steadily(requestsPerSecond, WARM_UP_SECONDS, (index) => postOne(stage, shoppers, index));
    const answers = await steadily(requestsPerSecond, seconds, (index) => postOne(stage, shoppers, index));
    const times = answers.map((answer) => answer.ms);
    return {
      createP99Ms: percentile(times, 0.99),
      createP50Ms: percentile(times, 0.5),
      createMaxMs: Math.max(...times),
      failed: answers.filter((answer) => answer.value === null).length,
      requests: answers.length,
    };
  },
};

/** Starts one piece of work every so often, each at its instant, and times it from there: a late start counts too. */
export async function steadily<T>(
  perSecond: number,
  seconds: number,
  work: (index: number) => Promise<T>,
): Promise<{ ms: number; value: T }[]> {
  const startMs = performance.now();
  return Promise.all(
    Array.from({ length: perSecond * seconds }, async (_, index) => {
      const atMs = startMs + (index * 1000) / perSecond;
      await sleep(atMs - performance.now());
      const value = await work(index);
      return { ms: performance.now() - atMs, value };
    }),
  );
}

/** Sets one reminder over HTTP, an hour to a month ahead; its id, or null for anything but 201. */
export async function postOne(
  stage: Stage,
  shoppers: readonly Shopper[],
  index: number,
): Promise<string | null> {
  const shopper = shoppers[index % shoppers.length];
  const response = await fetch(`${stage.app}/api/v1/reminders`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${stage.apiKey}`,
      "content-type": "application/json",
      "idempotency-key": randomUUID(),
    },
    body: JSON.stringify({
      subscriber: shopper?.externalId,
      title: `Water plant ${index}`,
      note: "The one in the corner wants less than the others.",
      dueAt: new Date(Date.now() + DUE_AFTER_MS + Math.random() * DUE_WITHIN_MS).toISOString(),
      channels: ["email"],
    }),
  }).catch(() => null);
  const text = await response?.text().catch(() => null);
  return response?.status === 201 && text ? (JSON.parse(text) as { id: string }).id : null;
}
