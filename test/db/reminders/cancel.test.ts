import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { database } from "../../../db/connection";
import { cancelReminder } from "../../../db/reminders/cancel";
import { finishReminder } from "../../../db/reminders/done";
import { editReminder } from "../../../db/reminders/edit";
import { pauseReminder, restoreReminder, resumeReminder } from "../../../db/reminders/pause";
import { snoozeReminder } from "../../../db/reminders/snooze";
import type { Channel } from "../../../db/rules/outcome";
import * as schema from "../../../db/schema";
import { testClock } from "../../support/database";
import {
  type DeliveryOptions,
  emptyLedger,
  inMs,
  makeDelivery,
  makeReminder,
  makeShopper,
} from "../../support/factories";
import { ACCEPTED, admitRows, begin, claim, readDelivery, readOutbox, settle } from "../../support/ledger";

beforeEach(emptyLedger);

const SHOP = { kind: "shop" } as const;

async function cancel(id: string): Promise<Record<string, string>> {
  const result = await cancelReminder(SHOP, id);
  if (!result.ok) throw new Error(JSON.stringify(result.problem));
  return Object.fromEntries(result.value.channels.map(({ channel, outcome }) => [channel, outcome]));
}

async function readStatus(id: string): Promise<string | undefined> {
  const [row] = await database().select().from(schema.reminders).where(eq(schema.reminders.id, id));
  return row?.status;
}

/** An opened reminder with one delivery per entry. */
async function makeOpened(deliveries: DeliveryOptions[]) {
  const channels = [...new Set(deliveries.map((row) => row.channel ?? "email"))] as Channel[];
  const subscriber = await makeShopper({ channels });
  const { reminder, occurrence } = await makeReminder({
    subscriberId: subscriber.id,
    channels,
    dueInMs: 0,
    state: "opened",
  });
  const made = [];
  for (const options of deliveries) {
    made.push(await makeDelivery({ subscriberId: subscriber.id, occurrenceId: occurrence.id, ...options }));
  }
  return { reminder, occurrence, deliveries: made };
}

test("before anything is opened the occurrence is cancelled with it", async () => {
  const { reminder, occurrence } = await makeReminder({ channels: ["email", "sms"] });
  expect(await cancel(reminder.id)).toEqual({ email: "cancelled", sms: "cancelled" });
  const [row] = await database()
    .select()
    .from(schema.occurrences)
    .where(eq(schema.occurrences.id, occurrence.id));
  expect(row?.state).toBe("cancelled");
  const [stored] = await database()
    .select()
    .from(schema.reminders)
    .where(eq(schema.reminders.id, reminder.id));
  expect(stored).toMatchObject({ status: "cancelled", cancelledAt: inMs(0), updatedAt: inMs(0) });
});

test.each([
  ["paused", pauseReminder],
  ["done", finishReminder],
] as const)(
  "one that is %s is cancelled as well: nothing but taking the cancel back brings it again",
  async (_, verb) => {
    const { reminder } = await makeReminder({ channels: ["email"] });
    expect(await verb(SHOP, reminder.id)).toMatchObject({ ok: true });
    expect(await cancel(reminder.id)).toEqual({ email: "cancelled" });
    expect(await readStatus(reminder.id)).toBe("cancelled");
    const dueAt = inMs(120_000).toISOString();
    expect(await resumeReminder(SHOP, reminder.id)).toMatchObject({ ok: false });
    expect(await editReminder(SHOP, reminder.id, { dueAt }, async () => [])).toMatchObject({ ok: false });
    expect(await restoreReminder(SHOP, reminder.id)).toMatchObject({ ok: true });
    expect(await readStatus(reminder.id)).toBe("active");
  },
);

describe("deliveries", () => {
  test.each(["scheduled", "ready", "deferred"] as const)(
    "%s: ends as cancelled, its admission gone",
    async (state) => {
      const { reminder, deliveries } = await makeOpened([{ state }]);
      const [row] = deliveries;
      await admitRows([row?.id ?? ""]);
      expect(await cancel(reminder.id)).toEqual({ email: "cancelled" });
      expect(await readDelivery(row?.id ?? "")).toMatchObject({
        state: "expired",
        reason: "cancelled",
        finishedAt: inMs(0),
        admissionId: null,
        keptBy: null,
      });
      if (row !== undefined) expect((await claim([row])).refused[0]?.reason).toBe("duplicate");
    },
  );

  test("kept by a run over a provider's wait: ends, and the run finds nothing", async () => {
    const kept = {
      state: "deferred",
      keptBy: "run-1",
      keptUntil: inMs(20_000),
      nextEligibleAt: inMs(5000),
    } as const;
    const { reminder, deliveries } = await makeOpened([kept]);
    expect(await cancel(reminder.id)).toEqual({ email: "cancelled" });
    await testClock.advance(5000);
    expect(await claim(deliveries)).toMatchObject({ begun: [], refused: [{ reason: "duplicate" }] });
  });

  test("being sent: too late for that channel, and the row is not moved; the others are cancelled", async () => {
    const { reminder, deliveries } = await makeOpened([{ state: "sending" }, { channel: "sms" }]);
    expect(await cancel(reminder.id)).toEqual({ email: "too_late", sms: "cancelled" });
    expect(await readDelivery(deliveries[0]?.id ?? "")).toEqual(deliveries[0]);
  });

  test("being sent and then refused: not tried again; accepted stays accepted", async () => {
    for (const outcome of [{ class: "transient" } as const, ACCEPTED]) {
      const { reminder, deliveries } = await makeOpened([{}]);
      const [row] = deliveries;
      if (row === undefined) throw new Error("no row");
      await admitRows([row.id]);
      const claimed = await begin(row);
      expect(await cancel(reminder.id)).toEqual({ email: "too_late" });
      await settle(claimed, outcome);
      const expected =
        outcome === ACCEPTED ? { state: "delivered" } : { state: "expired", reason: "cancelled" };
      expect(await readDelivery(row.id)).toMatchObject(expected);
    }
  });

  test("with an unknown outcome: nothing more is sent, and the answer does not say that nothing was", async () => {
    const { reminder, deliveries } = await makeOpened([{ state: "deferred", unresolvedSince: inMs(-500) }]);
    expect(await cancel(reminder.id)).toEqual({ email: "outcome_unknown" });
    expect(await readDelivery(deliveries[0]?.id ?? "")).toMatchObject({
      state: "dead",
      reason: "outcome_unknown",
      wish: "cancelled",
    });
    expect(await readOutbox("delivery/dead")).toHaveLength(1);
  });

  test("ended: the answer says how", async () => {
    const sent = await makeOpened([{ state: "delivered" }]);
    expect(await cancel(sent.reminder.id)).toEqual({ email: "already_sent" });
    const dead = await makeOpened([{ state: "dead" }]);
    expect(await cancel(dead.reminder.id)).toEqual({ email: "already_ended" });
    expect(await readDelivery(dead.deliveries[0]?.id ?? "")).toEqual(dead.deliveries[0]);
  });
});

test("several devices: one that is being sent makes the channel too late, and those that wait end", async () => {
  const push = { channel: "push" } as const;
  const { reminder, deliveries } = await makeOpened([
    { ...push, state: "sending" },
    { ...push, state: "ready" },
    { ...push, state: "delivered" },
  ]);
  expect(await cancel(reminder.id)).toEqual({ push: "too_late" });
  const states = await Promise.all(deliveries.map(async ({ id }) => (await readDelivery(id)).state));
  expect(states).toEqual(["sending", "expired", "delivered"]);
});

test("cancelled twice, or twenty times at once, is cancelled once and says the same", async () => {
  const { reminder, deliveries } = await makeOpened([{}, { channel: "sms", state: "sending" }]);
  const answers = await Promise.all(Array.from({ length: 20 }, () => cancel(reminder.id)));
  for (const answer of answers) expect(answer).toEqual({ email: "cancelled", sms: "too_late" });
  await testClock.advance(1000);
  expect(await cancel(reminder.id)).toEqual({ email: "cancelled", sms: "too_late" });
  expect(await readDelivery(deliveries[0]?.id ?? "")).toMatchObject({ finishedAt: inMs(-1000) });
});

test("a snoozed reminder that was sent before is cancelled, for it is the next time that counts", async () => {
  const { reminder } = await makeOpened([{ state: "delivered" }]);
  expect((await snoozeReminder(SHOP, reminder.id, { minutes: 10 })).ok).toBe(true);
  expect(await cancel(reminder.id)).toEqual({ email: "cancelled" });
});

test("somebody else's reminder is as absent as one that does not exist", async () => {
  const { reminder, deliveries } = await makeOpened([{}]);
  const stranger = await makeShopper();
  const absent = { ok: false, problem: { code: "not_found", what: "reminder" } };
  expect(await cancelReminder({ kind: "subscriber", subscriberId: stranger.id }, reminder.id)).toEqual(
    absent,
  );
  expect(await cancelReminder(SHOP, "00000000-0000-4000-8000-000000000000")).toEqual(absent);
  expect(await cancelReminder(SHOP, "'; drop table reminders")).toEqual(absent);
  expect(await readDelivery(deliveries[0]?.id ?? "")).toEqual(deliveries[0]);
});
