import { beforeEach, describe, expect, test } from "vitest";
import { openDeliveries } from "../../../db/ledger/open";
import { cancelReminder } from "../../../db/reminders/cancel";
import { editReminder, type RenderReminder } from "../../../db/reminders/edit";
import { readDeliveries } from "../../../db/reminders/read";
import { snoozeReminder, snoozeReminderOnce } from "../../../db/reminders/snooze";
import type { SnoozeBody } from "../../../db/rules/api-schemas";
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
  occurrencesOf,
  readDelivery,
  readOutbox,
  renderPayloads,
  settle,
} from "../../support/ledger";

beforeEach(emptyLedger);

const SHOP = { kind: "shop" } as const;
const render: RenderReminder = async (reminder) =>
  reminder.channels.map((channel) => ({ channel, content: { text: reminder.title }, cost: 1 }));

async function snooze(id: string, until: SnoozeBody = { minutes: 10 }) {
  const result = await snoozeReminder(SHOP, id, until);
  if (!result.ok) throw new Error(JSON.stringify(result.problem));
  return result.value;
}

async function makeOpened(options: DeliveryOptions) {
  const subscriber = await makeShopper({ channels: ["email"] });
  const due = { subscriberId: subscriber.id, dueInMs: 0, state: "opened" } as const;
  const { reminder, occurrence } = await makeReminder(due);
  const delivery = await makeDelivery({
    subscriberId: subscriber.id,
    occurrenceId: occurrence.id,
    ...options,
  });
  return { id: reminder.id, occurrence, delivery };
}

test("of one that was sent: it comes again at the new time, and the first stays sent", async () => {
  const { id, occurrence, delivery } = await makeOpened({ state: "delivered" });
  const view = await snooze(id);
  expect(view).toMatchObject({
    dueAt: inMs(600_000).toISOString(),
    occurrence: { number: 2, state: "waiting" },
  });
  const [, next] = await occurrencesOf(id);
  expect(next).toMatchObject({ origin: "snooze", dueAt: inMs(600_000), channels: ["email"] });
  expect((await readOutbox("reminder/scheduled")).map((event) => event.eventId)).toEqual([
    `due:${inMs(600_000).getTime() / 1000}:g1`,
  ]);
  await testClock.advance(600_000);
  if (next === undefined) throw new Error("no occurrence");
  await renderPayloads(next);
  await openDeliveries([next.id]);
  const read = await readDeliveries(SHOP, id);
  expect(read.ok && read.value.map((row) => [row.occurrence, row.state])).toEqual([
    [occurrence.id, "delivered"],
    [next.id, "scheduled"],
  ]);
  expect(await readDelivery(delivery.id)).toEqual(delivery);
});

describe("what still waits gives way", () => {
  test("an unopened occurrence is cancelled", async () => {
    const { reminder } = await makeReminder();
    await snooze(reminder.id);
    expect((await occurrencesOf(reminder.id)).map((row) => row.state)).toEqual(["cancelled", "waiting"]);
  });

  test.each(["scheduled", "ready", "deferred"] as const)(
    "a delivery that is %s is superseded",
    async (state) => {
      const { id, delivery } = await makeOpened({ state });
      await snooze(id);
      expect(await readDelivery(delivery.id)).toMatchObject({ state: "expired", reason: "superseded" });
    },
  );

  test("one that is being sent, or has an unknown outcome, finishes as it began", async () => {
    for (const options of [
      { state: "sending" },
      { state: "deferred", unresolvedSince: inMs(-500) },
    ] as const) {
      const { id, delivery } = await makeOpened(options);
      await snooze(id);
      expect(await readDelivery(delivery.id)).toEqual(delivery);
    }
  });

  test("one that was being sent may still be accepted after the snooze", async () => {
    const { id, delivery } = await makeOpened({ state: "ready" });
    await admitRows([delivery.id]);
    const claimed = await begin(delivery);
    await snooze(id);
    await settle(claimed, ACCEPTED);
    expect(await readDelivery(delivery.id)).toMatchObject({ state: "delivered" });
  });
});

test("to a given instant, in the reminder's zone", async () => {
  const { id } = await makeOpened({ state: "delivered" });
  const dueAt = inMs(3 * 86_400_000).toISOString();
  expect(await snooze(id, { dueAt })).toMatchObject({ dueAt, timeZone: "UTC" });
});

test("a snooze that commits while an edit is being rendered is not undone by it", async () => {
  const { id } = await makeOpened({ state: "delivered" });
  let snoozed = false;
  const slow: RenderReminder = async (reminder) => {
    if (!snoozed) await snooze(id);
    snoozed = true;
    return render(reminder);
  };
  const edited = await editReminder(SHOP, id, { title: "New words", dueAt: undefined }, slow);
  expect(edited).toMatchObject({
    ok: true,
    value: { title: "New words", dueAt: inMs(600_000).toISOString() },
  });
  expect((await occurrencesOf(id)).at(-1)).toMatchObject({ state: "waiting", dueAt: inMs(600_000) });
});

test("an edit that keeps losing against others says so, and a cancel in between wins", async () => {
  const { reminder } = await makeReminder();
  let round = 0;
  const restless: RenderReminder = async (given) => {
    round += 1;
    await editReminder(SHOP, reminder.id, { note: `note ${round}` }, render);
    return render(given);
  };
  expect(await editReminder(SHOP, reminder.id, { title: "New words" }, restless)).toMatchObject({
    ok: false,
    problem: { code: "conflict" },
  });
  expect(round).toBe(3);
  const cancelling: RenderReminder = async (given) => {
    await cancelReminder(SHOP, reminder.id);
    return render(given);
  };
  expect(await editReminder(SHOP, reminder.id, { title: "New words" }, cancelling)).toMatchObject({
    problem: { code: "conflict" },
  });
  expect((await occurrencesOf(reminder.id)).map((row) => row.state)).toEqual(["cancelled"]);
});

test("twenty snoozes at once leave one occurrence waiting", async () => {
  const { id } = await makeOpened({ state: "ready" });
  await Promise.all(Array.from({ length: 20 }, (_, index) => snooze(id, { minutes: 5 + index })));
  const states = (await occurrencesOf(id)).map((row) => row.state);
  expect(states.filter((state) => state === "waiting")).toHaveLength(1);
  expect(states.filter((state) => state === "cancelled")).toHaveLength(19);
});

test("with an Idempotency-Key a repeated request does not snooze again", async () => {
  const { id } = await makeOpened({ state: "delivered" });
  const claim = { scope: "test:snooze", key: "k1", bodyHash: "h" };
  const first = await snoozeReminderOnce(SHOP, id, { minutes: 10 }, claim);
  await testClock.advance(1000);
  const again = await snoozeReminderOnce(SHOP, id, { minutes: 10 }, claim);
  expect(again).toEqual(first.ok ? { ok: true, value: { value: first.value.value, replayed: true } } : first);
  expect(await occurrencesOf(id)).toHaveLength(2);
});

test("what is cancelled, unreachable or not there is refused", async () => {
  const { reminder } = await makeReminder();
  await cancelReminder(SHOP, reminder.id);
  expect(await snoozeReminder(SHOP, reminder.id, { minutes: 5 })).toMatchObject({
    problem: { code: "conflict" },
  });
  expect(await snoozeReminder(SHOP, "nobody", { minutes: 5 })).toMatchObject({
    problem: { code: "not_found" },
  });
  const subscriber = await makeShopper({ channels: ["sms"] });
  const email = await makeReminder({ subscriberId: subscriber.id, channels: ["email"] });
  expect(await snoozeReminder(SHOP, email.reminder.id, { minutes: 5 })).toMatchObject({
    problem: { code: "invalid_input" },
  });
  expect(await occurrencesOf(email.reminder.id)).toMatchObject([{ state: "waiting" }]);
});
