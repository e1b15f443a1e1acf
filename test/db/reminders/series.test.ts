import { beforeEach, describe, expect, test } from "vitest";
import { openDeliveries } from "../../../db/ledger/open";
import { cancelReminder } from "../../../db/reminders/cancel";
import { finishReminder } from "../../../db/reminders/done";
import { editReminder, type RenderReminder } from "../../../db/reminders/edit";
import { pauseReminder, restoreReminder, resumeReminder } from "../../../db/reminders/pause";
import { readDeliveries } from "../../../db/reminders/read";
import { type ScheduleInput, scheduleReminder } from "../../../db/reminders/schedule";
import { snoozeReminder } from "../../../db/reminders/snooze";
import { testClock } from "../../support/database";
import { emptyLedger, makeShopper } from "../../support/factories";
import { occurrencesOf, readOutbox, renderPayloads } from "../../support/ledger";

beforeEach(emptyLedger);

const SHOP = { kind: "shop" } as const;
const render: RenderReminder = async (reminder) =>
  reminder.channels.map((channel) => ({ channel, content: { text: reminder.title }, cost: 1 }));

/** The clock stands at Monday 13:00 in Berlin. */
async function setSeries(input: Partial<ScheduleInput> = {}): Promise<string> {
  const subscriber = await makeShopper({ channels: ["email", "sms"] });
  const set = await scheduleReminder({
    owner: SHOP,
    subscriberId: subscriber.id,
    title: "Take the pills",
    note: null,
    url: null,
    dueAt: { local: "2026-03-02T18:00", timeZone: "Europe/Berlin" },
    channels: ["email"],
    expiresAfterSeconds: 86_400,
    repeat: "FREQ=DAILY",
    ...input,
  });
  if (!set.ok) throw new Error(JSON.stringify(set.problem));
  return set.value.value.id;
}

async function waitingOf(id: string) {
  return (await occurrencesOf(id)).filter((row) => row.state === "waiting");
}

/** Opens the element that waits, at its time. */
async function openNext(id: string): Promise<void> {
  const [next] = (await waitingOf(id)).sort((one, other) => one.dueAt.getTime() - other.dueAt.getTime());
  if (next === undefined) throw new Error("nothing waits");
  await testClock.set(Math.max(testClock.nowMs(), next.dueAt.getTime()));
  await renderPayloads(next);
  await openDeliveries([next.id]);
}

const walls = async (id: string) =>
  (await occurrencesOf(id)).map((row) => `${row.wallTime.slice(0, 16)} ${row.state}`);

test("each element is an occurrence of its own, and the next is there when one opens", async () => {
  const id = await setSeries();
  await openNext(id);
  await openNext(id);
  expect(await walls(id)).toEqual([
    "2026-03-02T18:00 opened",
    "2026-03-03T18:00 opened",
    "2026-03-04T18:00 waiting",
  ]);
  const keys = await readDeliveries(SHOP, id);
  expect(keys.ok && new Set(keys.value.map((row) => row.key)).size).toBe(2);
  expect((await readOutbox("reminder/scheduled")).length).toBe(3);
});

test("twice opened is once moved on", async () => {
  const id = await setSeries();
  const [first] = await waitingOf(id);
  if (first === undefined) throw new Error("nothing waits");
  await testClock.set(first.dueAt.getTime());
  await renderPayloads(first);
  await Promise.all([openDeliveries([first.id]), openDeliveries([first.id])]);
  expect(await waitingOf(id)).toHaveLength(1);
});

test("it ends after its count, and says nothing more", async () => {
  const id = await setSeries({ repeat: "FREQ=DAILY;COUNT=2" });
  await openNext(id);
  await openNext(id);
  expect(await waitingOf(id)).toHaveLength(0);
});

test("a rule that does not name the first day begins with the first that it names; one without a time left is refused", async () => {
  const id = await setSeries({ repeat: "FREQ=WEEKLY;BYDAY=FR" });
  expect(await walls(id)).toEqual(["2026-03-06T18:00 waiting"]);
  const subscriber = await makeShopper({ channels: ["email"] });
  const refused = await scheduleReminder({
    owner: SHOP,
    subscriberId: subscriber.id,
    title: "Too late",
    note: null,
    url: null,
    dueAt: { local: "2026-03-02T18:00", timeZone: "Europe/Berlin" },
    channels: ["email"],
    expiresAfterSeconds: 86_400,
    repeat: "FREQ=DAILY;UNTIL=20260301",
  });
  expect(refused).toMatchObject({ ok: false, problem: { fields: [{ field: "repeat" }] } });
});

test("snoozing what has come leaves the next where it is; the snoozed one comes and moves nothing on", async () => {
  const id = await setSeries();
  await openNext(id);
  await snoozeReminder(SHOP, id, { minutes: 30 });
  await snoozeReminder(SHOP, id, { minutes: 60 });
  expect(await walls(id)).toEqual([
    "2026-03-02T18:00 opened",
    "2026-03-03T18:00 waiting",
    "2026-03-02T18:30 cancelled",
    "2026-03-02T19:00 waiting",
  ]);
  await openNext(id);
  expect((await waitingOf(id)).map((row) => row.wallTime)).toEqual(["2026-03-03T18:00:00"]);
});

test("snoozing what is to come moves that one, and the series goes on after it", async () => {
  const id = await setSeries();
  await snoozeReminder(SHOP, id, { dueAt: { local: "2026-03-02T20:00", timeZone: "Europe/Berlin" } });
  expect(await walls(id)).toEqual(["2026-03-02T18:00 cancelled", "2026-03-02T20:00 waiting"]);
  await openNext(id);
  expect((await waitingOf(id)).map((row) => row.wallTime)).toEqual(["2026-03-03T18:00:00"]);
});

describe("done", () => {
  test("of what has come ends what still waits of it, and the series goes on", async () => {
    const id = await setSeries({ channels: ["email", "sms"], nextChannelAfterMinutes: 10 });
    await openNext(id);
    const done = await finishReminder(SHOP, id);
    expect(done).toMatchObject({ ok: true, value: { status: "active" } });
    const read = await readDeliveries(SHOP, id);
    expect(read.ok && read.value.map((row) => row.reason)).toEqual(["answered", "answered"]);
    expect(await waitingOf(id)).toHaveLength(1);
  });

  test("ahead of its time skips one", async () => {
    const id = await setSeries();
    await finishReminder(SHOP, id);
    expect(await walls(id)).toEqual(["2026-03-02T18:00 cancelled", "2026-03-03T18:00 waiting"]);
  });
});

test("paused it says nothing, resumed it comes at its next time", async () => {
  const id = await setSeries();
  await openNext(id);
  await pauseReminder(SHOP, id);
  expect(await waitingOf(id)).toHaveLength(0);
  await testClock.advance(3 * 86_400_000);
  expect(await resumeReminder(SHOP, id)).toMatchObject({ ok: true, value: { status: "active" } });
  expect((await waitingOf(id)).map((row) => row.wallTime)).toEqual(["2026-03-06T18:00:00"]);
  await openNext(id);
  expect((await waitingOf(id)).map((row) => row.wallTime)).toEqual(["2026-03-07T18:00:00"]);
});

test("a cancel taken back comes again, once", async () => {
  const id = await setSeries();
  await cancelReminder(SHOP, id);
  expect(await restoreReminder(SHOP, id)).toMatchObject({ ok: true, value: { status: "active" } });
  await restoreReminder(SHOP, id);
  expect(await walls(id)).toEqual(["2026-03-02T18:00 cancelled", "2026-03-02T18:00 waiting"]);
});

describe("an edit", () => {
  test("of its time begins the series anew; what has come keeps its own", async () => {
    const id = await setSeries();
    await openNext(id);
    const edited = await editReminder(
      SHOP,
      id,
      { dueAt: { local: "2026-03-05T09:00", timeZone: "Europe/Berlin" } },
      render,
    );
    expect(edited).toMatchObject({ ok: true, value: { repeat: "FREQ=DAILY" } });
    expect(await walls(id)).toEqual(["2026-03-02T18:00 opened", "2026-03-05T09:00 waiting"]);
    await openNext(id);
    expect((await waitingOf(id)).map((row) => row.wallTime)).toEqual(["2026-03-06T09:00:00"]);
  });

  test("of its words reaches what has come and waits untried, and what is to come", async () => {
    const id = await setSeries();
    await openNext(id);
    await editReminder(SHOP, id, { title: "Take the blue pills" }, render);
    const read = await readDeliveries(SHOP, id);
    expect(read.ok && read.value).toMatchObject([{ state: "scheduled", version: 2 }]);
    expect(await waitingOf(id)).toMatchObject([{ version: 2 }]);
  });

  test("makes one of one that came, and one that came of one", async () => {
    const id = await setSeries({ repeat: null });
    await openNext(id);
    await editReminder(SHOP, id, { repeat: "FREQ=WEEKLY" }, render);
    expect((await waitingOf(id)).map((row) => row.wallTime)).toEqual(["2026-03-09T18:00:00"]);
    await editReminder(SHOP, id, { repeat: null }, render);
    await openNext(id);
    expect(await waitingOf(id)).toHaveLength(0);
  });
});

test("after an outage each missed element is told, and only the newest is sent", async () => {
  const id = await setSeries();
  await testClock.advance(3 * 86_400_000);
  for (let count = 0; count < 3; count += 1) await openNext(id);
  const read = await readDeliveries(SHOP, id);
  expect(read.ok && read.value.map((row) => row.reason)).toEqual(["past_deadline", "past_deadline", null]);
});
