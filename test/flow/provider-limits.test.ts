import { eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { setLimits } from "../../db/admission/controls";
import { database } from "../../db/connection";
import * as schema from "../../db/schema";
import { putSubscriber } from "../../db/subscribers";
import { mostInOneSecond } from "../db/rules/meters";
import { expectConsole } from "../support/console";
import { readMeter, readPartitionRow } from "../support/ledger";
import { World } from "../support/world";

let world: World;

beforeEach(async () => {
  world = await World.start(Date.UTC(2031, 4, 5, 9, 0, 0));
});

afterEach(() => {
  world.close();
});

const OPERATOR = { name: "test", reason: "a test" };
const EMAIL = "email:resend:main";
const MINUTE_MS = 60_000;

const calls = (provider: "resend" | "twilio" | "push") => world.providers.ledger.calls(provider);
const statuses = (provider: "resend" | "twilio" | "push") => calls(provider).map((call) => call.status);

describe("the provider's rate headers", () => {
  test("lower the ceiling before a 429 has to, and raise it again up to the operator's", async () => {
    const { id } = await world.subscriber("ada", { channels: ["email"] });
    // Our own ceiling is 5 a second, the provider says 2.
    world.providers.control("resend", { ratePerSecond: 2, burst: 2 });
    await world.remindMany(id, 30, { inMs: 10_000 });
    await world.advance(40_000);
    // At most what was granted at our own rate before the first answer was written down.
    expect(
      statuses("resend")
        .slice(0, 4)
        .filter((status) => status === 429).length,
    ).toBeLessThanOrEqual(1);
    expect(statuses("resend").slice(4)).not.toContain(429);
    expect((await readMeter(EMAIL)).observedCeiling).toBe(2);
    expect(world.accepted("resend")).toHaveLength(30);
    expect(mostInOneSecond(calls("resend").map((call) => call.at))).toBeLessThanOrEqual(2 + 1);
    world.providers.control("resend", { ratePerSecond: 50, burst: 10 });
    const before = calls("resend").length;
    await world.remindMany(id, 30, { inMs: 10_000 });
    await world.advance(10_000 + 30 * 200 + 2_000);
    expect(calls("resend").length - before).toBe(30);
    expect(mostInOneSecond(calls("resend").map((call) => call.at))).toBeLessThanOrEqual(5 + 1);
  });
});

describe("P7 with a process that stands still now and then", () => {
  test.each([
    ["for less than the tolerance", 40],
    ["for a moment", 150],
    ["for seconds", 3_000],
  ])("%s: rate plus burst in any second, everything sent once, no budget spent", async (_name, stallMs) => {
    const { id } = await world.subscriber("ada", { channels: ["email"] });
    await world.remind(id, { inMs: 5_000, title: "makes the partition" });
    await world.advance(10_000);
    await setLimits(EMAIL, { ceiling: 20, burst: 4 }, OPERATOR);
    let crossings = 0;
    world.app.onCrossing = ({ effect, moment }) => {
      const activity = world.app.present();
      if (activity === undefined || moment === "before" || activity.stalled !== null) return;
      if (effect !== "sleep" && effect !== "transaction") return;
      crossings += 1;
      if (crossings % 7 !== 0) return;
      const goOn = world.app.stall(activity);
      world.clock.setTimer(world.nowMs() + stallMs, () => {
        activity.stalled = null;
        goOn();
      });
    };
    await world.remindMany(id, 100, { inMs: 10_000 });
    await world.advance(MINUTE_MS);
    world.app.onCrossing = null;
    await world.advance(3 * MINUTE_MS);
    const times = calls("resend").map((call) => call.at);
    expect(crossings).toBeGreaterThan(50);
    expect(mostInOneSecond(times)).toBeLessThanOrEqual(20 + 4);
    expect(new Set(world.accepted("resend")).size).toBe(101);
    expect(world.accepted("resend")).toHaveLength(101);
    const spent = await database()
      .select()
      .from(schema.deliveries)
      .where(eq(schema.deliveries.state, "dead"));
    expect(spent).toEqual([]);
  });
});

test("E6, P7: processes whose clocks are three seconds apart keep the rate together, and nothing comes early", async () => {
  const { id } = await world.subscriber("ada", { channels: ["email"] });
  await world.remind(id, { inMs: 5_000, title: "makes the partition" });
  await world.advance(10_000);
  await setLimits(EMAIL, { ceiling: 20, burst: 1 }, OPERATOR);
  const dueMs = world.nowMs() + 10_000;
  await world.remindMany(id, 100, { inMs: 10_000 });
  // Whichever process takes the next step: one is right, one ahead, one behind.
  let crossings = 0;
  world.app.onCrossing = () => {
    crossings += 1;
    world.clocks.appAheadMs = ((crossings % 3) - 1) * 3_000;
  };
  await world.advance(MINUTE_MS);
  const times = calls("resend")
    .slice(1)
    .map((call) => call.at);
  expect(new Set(world.accepted("resend")).size).toBe(101);
  expect(calls("resend")).toHaveLength(101);
  expect(Math.min(...times)).toBeGreaterThanOrEqual(dueMs);
  expect(mostInOneSecond(times)).toBeLessThanOrEqual(20 + 1);
});

describe("a used-up quota (no Retry-After)", () => {
  test("parks the account, tells operators once, probes with one call each half hour, marks no address", async () => {
    expectConsole(/quota/);
    const { id } = await world.subscriber("ada", { channels: ["email"] });
    world.providers.control("resend", { fault: "quota" });
    await world.remindMany(id, 20, { inMs: 10_000 });
    await world.advance(2 * MINUTE_MS);
    const met = calls("resend").length;
    // What was in the air when the first refusal came, and no more.
    expect(met).toBeLessThanOrEqual(6);
    await world.advance(65 * MINUTE_MS);
    expect(calls("resend").length - met).toBe(2);
    const notices = await database().select().from(schema.operatorNotices);
    expect(notices).toHaveLength(1);
    const destinations = await database().select().from(schema.destinations);
    expect(destinations.map((row) => row.state)).toEqual(["active"]);
    world.providers.control("resend", { fault: null });
    await world.advance(35 * MINUTE_MS);
    expect(new Set(world.accepted("resend")).size).toBe(20);
    expect((await readPartitionRow(EMAIL)).parkedUntil).toBeNull();
    const rows = await database().select().from(schema.deliveries);
    expect(rows.every((row) => row.state === "delivered" && row.failureCount === 0)).toBe(true);
    expect(mostInOneSecond(calls("resend").map((call) => call.at))).toBeLessThanOrEqual(5 + 1);
  });
});

test("a circuit that opened, with nothing left to probe it, leaves the next reminder on time", async () => {
  expectConsole(/circuit|refus/);
  const { id } = await world.subscriber("ada", { channels: ["email"] });
  // Its pump looks once a minute.
  await world.remind(id, { inMs: 3 * 60 * MINUTE_MS });
  world.providers.control("resend", { fault: "unauthorized", faultCount: 1 });
  const refused = await world.remind(id, { inMs: 20_000 });
  await world.advance(MINUTE_MS);
  await world.cancel(refused.id);
  await world.advance(10 * MINUTE_MS + 37_000);
  const next = await world.remind(id, { inMs: 30_000 });
  await world.advance(40_000);
  expect(calls("resend").map((call) => [call.status, call.at])).toEqual([
    [401, expect.anything()],
    [200, Date.parse(next.dueAt)],
  ]);
});

test("E2: SMS refused for ten minutes and a push device that hangs leave email and other devices on time", async () => {
  const { id, deviceId } = await world.subscriber("ada");
  const other = await world.subscriber("ben", { channels: ["push"] });
  world.providers.control("twilio", { fault: "throttle", retryAfter: "seconds", retryAfterSeconds: 600 });
  world.providers.control("push", { fault: "hang", faultTo: deviceId });
  await world.remind(id, { inMs: 20_000, channels: ["email", "sms", "push"] });
  await world.advance(40_000);
  const late = await world.remind(other.id, { inMs: 30_000, channels: ["push"] });
  const mail = await world.remind(id, { inMs: 30_000, channels: ["email"] });
  await world.advance(31_000);
  const latenessMs = (provider: "resend" | "push", dueAt: string) =>
    Math.min(
      ...calls(provider)
        .filter((call) => call.accepted && call.at >= Date.parse(dueAt))
        .map((call) => call.at - Date.parse(dueAt)),
    );
  expect(latenessMs("push", late.dueAt)).toBeLessThanOrEqual(50);
  expect(latenessMs("resend", mail.dueAt)).toBeLessThanOrEqual(50);
  expect(calls("twilio")).toHaveLength(1);
});

test("E2: a push service that hangs, with forty waiting for it, leaves another one on time", async () => {
  const device = world.providers.addPushDevice();
  const stored = await putSubscriber("ada", {
    timeZone: "Europe/Berlin",
    // The same stand-in under another name is another push service.
    pushSubscriptions: [{ endpoint: device.endpoint.replace("127.0.0.1", "localhost"), keys: device.keys }],
  });
  if (!stored.ok) throw new Error(JSON.stringify(stored.problem));
  const other = await world.subscriber("ben", { channels: ["push"] });
  world.providers.control("push", { fault: "hang", faultTo: device.deviceId });
  await world.remindMany(stored.value.id, 40, { inMs: 20_000, channels: ["push"] });
  await world.advance(21_000);
  expect(calls("push").length).toBeGreaterThan(20);
  const late = await world.remind(other.id, { inMs: 5_000, channels: ["push"] });
  await world.advance(6_000);
  const arrived = calls("push").filter((call) => call.accepted);
  expect(arrived.map((call) => call.at - Date.parse(late.dueAt))).toEqual([expect.closeTo(0, -2)]);
});

describe("an honest wait beyond any cap is kept, not clamped", () => {
  test.each([["2147484"], ["9999999999"], ["9223372036854775808"]])(
    "Retry-After: %s: one call and no more while the reminder is of use; then it expires",
    async (header) => {
      const { id } = await world.subscriber();
      world.providers.control("resend", { fault: "throttle", faultCount: 1, retryAfter: header });
      const reminder = await world.remind(id, { inMs: 30_000, expiresAfterSeconds: 3_600 });
      await world.advance(2 * 60 * MINUTE_MS);
      expect(statuses("resend")).toEqual([429]);
      const [delivery] = await world.deliveries(reminder.id);
      expect(delivery).toMatchObject({ state: "expired", reason: "past_deadline", failures: 0 });
    },
  );
});
