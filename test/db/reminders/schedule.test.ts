import { sql } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { database, rows } from "../../../db/connection";
import { listReminders, readDeliveries, readReminder } from "../../../db/reminders/read";
import { type ScheduleInput, scheduleReminder } from "../../../db/reminders/schedule";
import type { Owner, ReminderView } from "../../../db/reminders/views";
import * as schema from "../../../db/schema";
import { testClock } from "../../support/database";
import {
  emptyLedger,
  inMs,
  makeDelivery,
  makeReminder,
  makeShopper,
  makeSubscriber,
  setMeter,
} from "../../support/factories";
import { occurrencesOf, readOutbox } from "../../support/ledger";

beforeEach(emptyLedger);

const SHOP: Owner = { kind: "shop" };
const DAY_MS = 86_400_000;

async function schedule(overrides: Partial<ScheduleInput> = {}): Promise<ReminderView> {
  const result = await attempt(overrides);
  if (!result.ok) throw new Error(JSON.stringify(result.problem));
  return result.value.value;
}

async function attempt(overrides: Partial<ScheduleInput> = {}) {
  const subscriberId = overrides.subscriberId ?? (await makeShopper({ channels: ["email"] })).id;
  return scheduleReminder({
    owner: SHOP,
    subscriberId,
    title: "Water the plants",
    note: null,
    url: null,
    dueAt: inMs(60_000).toISOString(),
    channels: ["email"],
    expiresAfterSeconds: 86_400,
    ...overrides,
  });
}

describe("scheduling", () => {
  test("stores the reminder, its occurrence and the event that arms its wait, together", async () => {
    const view = await schedule();
    expect(view).toMatchObject({
      status: "active",
      version: 1,
      dueAt: inMs(60_000).toISOString(),
      occurrence: { number: 1, state: "waiting" },
    });
    expect(await occurrencesOf(view.id)).toMatchObject([
      { id: view.occurrence.id, dueAt: inMs(60_000), channels: ["email"] },
    ]);
    const second = inMs(60_000).getTime() / 1000;
    expect(await readOutbox("reminder/scheduled")).toMatchObject([
      { eventId: `due:${second}:g1`, data: { v: 1, dueSecond: second, generation: "g1" }, publishedAt: null },
    ]);
  });

  test("arms a wait at most five days ahead", async () => {
    await schedule({ dueAt: inMs(30 * DAY_MS).toISOString() });
    expect(await readOutbox("reminder/scheduled")).toMatchObject([{ notBefore: inMs(25 * DAY_MS) }]);
  });

  test("reads a wall time in the zone that it names: the instant is derived", async () => {
    const view = await schedule({ dueAt: { local: "2026-07-01T09:00", timeZone: "America/New_York" } });
    expect(view).toMatchObject({ dueAt: "2026-07-01T13:00:00.000Z", timeZone: "America/New_York" });
    expect(await occurrencesOf(view.id)).toMatchObject([
      { wallTime: expect.stringContaining("2026-07-01T09:00") },
    ]);
  });

  test("refuses what cannot be, and stores nothing of it", async () => {
    const subscriber = await makeShopper({ channels: ["email"] });
    const problems = [
      await attempt({ subscriberId: "00000000-0000-4000-8000-000000000000" }),
      await attempt({ subscriberId: subscriber.id, channels: ["email", "sms"] }),
      await attempt({ subscriberId: subscriber.id, dueAt: "2020-01-01T00:00:00Z" }),
      await attempt({
        subscriberId: subscriber.id,
        dueAt: { local: "2026-03-29T02:30", timeZone: "Nowhere/Land" },
      }),
    ];
    expect(problems.map((result) => !result.ok && result.problem.code)).toEqual([
      "not_found",
      "invalid_input",
      "invalid_input",
      "invalid_input",
    ]);
    for (const table of [schema.reminders, schema.occurrences, schema.outbox]) {
      expect(await database().select().from(table)).toEqual([]);
    }
  });
});

describe("reading", () => {
  test("a shopper sees their own and nobody else's; the shop sees those it knows", async () => {
    const mine = await makeShopper({ channels: ["email"] });
    const stranger = await makeSubscriber({ externalId: null });
    const { reminder } = await makeReminder({ subscriberId: mine.id });
    const other = await makeReminder({ subscriberId: stranger.id });
    const me: Owner = { kind: "subscriber", subscriberId: mine.id };
    const ids = async (owner: Owner) => {
      const page = await listReminders(owner, { limit: 10 });
      return page.ok ? page.value.reminders.map((view) => view.id) : null;
    };
    expect(await ids(me)).toEqual([reminder.id]);
    expect(await ids(SHOP)).toEqual([reminder.id]);
    for (const owner of [me, SHOP]) {
      expect(await readReminder(owner, other.reminder.id)).toMatchObject({ problem: { code: "not_found" } });
      expect(await readDeliveries(owner, other.reminder.id)).toMatchObject({
        problem: { code: "not_found" },
      });
    }
    expect(await readReminder(me, "../etc/passwd")).toMatchObject({ problem: { code: "not_found" } });
  });

  test("pages neither skip nor repeat, also where many are due at one instant", async () => {
    const subscriber = await makeShopper({ channels: ["email"] });
    const made: string[] = [];
    for (let count = 0; count < 7; count += 1) {
      made.push(
        (await makeReminder({ subscriberId: subscriber.id, dueInMs: count < 4 ? 1000 : 2000 })).reminder.id,
      );
    }
    const seen: string[] = [];
    let cursor: string | undefined;
    for (let pages = 0; pages < 5; pages += 1) {
      const page = await listReminders(SHOP, {
        limit: 2,
        externalId: subscriber.externalId ?? "",
        status: "active",
        cursor,
      });
      if (!page.ok) throw new Error("no page");
      seen.push(...page.value.reminders.map((view) => view.id));
      if (page.value.nextCursor === null) break;
      cursor = page.value.nextCursor;
    }
    expect(seen.toSorted()).toEqual(made.toSorted());
    expect(new Set(seen).size).toBe(7);
    const none = await listReminders(SHOP, { limit: 2, status: "cancelled" });
    expect(none).toEqual({ ok: true, value: { reminders: [], nextCursor: null } });
  });

  test.each([
    "x",
    "bm90IGpzb24",
    Buffer.from("[1]").toString("base64url"),
    Buffer.from('[1e999,"x"]').toString("base64url"),
  ])("a cursor that was not written here is refused (%s)", async (cursor) => {
    expect((await listReminders(SHOP, { limit: 2, cursor })).ok).toBe(false);
  });

  test("a delivery tells when it is expected: its own time, or the end of its provider's gate", async () => {
    const row = await makeDelivery({ state: "deferred", nextEligibleAt: inMs(1000) });
    await setMeter(row.partition ?? "", { blockedUntil: inMs(9000) });
    const [link] = await rows<{ id: string }>(
      database(),
      sql`select reminder_id as id from occurrences where id = ${row.occurrenceId}::uuid`,
    );
    const read = await readDeliveries(SHOP, link?.id ?? "");
    expect(read.ok && read.value).toMatchObject([
      {
        key: row.key,
        channel: "email",
        device: null,
        state: "deferred",
        nextEligibleAt: inMs(1000).toISOString(),
        expectedAt: inMs(9000).toISOString(),
        attempts: 1,
        history: [
          {
            number: 1,
            class: "transient",
            begunAt: inMs(-500).toISOString(),
            settledAt: inMs(-200).toISOString(),
          },
        ],
      },
    ]);
    await testClock.advance(20_000);
    const later = await readDeliveries(SHOP, link?.id ?? "");
    expect(later.ok && later.value[0]?.expectedAt).toBe(inMs(0).toISOString());
  });
});
