import { sql } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { rows, transact } from "../../db/connection";
import { World } from "../support/world";

let world: World;

beforeEach(async () => {
  world = await World.start(Date.UTC(2031, 4, 5, 9, 0, 0));
});

afterEach(() => {
  world.close();
});

/** What the inbox shows of emails, oldest first. */
const subjects = () =>
  world.providers
    .messages({ channel: "email" })
    .map((message) => (message as { subject?: string }).subject)
    .reverse();

describe("an edit delivers only the new version, once", () => {
  test("while the occurrence waits", async () => {
    const { id } = await world.subscriber();
    const reminder = await world.remind(id, { inMs: 60_000, title: "old" });
    await world.advance(20_000);
    await world.edit(reminder.id, { title: "new", dueAt: new Date(world.nowMs() + 30_000).toISOString() });
    await world.advance(180_000);
    expect(subjects()).toEqual(["new"]);
    expect((await world.deliveries(reminder.id)).map((row) => row.version)).toEqual([2]);
  });

  test("while it is admitted already and its run waits for the instant", async () => {
    const { id } = await world.subscriber();
    const reminder = await world.remind(id, { inMs: 60_000, title: "old" });
    await world.advance(59_000);
    await world.edit(reminder.id, { title: "new" });
    await world.advance(120_000);
    expect(subjects()).toEqual(["new"]);
    expect(await world.deliveries(reminder.id)).toHaveLength(1);
  });

  test("while it is admitted already and moves to a later time: nothing leaves before it", async () => {
    const { id } = await world.subscriber();
    const reminder = await world.remind(id, { inMs: 60_000, title: "old" });
    await world.advance(59_000);
    const edited = await world.edit(reminder.id, { dueAt: new Date(world.nowMs() + 600_000).toISOString() });
    await world.advance(599_999);
    expect(world.accepted("resend")).toHaveLength(0);
    await world.advance(60_000);
    expect(world.accepted("resend")).toHaveLength(1);
    expect(world.providers.ledger.calls("resend")[0]?.at).toBeGreaterThanOrEqual(Date.parse(edited.dueAt));
  });

  test("while quiet hours hold it", async () => {
    const { id } = await world.subscriber();
    // 11:00 in Berlin; quiet until noon.
    await transact((tx) =>
      rows(
        tx,
        sql`update subscribers set quiet_from = '10:00', quiet_until = '12:00' where id = ${id}::uuid`,
      ),
    );
    const reminder = await world.remind(id, { inMs: 60_000, title: "old" });
    await world.advance(120_000);
    expect((await world.deliveries(reminder.id))[0]).toMatchObject({
      state: "scheduled",
      lastClass: "quiet_hours",
    });
    await world.edit(reminder.id, { title: "new" });
    await world.advance(3_400_000);
    expect(world.accepted("resend")).toHaveLength(0);
    await world.advance(180_000);
    expect(subjects()).toEqual(["new"]);
  });

  test("while a throttled delivery waits for the provider's time: it gives way to a new occurrence", async () => {
    const { id } = await world.subscriber();
    world.providers.control("resend", {
      fault: "throttle",
      faultCount: 1,
      retryAfter: "seconds",
      retryAfterSeconds: 60,
    });
    const reminder = await world.remind(id, { inMs: 30_000, title: "old" });
    await world.advance(40_000);
    await world.edit(reminder.id, { title: "new" });
    await world.advance(180_000);
    expect(subjects()).toEqual(["new"]);
    const calls = world.providers.ledger.calls("resend");
    expect((calls[1]?.at ?? 0) - (calls[0]?.at ?? 0)).toBeGreaterThanOrEqual(60_000);
    expect((await world.deliveries(reminder.id)).map(({ state, reason }) => [state, reason])).toEqual([
      ["expired", "superseded"],
      ["delivered", null],
    ]);
  });
});

test("snoozing a delivered reminder delivers it again, under a key of its own", async () => {
  const { id } = await world.subscriber();
  const reminder = await world.remind(id, { inMs: 30_000, channels: ["email", "push"] });
  await world.advance(60_000);
  await world.snooze(reminder.id, 10);
  await world.advance(599_000);
  expect(world.accepted("resend")).toHaveLength(1);
  await world.advance(60_000);
  expect(new Set(world.accepted("resend")).size).toBe(2);
  expect(new Set(world.accepted("push")).size).toBe(2);
});

test("snoozing a reminder that is about to be sent sends it at the new time only", async () => {
  const { id } = await world.subscriber();
  const reminder = await world.remind(id, { inMs: 30_000 });
  await world.advance(29_500);
  await world.snooze(reminder.id, 10);
  await world.advance(590_000);
  expect(world.accepted("resend")).toHaveLength(0);
  await world.advance(60_000);
  expect(world.accepted("resend")).toHaveLength(1);
});

test("a cancel one second before the due instant wins on every channel", async () => {
  const { id } = await world.subscriber();
  const reminder = await world.remind(id, { inMs: 30_000, channels: ["email", "sms", "push"] });
  await world.advance(29_000);
  const { channels } = await world.cancel(reminder.id);
  expect(channels.map((row) => row.outcome)).toEqual(["cancelled", "cancelled", "cancelled"]);
  await world.advance(300_000);
  expect(world.providers.ledger.summary().accepted).toBe(0);
});

test("a cancel after the call has begun says too_late, and the reminder arrives", async () => {
  const { id } = await world.subscriber();
  world.providers.control("resend", { latencyMs: 400 });
  const reminder = await world.remind(id, { inMs: 30_000, channels: ["email", "sms"] });
  await world.advance(30_200);
  const { channels } = await world.cancel(reminder.id);
  expect(channels).toEqual([
    { channel: "email", outcome: "too_late" },
    { channel: "sms", outcome: "already_sent" },
  ]);
  await world.advance(60_000);
  expect(world.accepted("resend")).toHaveLength(1);
});

test("after an outage a shopper gets the newest of several snoozes, not all of them", async () => {
  const { id } = await world.subscriber();
  world.providers.control("resend", { fault: "throttle", retryAfter: "seconds", retryAfterSeconds: 3_600 });
  // Somebody else's reminder closes the provider's gate.
  const other = await world.subscriber("bob");
  await world.remind(other.id, { inMs: 10_000 });
  await world.advance(20_000);
  const reminder = await world.remind(id, { inMs: 10_000 });
  await world.advance(60_000);
  await world.snooze(reminder.id, 5);
  await world.advance(600_000);
  world.providers.control("resend", { fault: null });
  await world.advance(7_200_000);
  const mine = await world.deliveries(reminder.id);
  expect(mine.map(({ state, reason }) => [state, reason])).toEqual([
    ["expired", "superseded"],
    ["delivered", null],
  ]);
});
