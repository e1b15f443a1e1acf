import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { database } from "../../../db/connection";
import { openDeliveries } from "../../../db/ledger/open";
import { finishReminder, noteOpened } from "../../../db/reminders/done";
import type { Channel } from "../../../db/rules/outcome";
import * as schema from "../../../db/schema";
import { setChannelWanted } from "../../../db/shoppers";
import { testClock } from "../../support/database";
import { emptyLedger, inMs, makeReminder, makeShopper } from "../../support/factories";
import { admitRows, claim, deliveriesOf, readDelivery, renderPayloads, settle } from "../../support/ledger";

beforeEach(emptyLedger);

const SHOP = { kind: "shop" } as const;
const MINUTE_MS = 60_000;

async function opened(options: {
  channels: Channel[];
  reachable?: Channel[];
  dueInMs?: number;
  reminder?: Partial<typeof schema.reminders.$inferInsert>;
  subscriber?: Partial<typeof schema.subscribers.$inferInsert>;
}) {
  const { channels, reachable = channels, dueInMs = 0, reminder: change } = options;
  const subscriber = await makeShopper({ channels: reachable, ...options.subscriber });
  const { reminder, occurrence } = await makeReminder({ subscriberId: subscriber.id, channels, dueInMs });
  if (change !== undefined)
    await database().update(schema.reminders).set(change).where(eq(schema.reminders.id, reminder.id));
  await renderPayloads(occurrence);
  await openDeliveries([occurrence.id]);
  return { id: reminder.id, subscriber, occurrence, rows: await deliveriesOf(occurrence.id) };
}

const byChannel = (rows: { channel: string; nextEligibleAt: Date | null }[]) =>
  Object.fromEntries(rows.map((row) => [row.channel, row.nextEligibleAt?.getTime()]));

describe("one channel, then the next", () => {
  test("the later ones are scheduled, each a step after the one before", async () => {
    const { rows } = await opened({ channels: ["push", "email", "sms"], reminder: { stepMinutes: 10 } });
    expect(byChannel(rows)).toEqual({
      push: testClock.nowMs(),
      email: testClock.nowMs() + 10 * MINUTE_MS,
      sms: testClock.nowMs() + 20 * MINUTE_MS,
    });
    expect(rows.find((row) => row.channel === "email")).toMatchObject({
      state: "scheduled",
      lastClass: "not_before",
    });
  });

  test("a channel that reaches nobody is not waited for", async () => {
    const { rows } = await opened({
      channels: ["push", "sms"],
      reachable: ["sms"],
      reminder: { stepMinutes: 10 },
    });
    expect(byChannel(rows)).toEqual({ push: undefined, sms: testClock.nowMs() });
  });

  test("opening it ends the later ones, also one that is about to be claimed", async () => {
    const { id, rows } = await opened({ channels: ["push", "sms"], reminder: { stepMinutes: 10 } });
    const sms = rows.find((row) => row.channel === "sms");
    const push = rows.find((row) => row.channel === "push");
    if (sms === undefined || push === undefined) throw new Error("not opened");
    // A moment before its time, when nothing has been sent, a look at its page answers nothing.
    await noteOpened(SHOP, id);
    expect(await readDelivery(push.id)).toMatchObject({ state: "scheduled" });
    expect(await readDelivery(sms.id)).toMatchObject({ state: "scheduled" });
    await database()
      .update(schema.deliveries)
      .set({ state: "delivered", nextEligibleAt: null, finishedAt: inMs(0) })
      .where(eq(schema.deliveries.id, push.id));
    await noteOpened(SHOP, id);
    expect(await readDelivery(sms.id)).toMatchObject({ state: "expired", reason: "answered" });
  });

  describe("when a channel cannot reach anybody, the next goes at once", () => {
    async function stepped() {
      const { rows } = await opened({ channels: ["push", "email", "sms"], reminder: { stepMinutes: 10 } });
      const [push, email, sms] = (["push", "email", "sms"] as const).map((channel) =>
        rows.find((row) => row.channel === channel),
      );
      if (push === undefined || email === undefined || sms === undefined) throw new Error("not opened");
      await admitRows([push.id]);
      const [claimed] = (await claim([push])).begun;
      if (claimed === undefined) throw new Error("not claimed");
      return { push, email, sms, claimed };
    }
    const later = { state: "scheduled", lastClass: "not_before" } as const;

    test("after a certain end", async () => {
      const { email, sms, claimed } = await stepped();
      await testClock.advance(1_000);
      const { awakened } = await settle(claimed, { class: "destination_rejected", disposition: "gone" });
      expect(await readDelivery(email.id)).toMatchObject({ state: "scheduled", lastClass: null });
      expect((await readDelivery(email.id)).nextEligibleAt).toEqual(inMs(0));
      expect(awakened).toEqual([email.partition]);
      // The one after it waits as planned.
      expect(await readDelivery(sms.id)).toMatchObject({ ...later, nextEligibleAt: sms.nextEligibleAt });
    });

    test("and not before the reminder is due", async () => {
      const { subscriber, rows } = await opened({
        ...{ channels: ["push", "email"], dueInMs: 2_000, reminder: { stepMinutes: 10 } },
      });
      const [push, email] = ["push", "email"].map((channel) => rows.find((row) => row.channel === channel));
      if (push === undefined || email === undefined) throw new Error("not opened");
      await setChannelWanted(subscriber.id, "reminders", "push", false);
      await admitRows([push.id]);
      expect((await claim([push])).awakened).toEqual([email.partition]);
      expect(await readDelivery(email.id)).toMatchObject({ lastClass: null, nextEligibleAt: inMs(2_000) });
    });

    test("not after a failure that is tried again, nor after one whose outcome nobody knows", async () => {
      const { email, claimed } = await stepped();
      const { awakened } = await settle(claimed, { class: "transient" });
      expect(awakened).toEqual([]);
      expect(await readDelivery(email.id)).toMatchObject({ ...later, nextEligibleAt: email.nextEligibleAt });
    });

    test("not when it was done meanwhile", async () => {
      const { push, email, claimed } = await stepped();
      await database()
        .update(schema.occurrences)
        .set({ answeredAt: inMs(0), answeredBy: "done" })
        .where(eq(schema.occurrences.id, push.occurrenceId ?? ""));
      const { awakened } = await settle(claimed, { class: "destination_rejected", disposition: "gone" });
      expect(awakened).toEqual([]);
      expect(await readDelivery(email.id)).toMatchObject(later);
    });
  });

  test("what was being sent when it was opened is not tried again after a refusal", async () => {
    const { id, rows } = await opened({ channels: ["email"], reminder: { stepMinutes: 10 } });
    const [email] = rows;
    if (email === undefined) throw new Error("no email");
    await admitRows([email.id]);
    await database()
      .update(schema.occurrences)
      .set({ answeredAt: inMs(0), answeredBy: "done" })
      .where(eq(schema.occurrences.reminderId, id));
    const outcome = await claim([email]);
    expect(outcome.begun).toEqual([]);
    expect(await readDelivery(email.id)).toMatchObject({ state: "expired", reason: "answered" });
  });
});

test("what goes out on all channels at once goes on when it is opened, and ends when it is done", async () => {
  const { id, rows } = await opened({ channels: ["push", "sms"] });
  await noteOpened(SHOP, id);
  expect((await deliveriesOf(rows[0]?.occurrenceId ?? "")).map((row) => row.state)).toEqual([
    "scheduled",
    "scheduled",
  ]);
  expect(await finishReminder(SHOP, id)).toMatchObject({ ok: true, value: { status: "done" } });
  expect((await deliveriesOf(rows[0]?.occurrenceId ?? "")).map((row) => row.reason)).toEqual([
    "answered",
    "answered",
  ]);
});

test("everything is held while its owner has paused everything, and nothing is dropped", async () => {
  const { rows } = await opened({
    channels: ["email"],
    subscriber: { pausedUntil: inMs(3_600_000) },
  });
  expect(rows).toMatchObject([{ state: "scheduled", lastClass: "paused", nextEligibleAt: inMs(3_600_000) }]);
});

test("one that its owner wants in quiet hours too goes through them, at its opening and at its claim", async () => {
  const quiet = { quietFrom: "12:00", quietUntil: "14:00" };
  const held = await opened({ channels: ["email"], subscriber: quiet });
  expect(held.rows).toMatchObject([{ lastClass: "quiet_hours" }]);
  const { rows } = await opened({
    channels: ["email"],
    subscriber: quiet,
    reminder: { throughQuiet: true },
  });
  const [email] = rows;
  if (email === undefined) throw new Error("no email");
  expect(email).toMatchObject({ lastClass: null, nextEligibleAt: inMs(0) });
  await admitRows([email.id]);
  expect((await claim([email])).begun).toHaveLength(1);
});

test("beyond the day's limit of a destination a message is held back, told so, and the others still go", async () => {
  const { subscriber } = await opened({ channels: ["email", "push"] });
  await database()
    .update(schema.destinations)
    .set({ dailyLimit: 1 })
    .where(eq(schema.destinations.channel, "email"));
  const again = async () => {
    const { occurrence } = await makeReminder({
      subscriberId: subscriber.id,
      channels: ["email", "push"],
      dueInMs: 0,
    });
    await renderPayloads(occurrence);
    await openDeliveries([occurrence.id]);
    const rows = await deliveriesOf(occurrence.id);
    return Object.fromEntries(rows.map((row) => [row.channel, row.reason ?? row.state]));
  };
  expect(await again()).toEqual({ email: "capped", push: "scheduled" });
  await testClock.advance(25 * 3_600_000);
  expect(await again()).toEqual({ email: "scheduled", push: "scheduled" });
});

test("what the shop calls moot is born answered", async () => {
  const subscriber = await makeShopper({ channels: ["email"] });
  const { occurrence } = await makeReminder({ subscriberId: subscriber.id, dueInMs: 0 });
  await database()
    .update(schema.occurrences)
    .set({ answeredAt: inMs(0), answeredBy: "shop" })
    .where(eq(schema.occurrences.id, occurrence.id));
  await renderPayloads(occurrence);
  await openDeliveries([occurrence.id]);
  expect(await deliveriesOf(occurrence.id)).toMatchObject([{ state: "expired", reason: "answered" }]);
});
