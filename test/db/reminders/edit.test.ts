import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { database } from "../../../db/connection";
import { openDeliveries } from "../../../db/ledger/open";
import { cancelReminder } from "../../../db/reminders/cancel";
import { editReminder, type RenderReminder } from "../../../db/reminders/edit";
import type { EditReminderBody } from "../../../db/rules/api-schemas";
import type { Channel } from "../../../db/rules/outcome";
import { DUE_AHEAD_MS } from "../../../db/rules/slots";
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
import {
  ACCEPTED,
  admitRows,
  begin,
  claim,
  contentOf,
  occurrencesOf,
  readDelivery,
  readOutbox,
  renderPayloads,
  settle,
} from "../../support/ledger";

beforeEach(emptyLedger);

const SHOP = { kind: "shop" } as const;
const HOUR_MS = 3_600_000;

const render: RenderReminder = async (reminder) =>
  reminder.channels.map((channel) => ({ channel, content: { text: reminder.title }, cost: 1 }));

async function edit(id: string, patch: EditReminderBody) {
  const result = await editReminder(SHOP, id, patch, render);
  if (!result.ok) throw new Error(JSON.stringify(result.problem));
  return result.value;
}

/** An opened reminder, due an hour ago, with one delivery per entry. */
async function makeOpened(deliveries: DeliveryOptions[], channels: Channel[] = ["email"]) {
  const subscriber = await makeShopper();
  const due = { subscriberId: subscriber.id, channels, dueInMs: -HOUR_MS, state: "opened" } as const;
  const { reminder, occurrence } = await makeReminder(due);
  const made = [];
  for (const options of deliveries) {
    made.push(
      await makeDelivery({
        subscriberId: subscriber.id,
        occurrenceId: occurrence.id,
        scheduledAt: inMs(-HOUR_MS),
        ...options,
      }),
    );
  }
  return { id: reminder.id, occurrence, deliveries: made, ids: made.map((row) => row.id) };
}

const UNTRIED: DeliveryOptions = {
  attemptCount: 0,
  token: 0,
  failureCount: 0,
  firstAttemptAt: null,
  latestAttemptAt: null,
  contentHash: null,
};

describe("before anything is opened", () => {
  test("the occurrence is changed in place; a new time is armed", async () => {
    const { reminder, occurrence } = await makeReminder({ channels: ["email", "sms"] });
    const dueAt = inMs(2 * HOUR_MS).toISOString();
    const view = await edit(reminder.id, { title: "Water them twice", dueAt, channels: ["email"] });
    expect(view).toMatchObject({ title: "Water them twice", dueAt, channels: ["email"], version: 2 });
    const [row, ...more] = await occurrencesOf(reminder.id);
    expect(more).toEqual([]);
    expect(row).toMatchObject({
      id: occurrence.id,
      version: 2,
      channels: ["email"],
      dueAt: inMs(2 * HOUR_MS),
      state: "waiting",
    });
    const armed = await readOutbox("reminder/scheduled");
    expect(armed.map((event) => event.eventId)).toEqual([`due:${inMs(2 * HOUR_MS).getTime() / 1000}:g1`]);
  });

  test("an edit of the content arms nothing, and an edit that changes nothing is no new version", async () => {
    const { reminder } = await makeReminder();
    await edit(reminder.id, { note: "The ferns too" });
    expect(await edit(reminder.id, { note: "The ferns too" })).toMatchObject({ version: 2 });
    expect(await readOutbox("reminder/scheduled")).toEqual([]);
  });
});

describe("untried deliveries are re-pointed in place, same key", () => {
  test("held by quiet hours: the new version goes when they end", async () => {
    const held = { state: "scheduled", lastClass: "quiet_hours", nextEligibleAt: inMs(2 * HOUR_MS) } as const;
    const { id, deliveries, ids } = await makeOpened([held]);
    await edit(id, { title: "New words" });
    expect(await readDelivery(ids[0] ?? "")).toMatchObject({
      key: deliveries[0]?.key,
      state: "scheduled",
      version: 2,
      lastClass: "quiet_hours",
      nextEligibleAt: inMs(2 * HOUR_MS),
    });
    expect(await contentOf(ids[0] ?? "")).toMatchObject({ text: "New words" });
    expect(await occurrencesOf(id)).toHaveLength(1);
  });

  test("already admitted: the admission is dropped, and the run that has it finds nothing", async () => {
    const { id, deliveries, ids } = await makeOpened([{ state: "ready" }]);
    await admitRows(ids);
    await edit(id, { title: "New words" });
    expect((await claim(deliveries)).refused).toEqual([{ deliveryId: ids[0], reason: "not_admitted" }]);
    expect(await readDelivery(ids[0] ?? "")).toMatchObject({
      state: "scheduled",
      nextEligibleAt: inMs(0),
      pass: null,
    });
    await admitRows(ids);
    expect((await begin(await readDelivery(ids[0] ?? ""))).content).toMatchObject({ text: "New words" });
  });

  test("to another time: scheduled there, useful from there, and not a moment sooner", async () => {
    const limited = { ...UNTRIED, state: "deferred", lastClass: "local_rate_limit", pass: 3 } as const;
    const { id, ids } = await makeOpened([limited]);
    await edit(id, { dueAt: inMs(HOUR_MS).toISOString(), expiresAfterSeconds: 600 });
    expect(await readDelivery(ids[0] ?? "")).toMatchObject({
      state: "scheduled",
      lastClass: null,
      scheduledAt: inMs(HOUR_MS),
      nextEligibleAt: inMs(HOUR_MS),
      expiresAt: inMs(HOUR_MS + 600_000),
      pass: null,
    });
    await admitRows(ids);
    expect(await claim([await readDelivery(ids[0] ?? "")])).toMatchObject({
      begun: [],
      laterInMs: HOUR_MS - DUE_AHEAD_MS,
    });
  });

  test("of a removed channel: cancelled", async () => {
    const { id, ids } = await makeOpened([{}, { channel: "sms" }], ["email", "sms"]);
    await edit(id, { channels: ["email"] });
    expect(await readDelivery(ids[1] ?? "")).toMatchObject({ state: "expired", reason: "cancelled" });
    expect(await readDelivery(ids[0] ?? "")).toMatchObject({ state: "scheduled", version: 2 });
  });
});

describe("what was attempted", () => {
  test("and waits after a 429 is superseded; a new occurrence delivers the new version, once", async () => {
    const throttled = {
      state: "deferred",
      lastClass: "throttled",
      nextEligibleAt: inMs(5000),
      keptBy: "run-1",
      keptUntil: inMs(15_000),
    } as const;
    const { id, deliveries, ids, occurrence } = await makeOpened([throttled]);
    await edit(id, { title: "New words" });
    expect(await readDelivery(ids[0] ?? "")).toMatchObject({ state: "expired", reason: "superseded" });
    const [old, next] = await occurrencesOf(id);
    expect(old?.id).toBe(occurrence.id);
    expect(next).toMatchObject({
      number: 2,
      origin: "edit",
      channels: ["email"],
      version: 2,
      state: "waiting",
      dueAt: occurrence.dueAt,
    });
    await testClock.advance(5000);
    expect((await claim(deliveries)).refused[0]?.reason).toBe("duplicate");
    if (next === undefined) throw new Error("no occurrence");
    await renderPayloads(next);
    expect(await openDeliveries([next.id])).toMatchObject({ opened: 1, deliveries: 1 });
    expect(await openDeliveries([next.id])).toMatchObject({ opened: 0 });
  });

  test("and is being sent finishes as it began: an edit of the content comes too late", async () => {
    const { id, deliveries, ids } = await makeOpened([{ state: "ready" }]);
    await admitRows(ids);
    const claimed = await begin(await readDelivery(ids[0] ?? ""));
    const result = await editReminder(SHOP, id, { title: "New words" }, render);
    expect(result).toMatchObject({ ok: false, problem: { code: "too_late" } });
    await settle(claimed, ACCEPTED);
    expect(await readDelivery(ids[0] ?? "")).toMatchObject({ state: "delivered", version: 1 });
    expect(deliveries[0]?.version).toBe(1);
    const [stored] = await database().select().from(schema.reminders).where(eq(schema.reminders.id, id));
    expect(stored).toMatchObject({ title: "Water the plants", version: 1 });
  });

  test("and was sent, or is being sent, comes again at a new time, on every channel", async () => {
    const { id } = await makeOpened(
      [{ state: "sending" }, { channel: "sms", state: "delivered" }],
      ["email", "sms"],
    );
    await edit(id, { dueAt: inMs(HOUR_MS).toISOString() });
    expect((await occurrencesOf(id)).map((row) => [row.number, row.state, row.channels])).toEqual([
      [1, "opened", ["email", "sms"]],
      [2, "waiting", ["email", "sms"]],
    ]);
  });

  test("with an unknown outcome finishes as it began", async () => {
    const { id, deliveries, ids } = await makeOpened([{ state: "deferred", unresolvedSince: inMs(-500) }]);
    expect(await editReminder(SHOP, id, { title: "New words" }, render)).toMatchObject({
      problem: { code: "too_late" },
    });
    expect(await readDelivery(ids[0] ?? "")).toEqual(deliveries[0]);
  });
});

test("several devices: one tried and waiting supersedes the channel whole, what was sent stays", async () => {
  const push = { channel: "push" } as const;
  const { id, ids } = await makeOpened(
    [
      { ...push, state: "deferred" },
      { ...push, state: "ready" },
      { ...push, state: "delivered" },
    ],
    ["push"],
  );
  await edit(id, { title: "New words" });
  const rows = await Promise.all(ids.map(readDelivery));
  expect(rows.map((row) => [row.state, row.reason])).toEqual([
    ["expired", "superseded"],
    ["expired", "superseded"],
    ["delivered", null],
  ]);
  expect((await occurrencesOf(id)).at(-1)).toMatchObject({ state: "waiting", channels: ["push"] });
});

describe("an occurrence that an earlier edit opened for a part of the channels", () => {
  test("does not take over the channel that waits elsewhere: a second edit delivers each channel once", async () => {
    const { id, ids } = await makeOpened(
      [{ state: "deferred" }, { channel: "sms", state: "ready" }],
      ["email", "sms"],
    );
    await edit(id, { dueAt: inMs(HOUR_MS).toISOString() });
    expect((await occurrencesOf(id)).at(-1)).toMatchObject({ channels: ["email"], state: "waiting" });
    await edit(id, { title: "New words" });
    const waiting = (await occurrencesOf(id)).at(-1);
    expect(waiting).toMatchObject({ channels: ["email"], version: 3, state: "waiting" });
    expect(await readDelivery(ids[1] ?? "")).toMatchObject({ state: "scheduled", version: 3 });
    expect(await contentOf(ids[1] ?? "")).toMatchObject({ text: "New words" });
  });

  test("is cancelled when its channel is removed", async () => {
    const { id, ids } = await makeOpened(
      [{ state: "deferred" }, { channel: "sms", state: "ready" }],
      ["email", "sms"],
    );
    await edit(id, { title: "New words" });
    await edit(id, { channels: ["sms"] });
    expect((await occurrencesOf(id)).map((row) => row.state)).toEqual(["opened", "cancelled"]);
    expect(await readDelivery(ids[1] ?? "")).toMatchObject({ state: "scheduled", version: 3 });
  });
});

describe("refusals leave everything as it was", () => {
  test("a cancelled reminder, a channel that reaches nobody, somebody else's reminder", async () => {
    const subscriber = await makeShopper({ channels: ["email"] });
    const { reminder } = await makeReminder({ subscriberId: subscriber.id });
    expect(await editReminder(SHOP, reminder.id, { channels: ["sms"] }, render)).toMatchObject({
      problem: { code: "invalid_input", fields: [{ field: "channels" }] },
    });
    const stranger = { kind: "subscriber", subscriberId: (await makeShopper()).id } as const;
    expect(await editReminder(stranger, reminder.id, { title: "Mine" }, render)).toMatchObject({
      problem: { code: "not_found" },
    });
    expect(await editReminder(SHOP, "no-id", { title: "Mine" }, render)).toMatchObject({
      problem: { code: "not_found" },
    });
    await cancelReminder(SHOP, reminder.id);
    expect(await editReminder(SHOP, reminder.id, { title: "Mine" }, render)).toMatchObject({
      problem: { code: "conflict" },
    });
    const [stored] = await database()
      .select()
      .from(schema.reminders)
      .where(eq(schema.reminders.id, reminder.id));
    expect(stored).toMatchObject({ version: 1, title: "Water the plants", channels: ["email"] });
  });
});
