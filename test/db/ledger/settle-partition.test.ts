import { beforeEach, describe, expect, test } from "vitest";
import { admit } from "../../../db/admission/admit";
import type { Claim } from "../../../db/ledger/begin";
import { type SettledCall, settleAttempts } from "../../../db/ledger/settle";
import type { Outcome } from "../../../db/rules/outcome";
import { CIRCUIT_PROBE_MS, QUOTA_PROBE_MS } from "../../../db/rules/retry-policy";
import { testClock } from "../../support/database";
import {
  type DeliveryOptions,
  emptyLedger,
  inMs,
  makeDeliveries,
  makeDelivery,
  makePartition,
  setMeter,
} from "../../support/factories";
import {
  ACCEPTED,
  admitRows,
  begin,
  claim,
  ended,
  readDelivery,
  readMeter,
  readPartitionRow,
  settle,
} from "../../support/ledger";

beforeEach(emptyLedger);

async function begun(partition: string, options: DeliveryOptions = {}) {
  const row = await makeDelivery({ partition, ...options });
  await admitRows([row.id]);
  return begin(row);
}

const throttled = (retryAfterMs: number | null, scope: "partition" | "destination" | "unknown"): Outcome => ({
  class: "throttled",
  retryAfterMs,
  scope,
});

describe("a 429 of the partition", () => {
  test("closes the gate until the provider's time, cuts the rate and opens a new epoch, once per overload", async () => {
    const partition = await makePartition({ ceiling: 100, burst: 5 });
    const calls = [await begun(partition), await begun(partition), await begun(partition)];
    const outcome = await settleAttempts(
      partition,
      calls.map((call) => ended(call, throttled(4000, "partition"))),
    );
    expect(outcome.epoch).toBe(2);
    expect(await readMeter(partition)).toMatchObject({
      rate: 70,
      epoch: 2,
      blockedUntil: inMs(4000),
      lastCutAt: inMs(0),
    });
    const waiting = await makeDelivery({ partition });
    expect(await admit(partition)).toMatchObject({ parcels: [], gate: { why: "blocked" } });
    await admitRows([waiting.id]);
    expect((await claim([waiting])).gate).toMatchObject({ why: "blocked" });
    await testClock.advance(4000);
    expect((await admit(partition)).gate).toBeNull();
  });

  test("that persists cuts again: the new epoch's own answer counts", async () => {
    const partition = await makePartition({ ceiling: 100, burst: 5 });
    await settle(await begun(partition), throttled(1000, "partition"));
    await testClock.advance(1000);
    const second = await begun(partition);
    expect(second.epoch).toBe(2);
    await settle(second, throttled(1000, "partition"));
    const { rate, epoch } = await readMeter(partition);
    expect([Math.round(rate * 10) / 10, epoch]).toEqual([49, 3]);
  });

  test("of an older epoch prolongs the gate and cuts nothing", async () => {
    const partition = await makePartition({ ceiling: 100, burst: 5 });
    const [early, late] = [await begun(partition), await begun(partition)];
    await settle(early, throttled(1000, "partition"));
    await settle(late, throttled(9000, "partition"));
    expect(await readMeter(partition)).toMatchObject({ rate: 70, epoch: 2, blockedUntil: inMs(9000) });
  });
});

describe("a 429 that concerns less", () => {
  test("of one destination: only that delivery waits", async () => {
    const partition = await makePartition({ channel: "sms", ceiling: 10 });
    const before = await readMeter(partition);
    const call = await begun(partition, { channel: "sms" });
    await settle(call, throttled(60_000, "destination"));
    expect(await readMeter(partition)).toMatchObject({
      rate: before.rate,
      epoch: 1,
      blockedUntil: before.blockedUntil,
    });
    expect((await readDelivery(call.deliveryId)).nextEligibleAt?.getTime()).toBeGreaterThanOrEqual(
      testClock.nowMs() + 60_000,
    );
  });

  test("of unknown scope: the endpoint first, the host after three different ones in a row", async () => {
    const partition = await makePartition({ channel: "push", ceiling: 100, burst: 5 });
    const push = { channel: "push" } as const;
    const calls: Claim[] = [];
    for (let count = 0; count < 6; count += 1) calls.push(await begun(partition, push));
    const answer = async (index: number, outcome: Outcome) => {
      const call = calls[index];
      if (call === undefined) throw new Error("no call");
      await testClock.advance(10);
      await settle(call, outcome);
      return (await readMeter(partition)).epoch;
    };
    expect(await answer(0, throttled(5000, "unknown"))).toBe(1);
    expect(await answer(1, throttled(5000, "unknown"))).toBe(1);
    expect(await answer(2, ACCEPTED)).toBe(1);
    expect(await answer(3, throttled(5000, "unknown"))).toBe(1);
    expect(await answer(4, throttled(5000, "unknown"))).toBe(1);
    expect(await answer(5, throttled(5000, "unknown"))).toBe(2);
  });
});

describe("a quota that is used up", () => {
  test("parks the partition; after the wait one delivery probes, and its acceptance lets the rest go", async () => {
    const partition = await makePartition({ ceiling: 100, burst: 5 });
    const call = await begun(partition);
    await settle(call, { class: "quota", retryAfterMs: null });
    expect(await readDelivery(call.deliveryId)).toMatchObject({
      state: "deferred",
      failureCount: 0,
      throttleCount: 1,
    });
    expect(await readPartitionRow(partition)).toMatchObject({ parkedUntil: inMs(QUOTA_PROBE_MS) });
    await makeDeliveries(3, { partition });
    expect(await admit(partition)).toMatchObject({ parcels: [], gate: { why: "parked" } });
    await testClock.advance(QUOTA_PROBE_MS);
    const { parcels } = await admit(partition);
    expect(parcels.flatMap((parcel) => parcel.deliveryIds)).toHaveLength(1);
    expect((await admit(partition)).parcels).toEqual([]);
    const probe = await begin(await readDelivery(parcels[0]?.deliveryIds[0] ?? ""));
    expect((await admit(partition)).parcels).toEqual([]);
    await settle(probe, ACCEPTED);
    expect(await readPartitionRow(partition)).toMatchObject({ parkedUntil: null });
    expect(
      (await admit(partition)).parcels.flatMap((parcel) => parcel.deliveryIds).length,
    ).toBeGreaterThanOrEqual(2);
  });

  test("stays parked although calls that left before are accepted after it", async () => {
    const partition = await makePartition({ ceiling: 100, burst: 5 });
    const [before, refused] = [await begun(partition), await begun(partition)];
    await settle(refused, { class: "quota", retryAfterMs: 7_200_000 });
    await testClock.advance(100);
    await settle(before, ACCEPTED);
    expect(await readPartitionRow(partition)).toMatchObject({ parkedUntil: inMs(7_200_000 - 100) });
  });

  test("a probe that is refused again parks again", async () => {
    const partition = await makePartition({ ceiling: 100, burst: 5 });
    await settle(await begun(partition), { class: "quota", retryAfterMs: null });
    await testClock.advance(QUOTA_PROBE_MS);
    await settle(await begun(partition), { class: "quota", retryAfterMs: null });
    expect(await readPartitionRow(partition)).toMatchObject({ parkedUntil: inMs(QUOTA_PROBE_MS) });
  });
});

describe("a configuration that is wrong", () => {
  const rejected: Outcome = { class: "config_rejected" };

  test("opens the circuit, nothing dies, half-open probes one; acceptance closes it", async () => {
    const partition = await makePartition({ ceiling: 100, burst: 5 });
    const call = await begun(partition);
    await settle(call, rejected, { code: "401" });
    expect(await readDelivery(call.deliveryId)).toMatchObject({
      state: "deferred",
      lastClass: "config_rejected",
      failureCount: 0,
    });
    expect(await readPartitionRow(partition)).toMatchObject({
      circuit: "open",
      circuitReason: "401",
      circuitProbeAt: inMs(CIRCUIT_PROBE_MS),
    });
    await makeDeliveries(3, { partition });
    expect(await admit(partition)).toMatchObject({ parcels: [], gate: { why: "circuit_open" } });
    await testClock.advance(CIRCUIT_PROBE_MS);
    const first = await admit(partition);
    expect(first.parcels.flatMap((parcel) => parcel.deliveryIds)).toHaveLength(1);
    const probe = await begin(await readDelivery(first.parcels[0]?.deliveryIds[0] ?? ""));
    await settle(probe, rejected);
    expect(await admit(partition)).toMatchObject({ parcels: [], gate: { why: "circuit_open" } });
    await testClock.advance(CIRCUIT_PROBE_MS);
    const second = await admit(partition);
    await settle(await begin(await readDelivery(second.parcels[0]?.deliveryIds[0] ?? "")), ACCEPTED);
    expect(await readPartitionRow(partition)).toMatchObject({
      circuit: "closed",
      circuitReason: null,
      circuitProbeAt: null,
    });
  });

  test("of one destination alone holds nobody else up", async () => {
    const partition = await makePartition({ channel: "sms", ceiling: 10 });
    await settle(await begun(partition, { channel: "sms" }), {
      class: "config_rejected",
      scope: "destination",
    });
    expect(await readPartitionRow(partition)).toMatchObject({ circuit: "closed" });
  });
});

describe("what the meter learns", () => {
  test("call time and recovery from acceptance, the provider's own ceiling from its headers", async () => {
    const partition = await makePartition({ ceiling: 100, burst: 5 });
    await setMeter(partition, {
      blockedUntil: inMs(-5000),
      rate: 20,
      lastCutAt: inMs(-1000),
      lastFeedbackAt: inMs(-1000),
      callMs: 200,
    });
    const more: Partial<SettledCall> = { callMs: 100, observedRatePerSecond: 30 };
    await settle(await begun(partition), ACCEPTED, more);
    const meter = await readMeter(partition);
    expect(meter).toMatchObject({ observedCeiling: 30, callMs: 190, lastFeedbackAt: inMs(0) });
    expect(meter.rate).toBeGreaterThan(20);
    expect(meter.rate).toBeLessThanOrEqual(30);
  });

  test("nothing from answers that say nothing about the rate", async () => {
    const partition = await makePartition({ ceiling: 100, burst: 5 });
    const calls = [await begun(partition), await begun(partition), await begun(partition)];
    const before = await readMeter(partition);
    const outcomes: Outcome[] = [
      { class: "transient" },
      { class: "message_rejected" },
      { class: "ambiguous" },
    ];
    await settleAttempts(
      partition,
      calls.map((call, index) => ended(call, outcomes[index] ?? ACCEPTED)),
    );
    expect(await readMeter(partition)).toEqual(before);
  });
});
