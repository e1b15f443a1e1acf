import { sql } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { admit } from "../../../db/admission/admit";
import { database, rows, transact } from "../../../db/connection";
import { recoverLeases } from "../../../db/ledger/recover";
import { leaseMs, RECONCILE_AFTER_MS } from "../../../db/rules/retry-policy";
import { testClock } from "../../support/database";
import {
  type DeliveryOptions,
  emptyLedger,
  inMs,
  makeDelivery,
  makePartition,
} from "../../support/factories";
import {
  admitRows,
  begin,
  claim,
  expireLease,
  readAttempts,
  readDelivery,
  readOutbox,
} from "../../support/ledger";

beforeEach(emptyLedger);

async function begun(options: DeliveryOptions = {}) {
  const row = await makeDelivery(options);
  await admitRows([row.id]);
  return { row, claimed: await begin(row) };
}

const recover = (partition: string | null = null, limit = 100) => recoverLeases({ partition, limit });

test("a lease that has not passed is left alone, to the millisecond", async () => {
  const { row } = await begun();
  await testClock.advance(leaseMs("email") - 1);
  expect(await recover()).toBe(0);
  expect(await readDelivery(row.id)).toMatchObject({ state: "sending" });
  await testClock.advance(1);
  expect(await recover()).toBe(1);
  expect(await recover()).toBe(0);
});

describe("after a crash between begin and settle", () => {
  test("an email goes on with the same key: its attempt is a crash, one of the budget is spent, it travels alone", async () => {
    const { row, claimed } = await begun();
    const begunAt = inMs(0);
    await expireLease(row.id);
    const after = await readDelivery(row.id);
    expect(after).toMatchObject({
      key: row.key,
      state: "deferred",
      lastClass: "crashed",
      alone: true,
      failureCount: 1,
      attemptCount: 1,
      unresolvedSince: begunAt,
      leaseUntil: null,
      contentHash: claimed.contentHash,
    });
    expect(await readAttempts(row.id)).toMatchObject([{ class: "crashed", settledAt: inMs(0) }]);
    await testClock.set(after.nextEligibleAt?.getTime() ?? 0);
    const partition = row.partition ?? "";
    const others = [await makeDelivery({ partition }), await makeDelivery({ partition })];
    const { parcels } = await admit(partition);
    expect(parcels.map((parcel) => parcel.deliveryIds)).toContainEqual([row.id]);
    expect(parcels.flatMap((parcel) => parcel.deliveryIds).toSorted()).toEqual(
      [row.id, ...others.map((other) => other.id)].toSorted(),
    );
    expect(await begin(row)).toMatchObject({ attemptNumber: 2, token: 2, sameContent: true, key: row.key });
  });

  test("a push collapses again while its budget lasts", async () => {
    const { row } = await begun({ channel: "push" });
    await expireLease(row.id);
    expect(await readDelivery(row.id)).toMatchObject({
      state: "deferred",
      failureCount: 1,
      unresolvedSince: inMs(-leaseMs("push")),
    });
    const spent = await begun({
      channel: "push",
      state: "deferred",
      nextEligibleAt: inMs(-1),
      failureCount: 4,
    });
    await expireLease(spent.row.id);
    expect(await readDelivery(spent.row.id)).toMatchObject({
      state: "dead",
      reason: "outcome_unknown",
      failureCount: 5,
    });
  });

  test("an SMS is not sent again: unknown, to be looked up a minute later, and announced", async () => {
    const { row } = await begun({ channel: "sms" });
    await expireLease(row.id);
    const dead = await readDelivery(row.id);
    expect(dead).toMatchObject({
      state: "dead",
      reason: "outcome_unknown",
      wish: null,
      failureCount: 1,
      reconcileAt: inMs(RECONCILE_AFTER_MS),
      finishedAt: inMs(0),
    });
    expect(await readOutbox("delivery/dead")).toMatchObject([{ eventId: `dead:${dead.burialId}` }]);
  });

  test("an email whose budget is spent dies as unknown, not as exhausted: it may have arrived", async () => {
    const { row } = await begun({
      state: "deferred",
      nextEligibleAt: inMs(-1),
      failureCount: 4,
      attemptCount: 4,
      token: 4,
    });
    await expireLease(row.id);
    expect(await readDelivery(row.id)).toMatchObject({
      state: "dead",
      reason: "outcome_unknown",
      failureCount: 5,
    });
  });

  test("a reminder that was cancelled meanwhile is not tried again; the wish stays beside the unknown outcome", async () => {
    const { row } = await begun();
    await rows(
      database(),
      sql`update reminders set status = 'cancelled', cancelled_at = ledger_now()
        where id = (select reminder_id from occurrences where id = ${row.occurrenceId}::uuid)`,
    );
    await expireLease(row.id);
    expect(await readDelivery(row.id)).toMatchObject({
      state: "dead",
      reason: "outcome_unknown",
      wish: "cancelled",
    });
  });

  test("a second crash keeps the first unknown begin", async () => {
    const { row } = await begun();
    const firstBegun = inMs(0);
    await expireLease(row.id);
    await testClock.set((await readDelivery(row.id)).nextEligibleAt?.getTime() ?? 0);
    await admitRows([row.id]);
    await begin(row);
    await expireLease(row.id);
    expect(await readDelivery(row.id)).toMatchObject({ failureCount: 2, unresolvedSince: firstBegun });
    expect((await readAttempts(row.id)).map((attempt) => attempt.class)).toEqual(["crashed", "crashed"]);
  });
});

test("recovery is bounded, and one partition's recovery leaves the others alone", async () => {
  const [mine, other] = [
    await makePartition({ ceiling: 100, burst: 5 }),
    await makePartition({ ceiling: 100, burst: 5 }),
  ];
  for (let count = 0; count < 3; count += 1) await begun({ partition: mine });
  const left = await begun({ partition: other });
  await testClock.advance(leaseMs("email") + 1000);
  expect(await recover(mine, 2)).toBe(2);
  expect(await recover(mine)).toBe(1);
  expect(await readDelivery(left.row.id)).toMatchObject({ state: "sending" });
});

test("a settlement that is under way is not disturbed, and two sweeps recover each row once", async () => {
  const partition = await makePartition({ ceiling: 100, burst: 5 });
  const made = [];
  for (let count = 0; count < 8; count += 1) made.push(await begun({ partition }));
  await testClock.advance(leaseMs("email") + 1000);
  const held = made[0]?.row.id ?? "";
  await transact(async (tx) => {
    await rows(tx, sql`select id from deliveries where id = ${held}::uuid for update`);
    const counts = await Promise.all([recover(), recover(partition), recover()]);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(7);
  });
  expect(await readDelivery(held)).toMatchObject({ state: "sending" });
  for (const { row } of made.slice(1)) expect(await readDelivery(row.id)).toMatchObject({ failureCount: 1 });
});

test("a run that comes back after its lease claims nothing that others may hold", async () => {
  const { row } = await begun();
  await expireLease(row.id);
  expect((await claim([row])).refused).toEqual([{ deliveryId: row.id, reason: "not_admitted" }]);
});
