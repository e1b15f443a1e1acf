import { sql } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { setLimits } from "../../db/admission/controls";
import { database, rows } from "../../db/connection";
import { ringPumps } from "../../inngest/dispatch";
import { noteSlots } from "../../inngest/slot-turns";
import { mostInOneSecond } from "../db/rules/meters";
import { World } from "../support/world";

let world: World;

beforeEach(async () => {
  world = await World.start(Date.UTC(2031, 4, 5, 9, 0, 0));
});

afterEach(() => {
  world.close();
});

const OPERATOR = { name: "test", reason: "slowly" };

const runsOf = (name: string) => world.engine.runs().filter((run) => run.functionId.endsWith(name));

describe("a run of a delivery function", () => {
  test("with a mixed parcel: each delivery has its own outcome, and only the throttled one is kept and called again", async () => {
    const made = [];
    for (let number = 0; number < 24; number += 1)
      made.push(await world.subscriber(`shopper-${number}`, { channels: ["push"] }));
    const [throttled, gone] = made;
    if (throttled === undefined || gone === undefined) throw new Error("nobody");
    world.providers.removePushDevice(gone.deviceId);
    world.providers.control("push", {
      fault: "throttle",
      faultTo: throttled.deviceId,
      faultCount: 1,
      retryAfter: "seconds",
      retryAfterSeconds: 20,
    });
    const reminders = [];
    for (const { id } of made) reminders.push(await world.remind(id, { inMs: 30_000, channels: ["push"] }));
    await world.advance(120_000);
    const rows = (await Promise.all(reminders.map((reminder) => world.deliveries(reminder.id)))).flat();
    expect(rows[0]).toMatchObject({ state: "delivered", attempts: 2, throttles: 1, failures: 0 });
    expect(rows[1]).toMatchObject({ state: "expired", reason: "no_destination", attempts: 1 });
    for (const row of rows.slice(2)) expect(row).toMatchObject({ state: "delivered", attempts: 1 });
    const sizes = runsOf("deliver-push").map(
      (run) => (run.event.data as { deliveryIds: string[] }).deliveryIds.length,
    );
    expect(Math.max(...sizes)).toBeGreaterThan(1);
    expect(runsOf("deliver-push").every((run) => run.status === "completed")).toBe(true);
  });

  test("that is rerun from the dashboard meets the ledger: no call, and its output says so", async () => {
    const { id } = await world.subscriber("ada", { channels: ["email"] });
    await world.remind(id, { inMs: 30_000 });
    await world.advance(60_000);
    const [run] = runsOf("deliver-email");
    const again = world.engine.rerun(run?.id ?? "");
    await world.advance(60_000);
    expect(world.providers.ledger.calls("resend")).toHaveLength(1);
    const rerun = runsOf("deliver-email").find((one) => one.id === again);
    expect(rerun).toMatchObject({ status: "completed", attempt: 0 });
    expect(rerun?.output).toMatchObject({ settled: {}, refused: { duplicate: 1 }, wakeInMs: null });
  });

  test("does not hold a wait of over five minutes: the row goes back and the run ends well", async () => {
    const { id } = await world.subscriber("ada", { channels: ["email"] });
    world.providers.control("resend", { fault: "throttle", faultCount: 1, retryAfterSeconds: 301 });
    const reminder = await world.remind(id, { inMs: 30_000 });
    await world.advance(60_000);
    expect(runsOf("deliver-email").map((run) => [run.status, run.attempt])).toEqual([["completed", 0]]);
    await world.advance(330_000);
    expect((await world.deliveries(reminder.id))[0]).toMatchObject({ state: "delivered", attempts: 2 });
    expect(runsOf("deliver-email")).toHaveLength(2);
  });

  test("whose slots lie beyond its patience gives the rest back without a call and ends well", async () => {
    const { id } = await world.subscriber("ada", { channels: ["email"] });
    await world.remindMany(id, 20, { inMs: 10_000 });
    await world.advance(10_500);
    const slower = await setLimits("email:resend:main", { ceiling: 0.2 }, OPERATOR);
    if (!slower.ok) throw new Error("no partition");
    await ringPumps(slower.value.rings);
    await world.advance(4_000);
    const outputs = runsOf("deliver-email").map((run) => run.output as { returned?: number } | null);
    expect(outputs.some((output) => (output?.returned ?? 0) > 0)).toBe(true);
    expect(runsOf("deliver-email").every((run) => run.status === "completed")).toBe(true);
    const waiting = await rows<{ state: string; lastClass: string | null; attempts: number }>(
      database(),
      sql`select distinct state, last_class as "lastClass", attempt_count as attempts from deliveries
        where last_class = 'local_rate_limit'`,
    );
    expect(waiting).toEqual([{ state: "deferred", lastClass: "local_rate_limit", attempts: 0 }]);
    const faster = await setLimits("email:resend:main", { ceiling: 5 }, OPERATOR);
    if (faster.ok) await ringPumps(faster.value.rings);
    await world.advance(60_000);
    expect(world.accepted("resend")).toHaveLength(20);
    expect(new Set(world.accepted("resend")).size).toBe(20);
  });

  test("hands its rows back on the engine's last attempt and ends well; another run goes on", async () => {
    const { id } = await world.subscriber("ada", { channels: ["email"] });
    world.providers.control("resend", { fault: "throttle", faultCount: 12, retryAfterSeconds: 2 });
    const reminder = await world.remind(id, { inMs: 30_000 });
    await world.advance(180_000);
    const runs = runsOf("deliver-email");
    expect(runs.every((run) => run.status === "completed")).toBe(true);
    expect(Math.max(...runs.map((run) => run.calls.length))).toBeGreaterThanOrEqual(9);
    expect(runs.length).toBeGreaterThan(1);
    expect((await world.deliveries(reminder.id))[0]).toMatchObject({
      state: "delivered",
      attempts: 13,
      failures: 0,
    });
  });
});

test("a pump hands over before the engine's step limit, and the work goes on at its rate", async () => {
  const { id } = await world.subscriber("ada", { channels: ["sms"] });
  await world.remind(id, { inMs: 5_000, channels: ["sms"] });
  await world.advance(10_000);
  const [{ partition = "" } = {}] = await rows<{ partition: string }>(
    database(),
    sql`select partition from deliveries`,
  );
  const turned = await setLimits(partition, { ceiling: 0.2 }, OPERATOR);
  if (turned.ok) await ringPumps(turned.value.rings);
  await world.remindMany(id, 45, { inMs: 10_000, channels: ["sms"] });
  await world.advance(10_000 + 250_000);
  const pumps = runsOf("admit-deliveries");
  expect(pumps.map((run) => run.output)).toContainEqual({ ticks: 200, ended: "handed over" });
  expect(pumps.every((run) => run.steps.length <= 401)).toBe(true);
  expect(new Set(world.accepted("twilio")).size).toBe(46);
  const times = world.providers.ledger.calls("twilio").map((call) => call.at);
  expect(mostInOneSecond(times)).toBeLessThanOrEqual(2);
});

test("what a process wrongly believes of a meter holds up nobody: who gives up because of it asks the meter", async () => {
  const { id } = await world.subscriber("ada", { channels: ["email"] });
  await world.remind(id, { inMs: 10_000 });
  await world.advance(15_000);
  const [{ key = "" } = {}] = await rows<{ key: string }>(database(), sql`select key from partitions`);
  noteSlots(key, { roomInMs: 600_000, groupSize: 1, intervalMs: 1_000 });
  const before = world.engine.runs().length;
  await world.remindMany(id, 3, { inMs: 10_000 });
  await world.advance(15_000);
  expect(world.accepted("resend")).toHaveLength(4);
  expect(world.engine.runs().length - before).toBeLessThan(30);
});
