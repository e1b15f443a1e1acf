import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { World } from "../support/world";

let world: World;

beforeEach(async () => {
  world = await World.start(Date.UTC(2031, 4, 5, 9, 0, 0));
});

afterEach(() => {
  world.close();
});

const calls = () => world.providers.ledger.calls("resend");

/** The gaps between one call and the next, in milliseconds. */
function gaps(): number[] {
  return calls()
    .slice(1)
    .map((call, index) => call.at - (calls()[index]?.at ?? 0));
}

test("429, 429, accepted: three calls with one key, one accepted, and the failure budget untouched", async () => {
  const { id } = await world.subscriber();
  world.providers.control("resend", {
    fault: "throttle",
    faultCount: 2,
    retryAfter: "seconds",
    retryAfterSeconds: 5,
  });
  const reminder = await world.remind(id, { inMs: 30_000 });
  await world.advance(120_000);
  expect(calls().map((call) => call.status)).toEqual([429, 429, 200]);
  expect(new Set(calls().map((call) => call.key)).size).toBe(1);
  const [delivery] = await world.deliveries(reminder.id);
  expect(delivery).toMatchObject({ state: "delivered", attempts: 3, failures: 0, throttles: 2 });
  for (const gap of gaps()) expect(gap).toBeGreaterThanOrEqual(5_000);
});

describe("no call is made before a Retry-After has passed, whatever its form", () => {
  test.each([
    ["seconds", { retryAfter: "seconds", retryAfterSeconds: 5 }, 5_000, 10_000],
    ["an HTTP date", { retryAfter: "http-date", retryAfterSeconds: 5 }, 4_000, 10_000],
    ["a long one", { retryAfter: "seconds", retryAfterSeconds: 900 }, 900_000, 910_000],
    // What a header that was sent twice arrives as: the longest valid member counts, whichever comes first.
    ["5 and 10", { retryAfter: "5, 10" }, 10_000, 15_000],
    ["2814 and 2", { retryAfter: "2814, 2" }, 2_814_000, 2_820_000],
    ["5 and nonsense", { retryAfter: "5, soon" }, 5_000, 10_000],
  ] as const)("%s", async (_form, settings, atLeastMs, atMostMs) => {
    const { id } = await world.subscriber();
    world.providers.control("resend", { ...settings, fault: "throttle", faultCount: 1 });
    const reminder = await world.remind(id, { inMs: 30_000, expiresAfterSeconds: 172_800 });
    await world.advance(30_000 + atMostMs + 30_000);
    expect(calls().map((call) => call.status)).toEqual([429, 200]);
    expect(gaps()[0]).toBeGreaterThanOrEqual(atLeastMs);
    expect(gaps()[0]).toBeLessThan(atMostMs);
    expect((await world.deliveries(reminder.id))[0]).toMatchObject({ state: "delivered", failures: 0 });
  });
});

describe("a missing or malformed Retry-After backs off: no hot loop, the cap kept, the same key each time", () => {
  test.each(["absent", "soon", "1000abc", "60s", "rand(30),add(30)", "", "Infinity", "1e3", "0x10"])(
    "Retry-After: %s",
    async (retryAfter) => {
      const { id } = await world.subscriber();
      world.providers.control("resend", { fault: "throttle", faultCount: 4, retryAfter });
      const reminder = await world.remind(id, { inMs: 30_000 });
      await world.advance(30_500);
      const [waiting] = await world.deliveries(reminder.id);
      expect(Date.parse(waiting?.nextEligibleAt ?? "") - world.nowMs()).toBeGreaterThan(0);
      expect(Date.parse(waiting?.nextEligibleAt ?? "") - world.nowMs()).toBeLessThanOrEqual(30_000);
      await world.advance(150_000);
      expect(calls().map((call) => call.status)).toEqual([429, 429, 429, 429, 200]);
      expect(new Set(calls().map((call) => call.key)).size).toBe(1);
      for (const gap of gaps()) {
        expect(gap).toBeGreaterThanOrEqual(1_000);
        // The cap is 30 s; a wake-up by the pump may come a tick later.
        expect(gap).toBeLessThanOrEqual(34_000);
      }
      expect((await world.deliveries(reminder.id))[0]).toMatchObject({
        state: "delivered",
        failures: 0,
        throttles: 4,
      });
    },
  );
});

test("A5: a provider that refuses for 300 s and says so is called once before they are over, and accepts then", async () => {
  const { id } = await world.subscriber();
  world.providers.control("resend", { fault: "throttle", retryAfterSeconds: 300 });
  const reminder = await world.remind(id, { inMs: 30_000 });
  await world.advance(30_000 + 300_000);
  expect(calls().map((call) => call.status)).toEqual([429]);
  world.providers.control("resend", { fault: null });
  await world.advance(30_000);
  expect(calls().map((call) => call.status)).toEqual([429, 200]);
  expect((await world.deliveries(reminder.id))[0]).toMatchObject({
    state: "delivered",
    attempts: 2,
    failures: 0,
  });
});

test("cancelling while a throttled delivery waits ends it: no further call", async () => {
  const { id } = await world.subscriber();
  world.providers.control("resend", {
    fault: "throttle",
    faultCount: 1,
    retryAfter: "seconds",
    retryAfterSeconds: 60,
  });
  const reminder = await world.remind(id, { inMs: 30_000 });
  await world.advance(35_000);
  expect(calls()).toHaveLength(1);
  const cancelled = await world.cancel(reminder.id);
  expect(cancelled.channels).toEqual([{ channel: "email", outcome: "cancelled" }]);
  await world.advance(300_000);
  expect(calls()).toHaveLength(1);
  expect((await world.deliveries(reminder.id))[0]).toMatchObject({ state: "expired", reason: "cancelled" });
});

test("a delivery that stays throttled past its usefulness expires and is not sent", async () => {
  const { id } = await world.subscriber();
  world.providers.control("resend", { fault: "throttle", retryAfter: "seconds", retryAfterSeconds: 45 });
  const reminder = await world.remind(id, { inMs: 30_000, expiresAfterSeconds: 120 });
  await world.advance(140_000);
  world.providers.control("resend", { fault: null });
  await world.advance(600_000);
  expect(world.accepted("resend")).toHaveLength(0);
  expect((await world.deliveries(reminder.id))[0]).toMatchObject({
    state: "expired",
    reason: "past_deadline",
  });
  const last = calls().at(-1)?.at ?? 0;
  expect(last).toBeLessThan(Date.parse(reminder.dueAt) + 120_000);
});

test("throttling SMS leaves email and push of the same reminder on time (P2)", async () => {
  const { id } = await world.subscriber();
  world.providers.control("twilio", {
    fault: "throttle",
    faultCount: 3,
    retryAfter: "seconds",
    retryAfterSeconds: 20,
  });
  const reminder = await world.remind(id, { inMs: 30_000, channels: ["email", "sms", "push"] });
  await world.advance(32_000);
  expect(world.accepted("resend")).toHaveLength(1);
  expect(world.accepted("push")).toHaveLength(1);
  expect(world.accepted("twilio")).toHaveLength(0);
  await world.advance(120_000);
  expect(world.accepted("twilio")).toHaveLength(1);
  expect((await world.deliveries(reminder.id)).map((row) => row.failures)).toEqual([0, 0, 0]);
});

test("transient failures spend the budget and end as attempts_exhausted, with one failed dead-letter run", async () => {
  const { id } = await world.subscriber();
  world.providers.control("push", { fault: "error:503" });
  const reminder = await world.remind(id, { inMs: 30_000, channels: ["push"] });
  await world.advance(3_600_000);
  expect((await world.deliveries(reminder.id))[0]).toMatchObject({
    state: "dead",
    reason: "attempts_exhausted",
    failures: 5,
  });
  const burials = world.engine.runs().filter((run) => run.functionId.endsWith("dead-letter"));
  expect(burials.map((run) => run.status)).toEqual(["failed"]);
});
