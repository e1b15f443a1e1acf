import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { type AdmitOutcome, admit, EARLY_MS, releaseAdmissions } from "../../../db/admission/admit";
import { database, rows, transact } from "../../../db/connection";
import { DUE_AHEAD_MS } from "../../../db/rules/slots";
import { testClock } from "../../support/database";
import {
  emptyLedger,
  inMs,
  makeDeliveries,
  makeDelivery,
  makePartition,
  setMeter,
  setPartition,
} from "../../support/factories";
import { begin, claim, readDelivery, settle } from "../../support/ledger";

beforeEach(emptyLedger);

const chosen = (outcome: AdmitOutcome) => outcome.parcels.flatMap((parcel) => parcel.deliveryIds);

/** A partition whose window holds so many: rate × 2 s, with calls that take no time. */
async function makeWindow(size: number): Promise<string> {
  const partition = await makePartition({ ceiling: size / 2, burst: 1 });
  await setMeter(partition, { callMs: 0 });
  return partition;
}

describe("the window", () => {
  test("is filled and no more; what is admitted or being sent counts, what has ended makes room", async () => {
    const partition = await makeWindow(6);
    await makeDeliveries(10, { partition });
    const first = await admit(partition);
    expect(chosen(first)).toHaveLength(6);
    expect(chosen(await admit(partition))).toEqual([]);
    const ready = await readDelivery(chosen(first)[0] ?? "");
    const claimed = await begin(ready);
    expect(chosen(await admit(partition))).toEqual([]);
    await settle(claimed, { class: "message_rejected" });
    expect(chosen(await admit(partition))).toHaveLength(1);
  });

  test("is at least one, however slow the partition", async () => {
    const partition = await makePartition({ ceiling: 0.1 });
    await makeDeliveries(2, { partition });
    expect(chosen(await admit(partition))).toHaveLength(1);
  });

  test("kept rows do not count: a run that waits for a provider's time holds up nobody", async () => {
    const partition = await makeWindow(2);
    for (let count = 0; count < 2; count += 1) {
      await makeDelivery({
        partition,
        state: "deferred",
        keptBy: "run-1",
        keptUntil: inMs(60_000),
        nextEligibleAt: inMs(30_000),
      });
    }
    await makeDeliveries(3, { partition });
    expect(chosen(await admit(partition))).toHaveLength(2);
  });

  test("is closed between the slots of a slow partition, but not to urgent work", async () => {
    const partition = await makePartition({ ceiling: 0.2 });
    await makeDeliveries(3, { partition });
    await setMeter(partition, { readyAt: inMs(5000) });
    expect(await admit(partition)).toMatchObject({ parcels: [], gate: null });
    const code = await makeDelivery({ partition, source: "notice" });
    expect(chosen(await admit(partition))).toEqual([code.id]);
    await testClock.advance(2500);
    await rows(database(), sql`delete from deliveries where id = ${code.id}::uuid`);
    expect(chosen(await admit(partition))).toHaveLength(1);
  });

  test("urgent needs no room in it", async () => {
    const partition = await makeWindow(2);
    await makeDeliveries(3, { partition });
    expect(chosen(await admit(partition))).toHaveLength(2);
    const code = await makeDelivery({ partition, source: "notice" });
    expect(chosen(await admit(partition))).toEqual([code.id]);
  });

  test("other partitions are none of its business", async () => {
    const [mine, other] = [await makeWindow(4), await makeWindow(4)];
    const untouched = await makeDelivery({ partition: other });
    await makeDeliveries(2, { partition: mine });
    expect(chosen(await admit(mine))).toHaveLength(2);
    expect(await readDelivery(untouched.id)).toEqual(untouched);
  });
});

describe("an admission", () => {
  test("is stamped with an id of its own for each parcel, and an end", async () => {
    const partition = await makeWindow(6);
    const [row] = await makeDeliveries(1, { partition });
    const outcome = await admit(partition);
    expect(outcome).toMatchObject({ gate: null, promoted: 0, expired: 0 });
    const [parcel] = outcome.parcels;
    expect(parcel).toMatchObject({ channel: "email", partition, lane: "standard", deliveryIds: [row?.id] });
    expect(await readDelivery(row?.id ?? "")).toMatchObject({
      state: "ready",
      admissionId: parcel?.admissionId,
      admittedAt: inMs(0),
      admittedUntil: inMs(30_000),
    });
  });

  test("that is lost with its event runs out, and its rows are chosen again under a new id", async () => {
    const partition = await makeWindow(2);
    await makeDeliveries(2, { partition });
    const lost = await admit(partition);
    await testClock.advance(29_999);
    expect(chosen(await admit(partition))).toEqual([]);
    await testClock.advance(1);
    const again = await admit(partition);
    expect(chosen(again).toSorted()).toEqual(chosen(lost).toSorted());
    expect(again.parcels.map((parcel) => parcel.admissionId)).not.toContain(lost.parcels[0]?.admissionId);
  });

  test("whose event was refused is taken back at once; what a run has begun meanwhile stays", async () => {
    const partition = await makeWindow(4);
    await makeDeliveries(3, { partition });
    const { parcels } = await admit(partition);
    const begun = await begin(await readDelivery(parcels[0]?.deliveryIds[0] ?? ""));
    await releaseAdmissions(parcels.map((parcel) => parcel.admissionId));
    await releaseAdmissions([]);
    await releaseAdmissions([randomUUID()]);
    expect(await readDelivery(begun.deliveryId)).toMatchObject({ state: "sending", token: 1 });
    expect(chosen(await admit(partition)).toSorted()).toEqual(
      parcels
        .slice(1)
        .flatMap((parcel) => parcel.deliveryIds)
        .toSorted(),
    );
  });

  test("made by two admitters at once holds each row once", async () => {
    const partition = await makeWindow(40);
    await makeDeliveries(60, { partition });
    const outcomes = await Promise.all([
      admit(partition),
      admit(partition),
      admit(partition),
      admit(partition),
    ]);
    const ids = outcomes.flatMap(chosen);
    expect(ids).toHaveLength(40);
    expect(new Set(ids).size).toBe(40);
  });

  test("skips rows that somebody else holds at this moment", async () => {
    const partition = await makeWindow(6);
    const [held, free] = await makeDeliveries(2, { partition });
    await transact(async (tx) => {
      await rows(tx, sql`select id from deliveries where id = ${held?.id ?? ""}::uuid for update`);
      expect(chosen(await admit(partition))).toEqual([free?.id]);
    });
    expect(chosen(await admit(partition))).toEqual([held?.id]);
  });
});

describe("nothing is admitted through a closed gate, but what is past its usefulness ends all the same", () => {
  const gates: [string, (partition: string) => Promise<unknown>, string][] = [
    ["the provider's", (key) => setMeter(key, { blockedUntil: inMs(5000) }), "blocked"],
    ["a pause", (key) => setPartition(key, { pausedBy: "ops", pausedAt: inMs(0) }), "paused"],
    ["rate zero", (key) => setPartition(key, { ceiling: 0 }), "rate_zero"],
    [
      "an open circuit",
      (key) => setPartition(key, { circuit: "open", circuitProbeAt: inMs(5000) }),
      "circuit_open",
    ],
    ["a parked account", (key) => setPartition(key, { parkedUntil: inMs(5000) }), "parked"],
  ];

  test.each(gates)("%s", async (_name, close, why) => {
    const partition = await makeWindow(6);
    await makeDeliveries(2, { partition });
    await makeDelivery({ partition, state: "scheduled", nextEligibleAt: inMs(100) });
    const useless = await makeDelivery({ partition, expiresAt: inMs(0) });
    await close(partition);
    expect(await admit(partition)).toMatchObject({ parcels: [], gate: { why }, expired: 1, promoted: 0 });
    expect(await readDelivery(useless.id)).toMatchObject({ state: "expired", reason: "past_deadline" });
  });

  test("and a partition that does not exist admits nothing", async () => {
    expect(await admit("email:resend:nobody")).toEqual({ parcels: [], gate: null, promoted: 0, expired: 0 });
  });
});

test("what is past its usefulness takes no room from what is not", async () => {
  const partition = await makeWindow(2);
  await makeDeliveries(5, { partition, expiresAt: inMs(0) });
  const wanted = await makeDeliveries(2, { partition });
  const outcome = await admit(partition);
  expect(outcome.expired).toBe(5);
  expect(chosen(outcome).toSorted()).toEqual(wanted.map((row) => row.id).toSorted());
});

describe("ahead of its time", () => {
  test("a row is admitted shortly before it is due, keeps waiting in its place, and cannot be claimed yet", async () => {
    const partition = await makeWindow(6);
    const soon = await makeDelivery({ partition, state: "scheduled", nextEligibleAt: inMs(EARLY_MS) });
    const later = await makeDelivery({ partition, state: "scheduled", nextEligibleAt: inMs(EARLY_MS + 1) });
    expect(chosen(await admit(partition))).toEqual([soon.id]);
    expect(await readDelivery(soon.id)).toMatchObject({
      state: "scheduled",
      admittedUntil: inMs(EARLY_MS + 30_000),
    });
    expect(await readDelivery(later.id)).toEqual(later);
    expect(await claim([soon])).toMatchObject({ begun: [], laterInMs: EARLY_MS - DUE_AHEAD_MS });
    expect(chosen(await admit(partition))).toEqual([later.id].slice(1));
  });

  test("such rows have a window of their own, and are not promoted away from their run", async () => {
    const partition = await makeWindow(2);
    await makeDeliveries(4, { partition });
    for (let count = 0; count < 3; count += 1) {
      await makeDelivery({ partition, state: "scheduled", nextEligibleAt: inMs(500 + count) });
    }
    expect(chosen(await admit(partition))).toHaveLength(4);
    await testClock.advance(1000);
    const { promoted } = await admit(partition);
    expect(promoted).toBe(1);
  });

  test("one whose run never came is promoted when its admission has run out", async () => {
    const partition = await makeWindow(6);
    const row = await makeDelivery({ partition, state: "scheduled", nextEligibleAt: inMs(1000) });
    await admit(partition);
    await testClock.advance(31_000);
    const outcome = await admit(partition);
    expect([outcome.promoted, chosen(outcome)]).toEqual([1, [row.id]]);
  });

  test("not while a closed circuit is being probed: the probe is one delivery", async () => {
    const partition = await makeWindow(6);
    await setPartition(partition, { circuit: "open", circuitProbeAt: inMs(0) });
    await makeDeliveries(2, { partition });
    await makeDelivery({ partition, source: "notice" });
    await makeDelivery({ partition, state: "scheduled", nextEligibleAt: inMs(500) });
    const outcome = await admit(partition);
    expect(chosen(outcome)).toHaveLength(1);
    expect(outcome.parcels[0]?.lane).toBe("urgent");
    expect(chosen(await admit(partition))).toEqual([]);
  });

  test("the probe itself, if nothing else is due: one, and not as late as the pump's rest", async () => {
    const partition = await makeWindow(6);
    await setPartition(partition, { circuit: "open", circuitProbeAt: inMs(0) });
    const soon = await makeDelivery({ partition, state: "scheduled", nextEligibleAt: inMs(500) });
    await makeDelivery({ partition, state: "scheduled", nextEligibleAt: inMs(600) });
    expect(chosen(await admit(partition))).toEqual([soon.id]);
    expect(chosen(await admit(partition))).toEqual([]);
  });
});

test("lanes and passes are stored: the next admission goes on where this one stopped", async () => {
  const partition = await makeWindow(6);
  await makeDeliveries(12, { partition });
  await makeDeliveries(12, { partition, lane: "redrive" });
  const read = () =>
    rows<{ lane: string; virtualTime: number; passFloor: number }>(
      database(),
      sql`select lane, virtual_time as "virtualTime", pass_floor as "passFloor" from lanes where partition = ${partition} order by lane`,
    );
  const seen: string[] = [];
  let before = await read();
  for (let round = 0; round < 4; round += 1) {
    const outcome = await admit(partition);
    seen.push(...outcome.parcels.flatMap((parcel) => parcel.deliveryIds.map(() => parcel.lane)));
    await rows(
      database(),
      sql`update deliveries set admitted_until = ledger_now() where partition = ${partition} and admission_id is not null`,
    );
    await rows(
      database(),
      sql`delete from deliveries where partition = ${partition} and admission_id is not null`,
    );
    const after = await read();
    for (const [index, lane] of after.entries()) {
      expect(lane.virtualTime).toBeGreaterThanOrEqual(before[index]?.virtualTime ?? 0);
      expect(lane.passFloor).toBeGreaterThanOrEqual(before[index]?.passFloor ?? 0);
    }
    before = after;
  }
  expect(seen).toHaveLength(24);
  // 4 : 1 while both lanes wait: of the first fifteen, twelve are the standard lane's.
  expect(Math.abs(seen.slice(0, 15).filter((lane) => lane === "standard").length - 12)).toBeLessThanOrEqual(
    1,
  );
});
