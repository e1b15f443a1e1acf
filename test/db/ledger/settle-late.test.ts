import { sql } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { database, rows } from "../../../db/connection";
import { settleAttempts } from "../../../db/ledger/settle";
import type { Outcome } from "../../../db/rules/outcome";
import { testClock } from "../../support/database";
import {
  type DeliveryOptions,
  type DeliveryRow,
  emptyLedger,
  makeDelivery,
  makePartition,
} from "../../support/factories";
import {
  ACCEPTED,
  admitRows,
  begin,
  ended,
  expireLease,
  readAttempts,
  readDelivery,
  readDestination,
  readMeter,
  readOutbox,
  readPartitionRow,
  settle,
} from "../../support/ledger";

beforeEach(emptyLedger);

/** Another run's claim, at the row's next time. */
async function beginAgain(row: DeliveryRow) {
  await testClock.set((await readDelivery(row.id)).nextEligibleAt?.getTime() ?? testClock.nowMs());
  await admitRows([row.id]);
  return begin(row, { runId: "run-2" });
}

/** Its turn has come, and it has its place in the lane. */
const makeReady = (id: string) =>
  rows(
    database(),
    sql`update deliveries set state = 'ready', pass = 1, next_eligible_at = null where id = ${id}`,
  );

/** Everything a settlement may touch. */
async function snapshot(id: string, partition: string) {
  return {
    row: await readDelivery(id),
    attempts: await readAttempts(id),
    meter: await readMeter(partition),
    partition: await readPartitionRow(partition),
  };
}

async function begun(options: DeliveryOptions = {}) {
  const row = await makeDelivery(options);
  await admitRows([row.id]);
  return { row, claimed: await begin(row) };
}

describe("repeated, stale and late", () => {
  test("repeating a settlement changes nothing, the meter and the partition included", async () => {
    const outcomes: Outcome[] = [
      ACCEPTED,
      { class: "throttled", retryAfterMs: 4000, scope: "partition" },
      { class: "transient" },
      { class: "quota", retryAfterMs: null },
      { class: "config_rejected" },
      { class: "message_rejected" },
    ];
    for (const outcome of outcomes) {
      const { row, claimed } = await begun();
      await settle(claimed, outcome);
      const after = await snapshot(row.id, claimed.partition);
      await testClock.advance(700);
      const again = await settle(claimed, outcome);
      expect(again.deliveries[0], outcome.class).toMatchObject({ stale: true, state: after.row.state });
      expect(await snapshot(row.id, claimed.partition), outcome.class).toEqual(after);
    }
    expect(await readOutbox("delivery/dead")).toHaveLength(1);
  });

  test("an answer under an older token is written on its attempt and moves nothing", async () => {
    const { row, claimed } = await begun();
    await expireLease(row.id);
    const second = await beginAgain(row);
    const late = await settle(claimed, { class: "transient" });
    expect(late.deliveries[0]).toMatchObject({ stale: true, state: "sending" });
    expect(await readDelivery(row.id)).toMatchObject({
      state: "sending",
      token: second.token,
      failureCount: 1,
    });
    expect(await readAttempts(row.id)).toMatchObject([{ class: "transient" }, { class: null }]);
  });

  test("late acceptance is acceptance: of a row that waits again, is sent again, or was given up as unknown", async () => {
    const unknown = await begun({ channel: "sms" });
    await expireLease(unknown.row.id);
    expect(await readDelivery(unknown.row.id)).toMatchObject({ state: "dead", reason: "outcome_unknown" });
    const waiting = await begun();
    await expireLease(waiting.row.id);
    const sending = await begun();
    await expireLease(sending.row.id);
    const second = await beginAgain(sending.row);
    for (const { row, claimed } of [waiting, sending, unknown]) {
      expect((await settle(claimed, ACCEPTED)).deliveries[0]).toMatchObject({
        stale: true,
        state: "delivered",
      });
      expect(await readDelivery(row.id)).toMatchObject({
        state: "delivered",
        reason: null,
        wish: null,
        unresolvedSince: null,
        reconcileAt: null,
        leaseUntil: null,
        providerMessageId: "msg-1",
      });
    }
    // The second holder's answer comes after that, and finds it delivered.
    expect((await settle(second, { class: "transient" })).deliveries[0]).toMatchObject({
      stale: true,
      state: "delivered",
    });
    expect(await readDelivery(sending.row.id)).toMatchObject({ state: "delivered", failureCount: 1 });
  });

  test.each([
    ["throttled", { class: "throttled", retryAfterMs: 60_000, scope: "destination" }],
    ["quota", { class: "quota", retryAfterMs: 60_000 }],
  ] as const)(
    "a late refusal (%s) still names a time: whoever waits waits as long (P3)",
    async (_name, refused) => {
      const deferred = await begun();
      await expireLease(deferred.row.id);
      const ready = await begun();
      await expireLease(ready.row.id);
      await makeReady(ready.row.id);
      await admitRows([ready.row.id]);
      for (const { row, claimed } of [deferred, ready]) {
        expect((await settle(claimed, refused, { status: 429 })).deliveries[0]?.stale).toBe(true);
        const after = await readDelivery(row.id);
        expect(after).toMatchObject({
          ...{ state: "deferred", lastClass: refused.class, failureCount: 1, throttleCount: 1 },
          ...{ admissionId: null, keptBy: null },
        });
        expect(after.nextEligibleAt?.getTime()).toBeGreaterThanOrEqual(testClock.nowMs() + 60_000);
        expect(after.unresolvedSince).not.toBeNull();
      }
    },
  );

  test.each([
    ["transient", { class: "transient" }],
    ["not_made", { class: "not_made" }],
    ["ambiguous", { class: "ambiguous" }],
  ] as const)(
    "a late refusal of a delivery that another calls about: after that call (%s) it waits as long (P3)",
    async (_name, outcome) => {
      const first = await begun();
      await expireLease(first.row.id);
      const second = await beginAgain(first.row);
      const refused: Outcome = { class: "throttled", retryAfterMs: 60_000, scope: "destination" };
      expect((await settle(first.claimed, refused, { status: 429 })).deliveries[0]).toMatchObject({
        stale: true,
        state: "sending",
      });
      const untilMs = testClock.nowMs() + 60_000;
      await settle(second, outcome);
      const after = await readDelivery(first.row.id);
      expect(after).toMatchObject({ state: "deferred", throttleCount: 1 });
      expect(after.nextEligibleAt?.getTime()).toBeGreaterThanOrEqual(untilMs);
    },
  );

  test("a late refusal of a delivery that another calls about: also when that one is never heard of again", async () => {
    const first = await begun();
    await expireLease(first.row.id);
    await beginAgain(first.row);
    const refused: Outcome = { class: "throttled", retryAfterMs: 600_000, scope: "destination" };
    await settle(first.claimed, refused, { status: 429 });
    const untilMs = testClock.nowMs() + 600_000;
    await expireLease(first.row.id);
    expect((await readDelivery(first.row.id)).nextEligibleAt?.getTime()).toBeGreaterThanOrEqual(untilMs);
  });

  test("what a late answer says about an address holds for all that goes there (P6)", async () => {
    for (const [channel, disposition, state] of [
      ["push", "gone", "retired"],
      ["sms", "opted_out", "suppressed"],
      ["email", "dead", "suppressed"],
    ] as const) {
      const { row, claimed } = await begun({ channel });
      await expireLease(row.id);
      await settle(claimed, { class: "destination_rejected", disposition });
      expect((await readDestination(row.destinationId))?.state, channel).toBe(state);
    }
  });

  test("an answer that contradicts the one that was written down changes nothing", async () => {
    const dead = await begun();
    await settle(dead.claimed, { class: "message_rejected" });
    expect((await settle(dead.claimed, ACCEPTED)).deliveries[0]).toMatchObject({
      stale: true,
      state: "dead",
      reason: "message_rejected",
    });
    const again = await begun();
    await settle(again.claimed, { class: "transient" });
    const second = await beginAgain(again.row);
    expect((await settle(again.claimed, ACCEPTED)).deliveries[0]).toMatchObject({
      stale: true,
      state: "sending",
    });
    expect(await readDelivery(again.row.id)).toMatchObject({ state: "sending", token: second.token });
  });

  test("one batch settles each of its rows, whatever became of the others", async () => {
    const partition = await makePartition({ ceiling: 100, burst: 5 });
    const [one, two] = [await begun({ partition }), await begun({ partition })];
    await settle(one.claimed, ACCEPTED);
    const missing = { ...ended(two.claimed, ACCEPTED), deliveryId: "00000000-0000-4000-8000-000000000000" };
    const calls = [ended(one.claimed, { class: "transient" }), ended(two.claimed, ACCEPTED), missing];
    const { deliveries } = await settleAttempts(partition, calls);
    expect(deliveries.map((row) => [row.deliveryId, row.state, row.stale])).toEqual([
      [one.row.id, "delivered", true],
      [two.row.id, "delivered", false],
    ]);
    expect(await settleAttempts(partition, [])).toEqual({ deliveries: [], epoch: 0, awakened: [] });
    expect((await readMeter(partition)).epoch).toBe(1);
  });
});
