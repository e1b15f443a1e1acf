import { sql } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { setLimits } from "../../db/admission/controls";
import { database, rows } from "../../db/connection";
import { mostInOneSecond } from "../db/rules/meters";
import { setMeter } from "../support/partition-factories";
import { World } from "../support/world";

let world: World;

beforeEach(async () => {
  world = await World.start(Date.UTC(2031, 4, 5, 9, 0, 0));
});

afterEach(() => {
  world.close();
});

const OPERATOR = { name: "test", reason: "a test" };

/** How long the stand-in takes to answer unless told otherwise. */
const LATENCY_MS = 20;

const calls = (provider: "resend" | "twilio" | "push") => world.providers.ledger.calls(provider);

/** At most rate and burst in any second, and no two at one instant beyond the burst. */
function expectSpread(times: readonly number[], limits: { perSecond: number; burst: number }): void {
  const { perSecond, burst } = limits;
  expect(mostInOneSecond(times)).toBeLessThanOrEqual(perSecond + burst);
  const atOnce = times.filter(
    (at) => times.filter((other) => Math.abs(other - at) < 0.5e3 / perSecond).length > burst,
  );
  expect(atOnce).toEqual([]);
}

test("a delivery that meets 50 consecutive 429s is alive and its failure budget untouched", async () => {
  const { id } = await world.subscriber();
  world.providers.control("resend", {
    fault: "throttle",
    faultCount: 50,
    retryAfter: "seconds",
    retryAfterSeconds: 3,
  });
  const reminder = await world.remind(id, { inMs: 30_000 });
  await world.advance(8 * 60_000);
  expect(world.providers.ledger.calls("resend").filter((call) => call.status === 429)).toHaveLength(50);
  expect((await world.deliveries(reminder.id))[0]).toMatchObject({
    state: "delivered",
    failures: 0,
    throttles: 50,
    attempts: 51,
  });
});

describe("200 deliveries and one Retry-After: 10", () => {
  const COUNT = 200;
  const WAIT_MS = 10_000;

  test("that the first of them meets: none before it, spread after it, the rate never exceeded", async () => {
    const { id } = await world.subscriber("ada", { channels: ["email"] });
    const first = await world.remind(id, { inMs: 10_000 });
    await world.remindMany(id, COUNT - 1, { inMs: 10_000 });
    world.providers.control("resend", {
      fault: "throttle",
      faultCount: 1,
      retryAfterSeconds: WAIT_MS / 1_000,
    });
    await world.advance(10_000 + 120_000);
    const [refused, ...later] = calls("resend");
    expect(refused).toMatchObject({ status: 429, at: Date.parse(first.dueAt) });
    const answeredMs = (refused?.at ?? 0) + LATENCY_MS;
    // Nothing leaves between the answer and the provider's time.
    for (const { at } of later.filter(({ at }) => at >= answeredMs))
      expect(at).toBeGreaterThanOrEqual(answeredMs + WAIT_MS);
    expect(later.filter(({ at }) => at < answeredMs)).toEqual([]);
    expectSpread(
      later.map(({ at }) => at),
      { perSecond: 5, burst: 1 },
    );
    expect(world.accepted("resend")).toHaveLength(COUNT);
    expect(new Set(world.accepted("resend")).size).toBe(COUNT);
  });

  test("that each of them meets, all in flight: none before its own, spread after it, the rate never exceeded", async () => {
    const LONG_MS = 4_000;
    world.providers.control("resend", { ratePerSecond: 100, burst: 10 });
    const { id } = await world.subscriber("maker", { channels: ["email"] });
    await world.remind(id, { inMs: 5_000 });
    await world.advance(10_000);
    await setLimits("email:resend:main", { ceiling: 100, burst: 1, concurrency: COUNT }, OPERATOR);
    await setMeter("email:resend:main", { rate: 100 });
    const before = calls("resend").length;
    for (let number = 0; number < COUNT; number += 1) {
      const shopper = await world.subscriber(`shopper-${number}`, { channels: ["email"] });
      await world.remindMany(shopper.id, 1, { inMs: 20_000 });
    }
    world.providers.control("resend", {
      latencyMs: LONG_MS,
      fault: "throttle",
      faultCount: COUNT,
      retryAfterSeconds: WAIT_MS / 1_000,
    });
    await world.advance(20_000 + COUNT * 10 + 500 + LONG_MS);
    const refused = calls("resend").slice(before);
    expect(refused.map(({ status }) => status)).toEqual(Array(COUNT).fill(429));
    world.providers.control("resend", { latencyMs: LATENCY_MS });
    await world.advance(120_000);
    const again = calls("resend").slice(before + COUNT);
    expect(again.map(({ status }) => status)).toEqual(Array(COUNT).fill(200));
    expect(new Set(again.map(({ key }) => key))).toEqual(new Set(refused.map(({ key }) => key)));
    const lastAnswerMs = Math.max(...refused.map(({ at }) => at)) + LONG_MS;
    for (const { at } of again) expect(at).toBeGreaterThanOrEqual(lastAnswerMs + WAIT_MS);
    expectSpread(
      [...refused, ...again].map(({ at }) => at),
      { perSecond: 100, burst: 1 },
    );
  });
});

describe("E1: 300 reminders of one shopper, and one of another a second later", () => {
  test.each([
    ["while everything is accepted", null],
    ["while every call for the first fails", "error:503"],
  ])("%s: the other is among the next, the rate is kept, and nothing idles", async (_name, fault) => {
    const hot = await world.subscriber("hot", { channels: ["push"] });
    const cold = await world.subscriber("cold", { channels: ["push"] });
    await world.remind(hot.id, { inMs: 5_000, channels: ["push"] });
    await world.advance(10_000);
    const [{ partition = "" } = {}] = await rows<{ partition: string }>(
      database(),
      sql`select partition from deliveries`,
    );
    await setLimits(partition, { ceiling: 5, burst: 1 }, OPERATOR);
    await world.remindMany(hot.id, 300, { inMs: 20_000, channels: ["push"] });
    await world.remind(cold.id, { inMs: 21_000, channels: ["push"] });
    if (fault !== null) world.providers.control("push", { fault, faultTo: hot.deviceId });
    await world.advance(20_000 + 55_000);
    const made = calls("push").slice(1);
    const place = made.findIndex((call) => call.destination?.includes(cold.deviceId));
    // A second's worth was sent when the other became due, and a window of two seconds, twice over, was out.
    expect(place).toBeGreaterThanOrEqual(0);
    expect(place).toBeLessThanOrEqual(20);
    expect(made[place]?.accepted).toBe(true);
    const times = made.map(({ at }) => at);
    expect(mostInOneSecond(times)).toBeLessThanOrEqual(5 + 1);
    // Only the first shopper's wait most of the time: no slot of the partition passes unused.
    expect(made.length).toBeGreaterThanOrEqual(5 * 55 - 5);
    if (fault !== null) return;
    await world.advance(30_000);
    expect(new Set(world.accepted("push")).size).toBe(302);
  });
});

describe("operators' controls act at the next admission", () => {
  test("rate 0 stops everything, a rate starts it again, and nothing is lost", async () => {
    const { id } = await world.subscriber("ada", { channels: ["email"] });
    await world.remind(id, { inMs: 5_000, title: "makes the partition" });
    await world.advance(10_000);
    const key = "email:resend:main";
    await setLimits(key, { ceiling: 0 }, OPERATOR);
    await world.remindMany(id, 20, { inMs: 10_000 });
    await world.advance(120_000);
    expect(world.accepted("resend")).toHaveLength(1);
    await setLimits(key, { ceiling: 10 }, OPERATOR);
    await world.advance(120_000);
    expect(world.accepted("resend")).toHaveLength(21);
    expect(mostInOneSecond(calls("resend").map((call) => call.at))).toBeLessThanOrEqual(11);
  });
});
