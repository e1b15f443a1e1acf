import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { database } from "../../db/connection";
import { openDeliveries } from "../../db/ledger/open";
import { readCalendar } from "../../db/reminders/calendar";
import { listOverview } from "../../db/reminders/overview";
import { scheduleReminder } from "../../db/reminders/schedule";
import * as schema from "../../db/schema";
import { describeDestination, pauseEverything, setSmsHours } from "../../db/shopper-choices";
import { readShopper, updateShopper } from "../../db/shoppers";
import { testClock } from "../support/database";
import { emptyLedger, makeReminder, makeShopper } from "../support/factories";
import { admitRows, claim, deliveriesOf, renderPayloads } from "../support/ledger";

beforeEach(emptyLedger);

const DAY_MS = 86_400_000;

describe("everything paused", () => {
  test("until a day begins in the shopper's zone; what comes due waits, and goes on when the pause is taken back", async () => {
    const shopper = await makeShopper({ channels: ["email"] });
    expect(await pauseEverything(shopper.id, "2026-03-05")).toMatchObject({ ok: true });
    expect((await readShopper(shopper.id))?.pausedUntilMs).toBe(Date.parse("2026-03-05T00:00:00+01:00"));
    const { occurrence } = await makeReminder({ subscriberId: shopper.id, dueInMs: 0 });
    await renderPayloads(occurrence);
    await openDeliveries([occurrence.id]);
    expect(await deliveriesOf(occurrence.id)).toMatchObject([{ state: "scheduled", lastClass: "paused" }]);
    const resumed = await pauseEverything(shopper.id, null);
    expect(resumed.ok && resumed.value.partitions).toHaveLength(1);
    const [row] = await deliveriesOf(occurrence.id);
    expect(row?.nextEligibleAt?.getTime()).toBe(testClock.nowMs());
    expect((await readShopper(shopper.id))?.pausedUntilMs).toBeNull();
  });

  test.each(["2026-03-02", "2020-01-01", "2026-02-30", "soon", ""])("not until %s", async (date) => {
    const shopper = await makeShopper({ channels: ["email"] });
    expect(await pauseEverything(shopper.id, date)).toMatchObject({ ok: false });
    expect((await readShopper(shopper.id))?.pausedUntilMs).toBeNull();
  });
});

test.each([
  [
    "quiet hours",
    "quiet_hours",
    async (id: string, on: boolean) => {
      // Noon in Berlin, where the test clock stands.
      const quietHours = on ? { start: "00:00", end: "23:59" } : null;
      const saved = await updateShopper(id, { timeZone: "Europe/Berlin", quietHours });
      return saved.ok ? saved.value.partitions : [];
    },
  ],
  [
    "hours for text messages",
    "sms_hours",
    async (id: string, on: boolean) =>
      (await setSmsHours(id, on ? { from: "23:58", until: "23:59" } : null)).partitions,
  ],
])(
  "what %s held goes at once when they are taken back, and is held again by new ones",
  async (_, reason, set) => {
    const shopper = await makeShopper({ channels: ["sms"] });
    await set(shopper.id, true);
    const { occurrence } = await makeReminder({ subscriberId: shopper.id, channels: ["sms"], dueInMs: 0 });
    await renderPayloads(occurrence);
    await openDeliveries([occurrence.id]);
    expect(await deliveriesOf(occurrence.id)).toMatchObject([{ state: "scheduled", lastClass: reason }]);
    expect(await set(shopper.id, false)).toHaveLength(1);
    const [row] = await deliveriesOf(occurrence.id);
    expect(row?.nextEligibleAt?.getTime()).toBe(testClock.nowMs());
    await set(shopper.id, true);
    await admitRows([row?.id ?? ""]);
    if (row !== undefined) expect((await claim([row])).begun).toEqual([]);
    expect(await deliveriesOf(occurrence.id)).toMatchObject([{ state: "scheduled", lastClass: reason }]);
  },
);

test("hours for text messages and a destination's name and limit are kept, and nobody else's are touched", async () => {
  const [mine, theirs] = [
    await makeShopper({ channels: ["push"] }),
    await makeShopper({ channels: ["push"] }),
  ];
  await setSmsHours(mine.id, { from: "08:00", until: "21:00" });
  expect((await readShopper(mine.id))?.smsHours).toEqual({ from: "08:00", until: "21:00" });
  expect((await readShopper(theirs.id))?.smsHours).toBeNull();
  const device = (await readShopper(mine.id))?.destinations[0]?.id ?? "";
  expect(await describeDestination(theirs.id, device, { label: "Stolen", dailyLimit: 1 })).toMatchObject({
    ok: false,
    problem: { code: "not_found" },
  });
  expect(await describeDestination(mine.id, device, { label: "Kitchen", dailyLimit: 3 })).toMatchObject({
    ok: true,
  });
  expect(await describeDestination(mine.id, device, { dailyLimit: 0 })).toMatchObject({ ok: false });
  expect((await readShopper(mine.id))?.destinations[0]).toMatchObject({ label: "Kitchen", dailyLimit: 3 });
});

test("search finds each word in title, note or link, whatever its case, and takes signs as they are", async () => {
  const shopper = await makeShopper({ channels: ["email"] });
  const { reminder } = await makeReminder({ subscriberId: shopper.id, dueInMs: DAY_MS });
  const change = { title: "100% Cotton_shirt", note: "for the wedding" };
  await database().update(schema.reminders).set(change).where(eq(schema.reminders.id, reminder.id));
  await makeReminder({ subscriberId: shopper.id, dueInMs: DAY_MS });
  const found = async (words: string) => {
    const page = await listOverview(shopper.id, { list: "upcoming", limit: 10, words });
    return page.ok ? page.value.reminders.length : -1;
  };
  expect(
    await Promise.all(["COTTON wedding", "100%", "cotton_", "c_tton", "%", "plants", ""].map(found)),
  ).toEqual([1, 1, 1, 0, 1, 1, 2]);
});

test("a calendar holds what has come, what is to come, and every day of a series once", async () => {
  const shopper = await makeShopper({ channels: ["email"] });
  await scheduleReminder({
    owner: { kind: "subscriber", subscriberId: shopper.id },
    subscriberId: shopper.id,
    title: "Take the pills",
    note: null,
    url: null,
    dueAt: { local: "2026-03-03T08:00", timeZone: "Europe/Berlin" },
    channels: ["email"],
    expiresAfterSeconds: 86_400,
    repeat: "FREQ=DAILY",
  });
  const fromMs = Date.parse("2026-03-01T00:00:00+01:00");
  const untilMs = Date.parse("2026-04-01T00:00:00+02:00");
  const { entries } = await readCalendar(shopper.id, fromMs, untilMs);
  expect(entries).toHaveLength(29);
  expect(new Set(entries.map((entry) => entry.dueAtMs)).size).toBe(29);
  const april = await readCalendar(shopper.id, untilMs, untilMs + 30 * DAY_MS);
  expect(april.entries).toHaveLength(30);
  expect((await readCalendar((await makeShopper()).id, fromMs, untilMs)).entries).toEqual([]);
});
