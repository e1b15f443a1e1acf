import { afterEach, beforeEach, expect, test } from "vitest";
import { World } from "../support/world";

let world: World;

beforeEach(async () => {
  world = await World.start(Date.UTC(2031, 4, 5, 9, 0, 0));
});

afterEach(() => {
  world.close();
});

test("a reminder arrives once on each of its channels, at its due instant and not a moment before", async () => {
  const { id } = await world.subscriber("ada");
  const reminder = await world.remind(id, { inMs: 60_250, channels: ["email", "sms", "push"] });
  await world.advance(60_249);
  expect(world.providers.ledger.summary().accepted).toBe(0);
  await world.advance(2_000);
  for (const provider of ["resend", "twilio", "push"] as const)
    expect(world.accepted(provider)).toHaveLength(1);
  const deliveries = await world.deliveries(reminder.id);
  expect(deliveries.map(({ channel, state, attempts }) => ({ channel, state, attempts }))).toEqual([
    { channel: "email", state: "delivered", attempts: 1 },
    { channel: "sms", state: "delivered", attempts: 1 },
    { channel: "push", state: "delivered", attempts: 1 },
  ]);
  for (const call of world.providers.ledger.calls()) {
    expect(call.at).toBeGreaterThanOrEqual(Date.parse(reminder.dueAt));
  }
});

test.each([3_400, 3_999, 4_001, 4_400, 4_950, 5_100])(
  "a reminder that is set %i ms before its instant leaves at that instant, wherever its second begins",
  async (inMs) => {
    const { id } = await world.subscriber("ada");
    for (const offsetMs of [0, 50, 650]) {
      await world.advance(1_000 + offsetMs);
      const before = world.providers.ledger.calls().length;
      const { dueAt } = await world.remind(id, { inMs, channels: ["email"] });
      await world.advance(inMs + 500);
      const calls = world.providers.ledger.calls().slice(before);
      expect(calls.map((call) => call.at - Date.parse(dueAt))).toEqual([0]);
    }
  },
);
