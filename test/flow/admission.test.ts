import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { setLimits } from "../../db/admission/controls";
import { World } from "../support/world";

let world: World;

beforeEach(async () => {
  world = await World.start(Date.UTC(2031, 4, 5, 9, 0, 0));
});

afterEach(() => {
  world.close();
});

const OPERATOR = { name: "test", reason: "a test" };

/** The most calls that arrived within any second. */
function mostInOneSecond(provider: "resend" | "twilio" | "push"): number {
  const times = world.providers.ledger.calls(provider).map((call) => call.at);
  return Math.max(0, ...times.map((from) => times.filter((at) => at >= from && at < from + 1_000).length));
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

test("100 deliveries that meet one Retry-After: none before it, spread after it, the rate never exceeded", async () => {
  const { id } = await world.subscriber("ada", { channels: ["email"] });
  const first = await world.remind(id, { inMs: 10_000 });
  await world.remindMany(id, 99, { inMs: 10_000 });
  world.providers.control("resend", {
    fault: "throttle",
    faultCount: 1,
    retryAfter: "seconds",
    retryAfterSeconds: 10,
  });
  await world.advance(10_000 + 120_000);
  const calls = world.providers.ledger.calls("resend");
  const gateMs = (calls[0]?.at ?? 0) + 10_000;
  expect(calls[0]?.status).toBe(429);
  const dueMs = Date.parse(first.dueAt);
  // What left in the same instant as the first 429 could not know; nothing else leaves before the provider's time.
  const early = calls.filter((call) => call.at > dueMs + 100 && call.at < gateMs);
  expect(early).toEqual([]);
  expect(world.accepted("resend")).toHaveLength(100);
  expect(new Set(world.accepted("resend")).size).toBe(100);
  expect(mostInOneSecond("resend")).toBeLessThanOrEqual(6);
});

test("100 reminders of one shopper do not hold up the one of another", async () => {
  const hot = await world.subscriber("hot", { channels: ["email"] });
  const cold = await world.subscriber("cold", { channels: ["email"] });
  for (let count = 0; count < 300; count += 1)
    await world.remind(hot.id, { inMs: 20_000, title: `hot ${count}` });
  await world.remind(cold.id, { inMs: 20_500, title: "cold" });
  await world.advance(40_000);
  const order = world.providers.ledger
    .calls("resend")
    .filter((call) => call.accepted)
    .map((call) => String(call.destination));
  const position = order.findIndex((to) => to.includes("cold"));
  // One window of two seconds at five a second was out when the other became due.
  expect(position).toBeGreaterThanOrEqual(0);
  expect(position).toBeLessThanOrEqual(25);
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
    expect(mostInOneSecond("resend")).toBeLessThanOrEqual(11);
  });
});
