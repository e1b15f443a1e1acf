import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { DUE_AHEAD_MS } from "../../db/rules/slots";
import { expectConsole } from "../support/console";
import { World } from "../support/world";

let world: World;

beforeEach(async () => {
  world = await World.start(Date.UTC(2031, 4, 5, 9, 0, 0));
});

afterEach(() => {
  world.close();
});

describe("kill -9 of the app while the provider has accepted and the answer is on its way", () => {
  async function killInCall(channel: "email" | "sms" | "push") {
    const provider = { email: "resend", sms: "twilio", push: "push" } as const;
    const { id } = await world.subscriber();
    world.providers.control(provider[channel], { latencyMs: 400 });
    const reminder = await world.remind(id, { inMs: 30_000, channels: [channel] });
    await world.advance(30_300);
    world.killApp();
    await world.advance(8_000);
    await world.restartApp();
    await world.advance(120_000);
    const [delivery] = await world.deliveries(reminder.id);
    return { delivery, calls: world.providers.ledger.calls(provider[channel]) };
  }

  test("email: accepted once, because the repeat carries the same key and bytes", async () => {
    const { delivery, calls } = await killInCall("email");
    expect(delivery).toMatchObject({ state: "delivered", attempts: 2 });
    expect(calls.filter((call) => call.accepted)).toHaveLength(1);
    expect(new Set(calls.map((call) => call.key)).size).toBe(1);
  });

  test("SMS: accepted once, and the ledger says that the outcome is unknown", async () => {
    const { delivery, calls } = await killInCall("sms");
    expect(delivery).toMatchObject({ state: "dead", reason: "outcome_unknown", attempts: 1 });
    expect(calls.filter((call) => call.accepted)).toHaveLength(1);
  });

  test("push: the repeat replaces the first under the same topic", async () => {
    const { delivery, calls } = await killInCall("push");
    expect(delivery).toMatchObject({ state: "delivered", attempts: 2 });
    expect(calls.filter((call) => call.accepted)).toHaveLength(2);
    expect(new Set(calls.map((call) => call.key)).size).toBe(1);
  });
});

test("kill -9 between the due time's wake-up and the send: the sweep at the start finds the rest, sent once", async () => {
  const { id } = await world.subscriber();
  const reminder = await world.remind(id, { inMs: 30_000, channels: ["email", "sms", "push"] });
  // The wait run wakes about two seconds before; its deliveries are open and wait for their instant.
  await world.advance(29_000);
  world.killApp();
  await world.advance(20_000);
  await world.restartApp();
  await world.advance(60_000);
  for (const provider of ["resend", "twilio", "push"] as const)
    expect(world.accepted(provider)).toHaveLength(1);
  expect((await world.deliveries(reminder.id)).map((row) => row.state)).toEqual([
    "delivered",
    "delivered",
    "delivered",
  ]);
});

test("recovery after a kill in the middle of a call takes less than 45 s", async () => {
  const { id } = await world.subscriber();
  world.providers.control("resend", { latencyMs: 400 });
  await world.remind(id, { inMs: 30_000 });
  await world.advance(30_200);
  world.killApp();
  const killedAtMs = world.nowMs();
  // Accepted by the provider all the same; forget that, so that the second acceptance is the one that counts.
  world.providers.control("resend", { latencyMs: 20 });
  await world.advance(10_000);
  await world.restartApp();
  await world.advance(60_000);
  const second = world.providers.ledger.calls("resend")[1];
  expect(second?.status).toBe(200);
  expect((second?.at ?? Number.POSITIVE_INFINITY) - killedAtMs).toBeLessThan(45_000);
});

test("a lease that ends after the external call: the late answer of the stalled process is positive evidence, sent once", async () => {
  const { id } = await world.subscriber();
  // No callback tells it before.
  world.providers.control("twilio", { receipts: "absent" });
  const reminder = await world.remind(id, { inMs: 30_000, channels: ["sms"] });
  await world.advance(30_010);
  const goOn = world.app.stall();
  await world.advance(60_000);
  expect((await world.deliveries(reminder.id))[0]).toMatchObject({
    state: "dead",
    reason: "outcome_unknown",
  });
  goOn();
  await world.advance(5_000);
  expect((await world.deliveries(reminder.id))[0]).toMatchObject({ state: "delivered", attempts: 1 });
  expect(world.accepted("twilio")).toHaveLength(1);
});

test.each(["email", "sms", "push"] as const)(
  "%s: a process that stands still right after its claim makes no call when its lease may be over",
  async (channel) => {
    const { id } = await world.subscriber();
    const reminder = await world.remind(id, { inMs: 30_000, channels: [channel] });
    await world.advance(29_000);
    let goOn: (() => void) | null = null;
    world.app.onCrossing = ({ effect, moment }) => {
      const isClaim = (new Error().stack ?? "").includes("deliverParcel");
      if (
        goOn === null &&
        isClaim &&
        effect === "transaction" &&
        moment === "after" &&
        world.nowMs() >= dueAtMs - DUE_AHEAD_MS
      )
        goOn = world.app.stall();
    };
    const dueAtMs = Date.parse(reminder.dueAt);
    await world.advance(71_000);
    expect(goOn).not.toBeNull();
    const before = world.providers.ledger.calls().length;
    (goOn as (() => void) | null)?.();
    await world.advance(60_000);
    // Whatever became of the delivery meanwhile, the late process adds nothing.
    expect(world.providers.ledger.calls()).toHaveLength(before);
    const [delivery] = await world.deliveries(reminder.id);
    expect(delivery).toMatchObject(
      channel === "sms" ? { state: "dead", reason: "outcome_unknown" } : { state: "delivered", attempts: 2 },
    );
  },
);

describe("an engine that forgets everything", () => {
  test.each([
    ["a minute before the due time", 20_000, 90_000],
    ["just before the run would wake", 86_000, 90_000],
    ["an hour before", 5_000, 3_600_000],
  ])("%s: still delivered once", async (_when, forgetAfterMs, inMs) => {
    const { id } = await world.subscriber();
    const reminder = await world.remind(id, { inMs, channels: ["email", "sms", "push"] });
    await world.advance(forgetAfterMs);
    await world.forgetEngine();
    await world.advance(inMs - forgetAfterMs + 120_000);
    for (const provider of ["resend", "twilio", "push"] as const)
      expect(world.accepted(provider)).toHaveLength(1);
    expect((await world.deliveries(reminder.id)).map((row) => row.state)).toEqual([
      "delivered",
      "delivered",
      "delivered",
    ]);
  });

  test("while a throttled delivery waits: it is still sent after the provider's time, once", async () => {
    const { id } = await world.subscriber();
    world.providers.control("resend", {
      fault: "throttle",
      faultCount: 1,
      retryAfter: "seconds",
      retryAfterSeconds: 40,
    });
    const reminder = await world.remind(id, { inMs: 30_000 });
    await world.advance(40_000);
    await world.forgetEngine();
    await world.advance(180_000);
    const calls = world.providers.ledger.calls("resend");
    expect(calls.map((call) => call.status)).toEqual([429, 200]);
    expect((calls[1]?.at ?? 0) - (calls[0]?.at ?? 0)).toBeGreaterThanOrEqual(40_000);
    expect((await world.deliveries(reminder.id))[0]).toMatchObject({ state: "delivered", failures: 0 });
  });
});

test("the engine cannot be reached at creation: stored, and delivered once when it is back", async () => {
  expectConsole(/engine refused events/);
  const { id } = await world.subscriber();
  world.engineDown = true;
  const reminder = await world.remind(id, { inMs: 60_000 });
  await world.advance(30_000);
  world.engineDown = false;
  await world.advance(180_000);
  expect(world.accepted("resend")).toHaveLength(1);
  expect((await world.deliveries(reminder.id))[0]).toMatchObject({ state: "delivered", attempts: 1 });
});

test("every answer of the app is lost once: steps run again, each delivery is accepted once", async () => {
  const { id } = await world.subscriber();
  const lost = new Set<string>();
  world.engine.faults.onResponse = (call) => {
    const name = JSON.stringify(call);
    if (lost.has(name)) return "deliver";
    lost.add(name);
    return "drop";
  };
  const reminder = await world.remind(id, { inMs: 60_000, channels: ["email", "sms", "push"] });
  await world.advance(600_000);
  expect(lost.size).toBeGreaterThan(5);
  for (const provider of ["resend", "twilio", "push"] as const)
    expect(world.accepted(provider)).toHaveLength(1);
  expect((await world.deliveries(reminder.id)).map((row) => row.state)).toEqual([
    "delivered",
    "delivered",
    "delivered",
  ]);
});

test.each([
  ["twice and late", [0, 700, 2_500]],
  ["a hundred times, before and after the instant", Array.from({ length: 100 }, (_, index) => index * 900)],
])("events that arrive %s start nothing twice", async (_how, delays) => {
  const { id } = await world.subscriber();
  world.engine.faults.onEvent = () => delays;
  await world.remind(id, { inMs: 60_000, channels: ["email", "sms", "push"] });
  await world.advance(180_000);
  for (const provider of ["resend", "twilio", "push"] as const)
    expect(world.accepted(provider)).toHaveLength(1);
});
