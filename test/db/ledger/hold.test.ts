import { beforeEach, describe, expect, test } from "vitest";
import { promoteDue } from "../../../db/admission/promote";
import { transact } from "../../../db/connection";
import { endWaiting, expireDue } from "../../../db/ledger/expire";
import { keepForRun, returnForSlot, returnRows } from "../../../db/ledger/hold";
import { testClock } from "../../support/database";
import {
  emptyLedger,
  inMs,
  makeDeliveries,
  makeDelivery,
  makePartition,
  setMeter,
} from "../../support/factories";
import { admitRows, begin, claim, readDelivery, readOutbox } from "../../support/ledger";

beforeEach(emptyLedger);

const promote = (partition: string | null, limit = 100) =>
  transact((tx) => promoteDue(tx, { partition: partition ?? "", limit }));

describe("a run keeps throttled rows over the provider's wait", () => {
  test("nobody else takes them until shortly after it should have woken", async () => {
    const row = await makeDelivery({ state: "deferred", nextEligibleAt: inMs(5000) });
    expect(await keepForRun([row.id], "run-1", 5000)).toBe(1);
    expect(await readDelivery(row.id)).toMatchObject({
      keptBy: "run-1",
      keptUntil: inMs(15_000),
      nextEligibleAt: inMs(5000),
    });
    await testClock.advance(5000);
    expect(await promote(row.partition)).toBe(0);
    expect((await claim([row], { runId: "run-2" })).refused[0]?.reason).toBe("not_admitted");
    await testClock.advance(10_000);
    expect(await promote(row.partition)).toBe(1);
    expect(await readDelivery(row.id)).toMatchObject({ state: "ready", keptBy: null, keptUntil: null });
    expect((await claim([row])).refused[0]?.reason).toBe("not_admitted");
  });

  test("only rows that wait for a time, and only those that no other run keeps", async () => {
    const deferred = await makeDelivery({ state: "deferred", keptBy: "run-2", keptUntil: inMs(1000) });
    const ready = await makeDelivery();
    const sending = await makeDelivery({ state: "sending" });
    expect(await keepForRun([deferred.id, ready.id, sending.id], "run-1", 1000)).toBe(0);
    expect(await keepForRun([], "run-1", 1000)).toBe(0);
    for (const row of [deferred, ready, sending]) expect(await readDelivery(row.id)).toEqual(row);
  });
});

describe("rows that nobody called about go back", () => {
  test("each in its state, and no further claim by the run that had them", async () => {
    const ready = await makeDelivery();
    const scheduled = await makeDelivery({ state: "scheduled" });
    const kept = await makeDelivery({
      state: "deferred",
      keptBy: "run-1",
      keptUntil: inMs(1000),
      nextEligibleAt: inMs(0),
    });
    const sending = await makeDelivery({ state: "sending" });
    await admitRows([ready.id, scheduled.id]);
    await returnRows([ready.id, scheduled.id, kept.id, sending.id]);
    await returnRows([]);
    for (const row of [ready, scheduled, kept]) {
      expect(await readDelivery(row.id)).toMatchObject({ state: row.state, admissionId: null, keptBy: null });
      expect((await claim([row])).refused[0]?.reason).toBe("not_admitted");
    }
    expect(await readDelivery(sending.id)).toEqual(sending);
  });

  test("a parcel without a slot waits until just before the meter is free, and keeps its place", async () => {
    const partition = await makePartition();
    const row = await makeDelivery({ partition, pass: 7 });
    const sending = await makeDelivery({ partition, state: "sending" });
    await admitRows([row.id]);
    await setMeter(partition, { readyAt: inMs(4000) });
    await returnForSlot(partition, [row.id, sending.id]);
    await returnForSlot(partition, []);
    expect(await readDelivery(row.id)).toMatchObject({
      state: "deferred",
      lastClass: "local_rate_limit",
      nextEligibleAt: inMs(3000),
      pass: 7,
      admissionId: null,
      attemptCount: 0,
      failureCount: 0,
    });
    expect(await readDelivery(sending.id)).toEqual(sending);
    await testClock.advance(3000);
    expect(await promote(partition)).toBe(1);
    expect(await readDelivery(row.id)).toMatchObject({ state: "ready", pass: 7, nextEligibleAt: null });
  });

  test("and never into the past, when the meter is free already", async () => {
    const partition = await makePartition();
    const row = await makeDelivery({ partition });
    await returnForSlot(partition, [row.id]);
    expect(await readDelivery(row.id)).toMatchObject({ state: "deferred", nextEligibleAt: inMs(0) });
  });
});

describe("endings of what waits", () => {
  const end = (ids: string[], reason: Parameters<typeof endWaiting>[2]) =>
    transact((tx) => endWaiting(tx, ids, reason));

  test.each(["scheduled", "ready", "deferred"] as const)(
    "%s ends as expired with the reason",
    async (state) => {
      const row = await makeDelivery({ state });
      expect(await end([row.id], "answered")).toEqual([{ id: row.id, state: "expired" }]);
      expect(await readDelivery(row.id)).toMatchObject({
        state: "expired",
        reason: "answered",
        finishedAt: inMs(0),
        wish: null,
        burialId: null,
      });
    },
  );

  test("with an unknown outcome as dead, the reason beside it as the wish, and its burial announced", async () => {
    const row = await makeDelivery({ state: "deferred", unresolvedSince: inMs(-900) });
    expect(await end([row.id], "cancelled")).toEqual([{ id: row.id, state: "dead" }]);
    const dead = await readDelivery(row.id);
    expect(dead).toMatchObject({
      state: "dead",
      reason: "outcome_unknown",
      wish: "cancelled",
      unresolvedSince: row.unresolvedSince,
    });
    expect((await readOutbox("delivery/dead")).map((event) => event.eventId)).toEqual([
      `dead:${dead.burialId}`,
    ]);
  });

  test("and nothing else moves", async () => {
    for (const state of ["sending", "delivered", "dead", "expired"] as const) {
      const row = await makeDelivery({ state });
      expect(await end([row.id], "cancelled")).toEqual([]);
      expect(await readDelivery(row.id)).toEqual(row);
    }
    expect(await end([], "cancelled")).toEqual([]);
  });
});

describe("what is past its usefulness", () => {
  const expire = (partition: string | null, limit = 100) =>
    transact((tx) => expireDue(tx, { partition, limit }));

  test("expires at its instant, of one partition or of all, a bounded number at a time", async () => {
    const [mine, other] = [await makePartition(), await makePartition()];
    await makeDeliveries(3, { partition: mine, expiresAt: inMs(1000) });
    await makeDeliveries(2, { partition: other, expiresAt: inMs(1000), state: "deferred" });
    await makeDelivery({ partition: mine, expiresAt: inMs(1001) });
    expect(await expire(mine)).toBe(0);
    await testClock.advance(1000);
    expect([await expire(mine, 2), await expire(mine), await expire(mine)]).toEqual([2, 1, 0]);
    expect(await expire(null)).toBe(2);
  });

  test("is left to the run that is sending it", async () => {
    const row = await makeDelivery({ state: "sending", expiresAt: inMs(-1) });
    expect(await expire(null)).toBe(0);
    expect(await readDelivery(row.id)).toEqual(row);
  });

  test("and does not stand behind a claim that is under way", async () => {
    const row = await makeDelivery({ expiresAt: inMs(50) });
    await admitRows([row.id]);
    await begin(row);
    await testClock.advance(100);
    expect(await expire(null)).toBe(0);
  });
});
