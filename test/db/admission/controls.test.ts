import { sql } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { admit } from "../../../db/admission/admit";
import {
  pausePartition,
  resumePartition,
  revertLapsedLimits,
  setLaneWeight,
  setLimits,
  setOwner,
} from "../../../db/admission/controls";
import { renewPump } from "../../../db/admission/pump";
import { database, rows } from "../../../db/connection";
import * as schema from "../../../db/schema";
import { testClock } from "../../support/database";
import { emptyLedger, inMs, makeDelivery, makePartition, setPartition } from "../../support/factories";
import {
  admitRows,
  begin,
  claim,
  readDelivery,
  readMeter,
  readPartitionRow,
  settle,
} from "../../support/ledger";

beforeEach(emptyLedger);

const OPERATOR = { name: "grace", reason: "the provider asked for it" };

const recorded = () => database().select().from(schema.operatorActions);

describe("every control", () => {
  test("is recorded with who and why, and rings a new pump in the same transaction", async () => {
    const key = await makePartition();
    const controls = [
      await setLimits(key, { ceiling: 20, burst: 2, concurrency: 5 }, OPERATOR),
      await setLaneWeight(key, "bulk", 3, OPERATOR),
      await pausePartition(key, 60_000, OPERATOR),
      await resumePartition(key, OPERATOR),
      await setOwner(key, 2, OPERATOR),
    ];
    expect(controls.map((outcome) => outcome.ok && outcome.value.rings)).toEqual(
      [2, 3, 4, 5, 6].map((generation) => [{ partition: key, generation }]),
    );
    expect(await recorded()).toHaveLength(controls.length);
    for (const action of await recorded())
      expect(action).toMatchObject({ operator: "grace", reason: OPERATOR.reason, target: key });
    expect(await renewPump({ partition: key, generation: 1 })).toBe(false);
    expect(await renewPump({ partition: key, generation: 6 })).toBe(true);
  });

  test("is refused without a reason, for nothing, and outside of its bounds; then nothing is recorded", async () => {
    const key = await makePartition();
    const silent = { name: "grace", reason: " " };
    const refused = [
      await setLimits(key, { ceiling: -1 }, OPERATOR),
      await setLimits(key, { ceiling: Number.NaN }, OPERATOR),
      await setLimits(key, { burst: 0 }, OPERATOR),
      await setLimits(key, { concurrency: 1.5 }, OPERATOR),
      await setLaneWeight(key, "express", 1, OPERATOR),
      await setLaneWeight(key, "bulk", 0, OPERATOR),
      await pausePartition(key, 0, OPERATOR),
      await pausePartition(key, null, silent),
      await setOwner(key, 0, OPERATOR),
      await resumePartition("email:resend:nobody", OPERATOR),
    ];
    expect(refused.map((outcome) => outcome.ok)).toEqual(refused.map(() => false));
    expect(await recorded()).toEqual([]);
    expect(await readPartitionRow(key)).toMatchObject({ pumpGeneration: 1, pausedAt: null, owner: 1 });
  });
});

test("a pause stops admitted work too, until its end or until somebody resumes it", async () => {
  const partition = await makePartition({ ceiling: 100, burst: 5 });
  const row = await makeDelivery({ partition });
  await admitRows([row.id]);
  await pausePartition(partition, 60_000, OPERATOR);
  expect(await readPartitionRow(partition)).toMatchObject({ pausedBy: "grace", pausedUntil: inMs(60_000) });
  expect((await claim([row])).gate).toMatchObject({ why: "paused" });
  expect((await admit(partition)).gate).toMatchObject({ why: "paused" });
  await testClock.advance(60_000);
  expect((await admit(partition)).gate).toBeNull();
  await pausePartition(partition, null, OPERATOR);
  expect((await admit(partition)).gate).toEqual({ why: "paused", untilMs: null });
});

test("a resumed partition starts low, in a new epoch, and probes what had closed it", async () => {
  const partition = await makePartition({ ceiling: 100, burst: 5 });
  await setPartition(partition, { circuit: "open", circuitProbeAt: inMs(99_000), parkedUntil: inMs(99_000) });
  await pausePartition(partition, null, OPERATOR);
  await resumePartition(partition, OPERATOR);
  expect(await readMeter(partition)).toMatchObject({ rate: 20, epoch: 2 });
  expect(await readPartitionRow(partition)).toMatchObject({
    pausedAt: null,
    circuitProbeAt: inMs(0),
    parkedUntil: inMs(0),
  });
  await makeDelivery({ partition });
  await makeDelivery({ partition });
  expect((await admit(partition)).parcels.flatMap((parcel) => parcel.deliveryIds)).toHaveLength(1);
});

test("a partition that is resumed while it sends still keeps to its rate and burst (P7)", async () => {
  const partition = await makePartition({ ceiling: 1, burst: 1 });
  const slotsAtMs: number[] = [];
  for (let turn = 0; turn < 6; turn += 1) {
    const row = await makeDelivery({ partition });
    await admitRows([row.id]);
    const { begun, nowMs } = await claim([row]);
    slotsAtMs.push(...begun.map(({ slotInMs }) => nowMs + slotInMs));
    await resumePartition(partition, OPERATOR);
    await testClock.advance(110);
  }
  const inSecond = (atMs: number) =>
    slotsAtMs.filter((other) => other >= atMs && other < atMs + 1_000).length;
  expect(Math.max(...slotsAtMs.map(inSecond))).toBeLessThanOrEqual(2);
});

test("a hand-over takes what waits, leaves what is being sent, and refuses the old consumer", async () => {
  const partition = await makePartition({ ceiling: 100, burst: 5 });
  const sending = await makeDelivery({ partition });
  await admitRows([sending.id]);
  await begin(sending);
  const waiting = await makeDelivery({ partition, state: "deferred" });
  const ended = await makeDelivery({ partition, state: "delivered" });
  await setOwner(partition, 2, OPERATOR);
  const owners = await Promise.all(
    [sending, waiting, ended].map(async ({ id }) => (await readDelivery(id)).owner),
  );
  expect(owners).toEqual([1, 2, 1]);
  const [action] = await recorded();
  expect(action).toMatchObject({ action: "owner", details: { owner: 2, moved: 1 } });
});

test("what a hand-over could not see goes on with the next admission: opened at that moment, or handed back by its holder", async () => {
  const partition = await makePartition({ ceiling: 100, burst: 5 });
  const sending = await makeDelivery({ partition });
  await admitRows([sending.id]);
  const held = await begin(sending);
  await setOwner(partition, 2, OPERATOR);
  await settle(held, { class: "not_made" });
  // The statement of an opening that began before the hand-over knows the owner of before.
  const opened = await makeDelivery({ partition });
  expect(await readDelivery(sending.id)).toMatchObject({ state: "ready", owner: 1 });
  expect(await readDelivery(opened.id)).toMatchObject({ state: "ready", owner: 1 });
  const admitted = (await admit(partition)).parcels.flatMap((parcel) => parcel.deliveryIds);
  expect(admitted.toSorted()).toEqual([sending.id, opened.id].toSorted());
  const { begun, refused } = await claim([sending, opened]);
  expect(refused).toEqual([]);
  expect(begun).toHaveLength(2);
});

test("a lane's weight is its share from the next admission on", async () => {
  const key = await makePartition();
  await setLaneWeight(key, "redrive", 0.5, OPERATOR);
  const lanes = await rows<{ lane: string; weight: number }>(
    database(),
    sql`select lane, weight from lanes where partition = ${key} and lane in ('redrive', 'bulk') order by lane`,
  );
  expect(lanes).toEqual([
    { lane: "bulk", weight: 2 },
    { lane: "redrive", weight: 0.5 },
  ]);
});

describe("limits that are changed for a while", () => {
  const limitsOf = async (key: string) => {
    const { ceiling, burst, concurrency } = await readPartitionRow(key);
    return { ceiling, burst, concurrency };
  };

  test("come back by themselves, on record, with a new pump; not before", async () => {
    const key = await makePartition({ ceiling: 10, burst: 3 });
    const before = await limitsOf(key);
    await setLimits(key, { ceiling: 4 }, OPERATOR, 60_000);
    await setLimits(key, { ceiling: 2, burst: 1 }, OPERATOR, 60_000);
    expect(await revertLapsedLimits()).toEqual([]);
    await testClock.advance(60_000);
    expect(await revertLapsedLimits()).toEqual([{ partition: key, generation: 4 }]);
    expect(await limitsOf(key)).toEqual(before);
    expect(await revertLapsedLimits()).toEqual([]);
    expect((await recorded()).filter(({ operator }) => operator === "punctual")).toHaveLength(1);
  });

  test("come back for an account's senders as well: theirs are the pumps that look", async () => {
    const account = await makePartition({ channel: "sms" });
    const sender = await makePartition({ channel: "sms" });
    await setPartition(sender, { account });
    await setLimits(account, { ceiling: 1 }, OPERATOR, 60_000);
    await testClock.advance(60_000);
    const rings = await revertLapsedLimits();
    expect(rings.map(({ partition }) => partition).toSorted()).toEqual([account, sender].toSorted());
    expect(rings.every(({ generation }) => generation === 3)).toBe(true);
  });

  test("stay when somebody then sets them without an end", async () => {
    const key = await makePartition({ ceiling: 10 });
    await setLimits(key, { ceiling: 4 }, OPERATOR, 60_000);
    await setLimits(key, { ceiling: 5 }, OPERATOR);
    await testClock.advance(120_000);
    expect(await revertLapsedLimits()).toEqual([]);
    expect(await limitsOf(key)).toMatchObject({ ceiling: 5 });
  });
});
