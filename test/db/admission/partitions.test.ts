import { sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";
import { partitionFor } from "../../../db/admission/partition-defaults";
import {
  ensurePartitions,
  lockingMeters,
  type MeterRow,
  type PartitionDefaults,
  processGeneration,
  readPartition,
  storingMeters,
} from "../../../db/admission/partitions";
import { database, rows, transact } from "../../../db/connection";
import { LANE_WEIGHTS } from "../../../db/rules/fair-share";
import { testClock } from "../../support/database";
import { emptyLedger, inMs, makePartition, setMeter, setPartition } from "../../support/factories";
import { interleave, randomFrom } from "../../support/interleave";
import { readMeter, readPartitionRow } from "../../support/ledger";

beforeEach(emptyLedger);

const pushHosts = (count: number): PartitionDefaults[] =>
  Array.from({ length: count }, (_, index) => ({
    ...partitionFor("push", `https://host-${index}.push.example/device`),
  }));

test("two openings that need the same new partitions in opposite orders do not lock each other out", async () => {
  const { refused, stop } = interleave(randomFrom(7));
  try {
    for (let round = 0; round < 8; round += 1) {
      await emptyLedger();
      const wanted = pushHosts(200);
      await Promise.all(
        [wanted, wanted.toReversed(), wanted].map((list) => transact((tx) => ensurePartitions(tx, list))),
      );
      const [found] = await rows<{ partitions: number; meters: number; lanes: number }>(
        database(),
        sql`select (select count(*)::int from partitions) as partitions, (select count(*)::int from meters) as meters,
          (select count(*)::int from lanes) as lanes`,
      );
      expect(found).toEqual({ partitions: 200, meters: 200, lanes: 800 });
    }
  } finally {
    stop();
  }
  expect(refused).toEqual([]);
});

test("an existing partition keeps what operators set", async () => {
  const [wanted] = pushHosts(1);
  if (wanted === undefined) throw new Error("no partition");
  await ensurePartitions(database(), [wanted]);
  await setPartition(wanted.key, { ceiling: 3, pausedBy: "ops", pausedAt: inMs(0) });
  await setMeter(wanted.key, { rate: 2 });
  await ensurePartitions(database(), [{ ...wanted, ceiling: 500 }]);
  await ensurePartitions(database(), []);
  expect(await readPartitionRow(wanted.key)).toMatchObject({ ceiling: 3, pausedBy: "ops" });
  expect((await readMeter(wanted.key)).rate).toBe(2);
});

test("a partition is read with its meter and the ledger's state; an unknown one is none", async () => {
  const key = await makePartition({ ceiling: 20, burst: 2 });
  await setPartition(key, {
    circuit: "open",
    circuitProbeAt: inMs(500),
    parkedUntil: inMs(600),
    pumpUntil: inMs(700),
  });
  await setMeter(key, { observedCeiling: 7, lastCutAt: inMs(-5), lastFeedbackAt: inMs(-4) });
  const nowMs = testClock.nowMs();
  expect(await readPartition(database(), key)).toEqual({
    key,
    channel: "email",
    owner: 1,
    concurrency: expect.any(Number),
    headroom: 0.1,
    ceiling: 20,
    burst: 2,
    laneClock: 0,
    circuit: "open",
    circuitProbeAtMs: nowMs + 500,
    parkedUntilMs: nowMs + 600,
    pausedAtMs: null,
    pausedUntilMs: null,
    pumpGeneration: 1,
    pumpUntilMs: nowMs + 700,
    promotedFlow: null,
    account: null,
    mode: "sending",
    ledgerGeneration: "g1",
    processGeneration: processGeneration(),
    meter: {
      rate: 20,
      readyAtMs: nowMs,
      blockedUntilMs: nowMs,
      epoch: 1,
      lastCutAtMs: nowMs - 5,
      observedCeiling: 7,
      callMs: 200,
      calmCallMs: null,
      urgentReadyAtMs: nowMs,
      lastFeedbackAtMs: nowMs - 4,
    },
  });
  expect(await readPartition(database(), "email:resend:nobody")).toBeNull();
});

test("a meter comes back as it was stored, to the microsecond", async () => {
  const key = await makePartition();
  const base = testClock.nowMs();
  const stored = {
    rate: 33.3,
    readyAtMs: base + 0.123,
    blockedUntilMs: base + 1000.5,
    epoch: 9,
    lastCutAtMs: base - 0.001,
    observedCeiling: 12.5,
    callMs: 81.25,
    calmCallMs: 80,
    urgentReadyAtMs: base + 7.007,
    lastFeedbackAtMs: null,
  };
  const [read] = await transact(async (tx) => {
    const facts = await readPartition(tx, key);
    if (facts === null) throw new Error("no partition");
    await rows(tx, lockingMeters(key));
    for (const statement of storingMeters(facts, [stored])) await rows(tx, statement);
    return rows<MeterRow>(tx, lockingMeters(key));
  });
  for (const [name, value] of Object.entries(stored)) {
    const found = read?.[name as keyof MeterRow];
    if (value === null) expect(found).toBeNull();
    else expect(found, name).toBeCloseTo(value, 3);
  }
});

test("an opening does not stand behind an admission of the same partition", async () => {
  const key = await makePartition();
  await transact(async (tx) => {
    await readPartition(tx, key, { lock: true });
    // What the foreign key of a new delivery does, from another connection; a wait would be a lock timeout.
    await transact(async (other) => {
      await rows(other, sql`set local lock_timeout = '500ms'`);
      await rows(other, sql`select key from partitions where key = ${key} for key share`);
    });
  });
});

test("each channel's partition starts with its own rate, and a burst that is a small part of it", () => {
  expect(partitionFor("email", "a@shopper.example")).toMatchObject({
    channel: "email",
    provider: "resend",
    ceiling: 5,
    burst: 1,
  });
  expect(partitionFor("sms", "+12025550100")).toMatchObject({ provider: "twilio", ceiling: 1, burst: 1 });
  expect(partitionFor("push", "https://push.example/x")).toMatchObject({
    key: "push:push.example",
    provider: "web-push",
    ceiling: 100,
    burst: 5,
  });
  expect(Object.values(LANE_WEIGHTS).every((weight) => weight > 0)).toBe(true);
});
