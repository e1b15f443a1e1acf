import { beforeEach, expect, test } from "vitest";
import { database } from "../../db/connection";
import * as schema from "../../db/schema";
import { beginSweep, endSweep, lastSweepAgeMs, upcomingDueSeconds } from "../../db/sweeps";
import { testClock } from "../support/database";
import { emptyLedger, inMs, makeReminder, makeShopper } from "../support/factories";

beforeEach(emptyLedger);

test("two movers that meet do one sweep; the next is due after the quiet time", async () => {
  const begun = await Promise.all(Array.from({ length: 6 }, () => beginSweep("cron", 20_000)));
  expect(begun.filter((id) => id !== null)).toHaveLength(1);
  await testClock.advance(19_999);
  expect(await beginSweep("health", 20_000)).toBeNull();
  await testClock.advance(1);
  expect(await beginSweep("health", 20_000)).not.toBeNull();
});

test("a sweep's age is known, its counts are kept, and a day later it is gone", async () => {
  expect(await lastSweepAgeMs()).toBeNull();
  const id = await beginSweep("start", 0);
  await endSweep(id ?? "", { opened: 3 });
  expect(await database().select().from(schema.sweeps)).toMatchObject([
    { id, mover: "start", counts: { opened: 3 }, finishedAt: inMs(0) },
  ]);
  await testClock.advance(5000);
  expect(await lastSweepAgeMs()).toBe(5000);
  await testClock.advance(86_400_000);
  const next = await beginSweep("cron", 0);
  expect((await database().select().from(schema.sweeps)).map((row) => row.id)).toEqual([next]);
});

test("near waits are found by their second, each once, also beyond 2038", async () => {
  const subscriber = await makeShopper();
  for (const dueInMs of [5_000, 5_400, 9_000, 60_000, -1000]) {
    await makeReminder({ subscriberId: subscriber.id, dueInMs });
  }
  await makeReminder({ subscriberId: subscriber.id, dueInMs: 7_000, state: "cancelled" });
  const second = testClock.nowMs() / 1000;
  expect(await upcomingDueSeconds(10_000, 10)).toEqual([
    { second: second + 5, waiting: 2 },
    { second: second + 9, waiting: 1 },
  ]);
  expect(await upcomingDueSeconds(10_000, 1)).toEqual([{ second: second + 5, waiting: 2 }]);
  await testClock.set(Date.UTC(2040, 0, 1));
  await makeReminder({ subscriberId: subscriber.id, dueInMs: 5_000 });
  expect(await upcomingDueSeconds(10_000, 10)).toEqual([
    { second: Date.UTC(2040, 0, 1) / 1000 + 5, waiting: 1 },
  ]);
});
