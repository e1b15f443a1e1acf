import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, test } from "vitest";
import { database } from "../../../db/connection";
import { readDue } from "../../../db/ledger/due";
import { openDeliveries } from "../../../db/ledger/open";
import * as schema from "../../../db/schema";
import { testClock } from "../../support/database";
import { emptyLedger, makeDelivery, makeReminder, makeShopper } from "../../support/factories";
import { readDelivery, renderPayloads } from "../../support/ledger";

beforeEach(emptyLedger);

describe("a newer occurrence makes an older untried delivery give way", () => {
  async function olderOf(options: Parameters<typeof makeDelivery>[0]) {
    const subscriber = await makeShopper();
    const old = await makeReminder({
      subscriberId: subscriber.id,
      channels: ["email", "sms"],
      dueInMs: -9000,
      state: "opened",
    });
    const delivery = await makeDelivery({
      subscriberId: subscriber.id,
      occurrenceId: old.occurrence.id,
      ...options,
    });
    const { wallTime, timeZone, dueAt, createdAt } = old.occurrence;
    const [next] = await database()
      .insert(schema.occurrences)
      .values({
        ...{ wallTime, timeZone, dueAt, createdAt, id: randomUUID(), reminderId: old.reminder.id },
        ...{ number: 2, origin: "snooze", channels: ["email"], version: 1, state: "waiting" },
      })
      .returning();
    if (next === undefined) throw new Error("no occurrence");
    await renderPayloads(next);
    await openDeliveries([next.id]);
    return readDelivery(delivery.id);
  }

  test.each(["scheduled", "ready"] as const)("%s: superseded", async (state) => {
    expect(await olderOf({ state })).toMatchObject({ state: "expired", reason: "superseded" });
  });

  test("deferred without an attempt: superseded", async () => {
    const untried = { state: "deferred", lastClass: "local_rate_limit", attemptCount: 0, token: 0 } as const;
    expect(
      await olderOf({
        ...untried,
        firstAttemptAt: null,
        latestAttemptAt: null,
        contentHash: null,
        failureCount: 0,
      }),
    ).toMatchObject({ state: "expired", reason: "superseded" });
  });

  test("attempted, being sent, ended, or on another channel: left alone", async () => {
    expect(await olderOf({ state: "deferred" })).toMatchObject({ state: "deferred" });
    expect(await olderOf({ state: "sending" })).toMatchObject({ state: "sending" });
    expect(await olderOf({ state: "delivered" })).toMatchObject({ state: "delivered" });
    expect(await olderOf({ state: "ready", channel: "sms" })).toMatchObject({ state: "ready" });
  });
});

test("what is due is read oldest first, inside its second, with what rendering needs", async () => {
  const { reminder, occurrence } = await makeReminder({ dueInMs: 5_400, channels: ["email", "push"] });
  const earlier = await makeReminder({ dueInMs: 5_000 });
  await makeReminder({ dueInMs: 6_000 });
  await makeReminder({ dueInMs: 5_500, state: "cancelled" });
  const fromMs = testClock.nowMs() + 5_000;
  const due = await readDue({ fromMs, untilMs: fromMs + 1000, limit: 10 });
  expect(due.map((row) => row.occurrenceId)).toEqual([earlier.occurrence.id, occurrence.id]);
  expect(due[1]).toEqual({
    occurrenceId: occurrence.id,
    version: 1,
    channels: ["email", "push"],
    dueAtMs: occurrence.dueAt.getTime(),
    timeZone: "UTC",
    locale: "en",
    title: "Water the plants",
    checkUrl: null,
    note: null,
    url: null,
    reminderId: reminder.id,
  });
  expect(await readDue({ fromMs, untilMs: fromMs + 1000, limit: 1 })).toHaveLength(1);
});
