import { sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";
import { database, rows } from "../../../db/connection";
import type { Claim } from "../../../db/ledger/begin";
import { testClock } from "../../support/database";
import {
  type DeliveryRow,
  emptyLedger,
  makeDeliveries,
  makePartition,
  setPartition,
} from "../../support/factories";
import { interleave, randomFrom } from "../../support/interleave";
import { admitRows, claim, settle } from "../../support/ledger";

beforeEach(emptyLedger);

const RATE = 50;
const BURST = 3;
const TICK_MS = 20;

/** The most slots in any one-second window. */
function mostInOneSecond(slotsMs: readonly number[]): number {
  const sorted = slotsMs.toSorted((a, b) => a - b);
  return Math.max(
    ...sorted.map((first) => sorted.filter((slot) => slot >= first && slot < first + 1000).length),
  );
}

const slotsOf = async (): Promise<number[]> =>
  (await rows<{ ms: number }>(database(), sql`select epoch_ms(slot_at) as ms from attempts`)).map(
    (row) => row.ms,
  );

test("P7: four runs and an urgent one that claim as fast as they can keep the rate, and use it up", async () => {
  const partition = await makePartition({ ceiling: RATE, burst: BURST });
  await setPartition(partition, { concurrency: 1000 });
  const waiting = await makeDeliveries(90, { partition });
  const codes = await makeDeliveries(12, { partition, source: "notice" });
  await admitRows([...waiting, ...codes].map((row) => row.id));
  const { stop } = interleave(randomFrom(3));
  const startMs = testClock.nowMs();
  const open = new Set([...waiting, ...codes].map((row) => row.id));
  const run = async (mine: readonly DeliveryRow[], runId: string) => {
    const left = mine.filter((row) => open.has(row.id));
    if (left.length === 0) return;
    for (const begun of (await claim(left, { runId })).begun) {
      expect(open.delete(begun.deliveryId), "begun once").toBe(true);
    }
  };
  try {
    for (let tick = 0; open.size > 0 && tick < 200; tick += 1) {
      const parcels = [0, 1, 2, 3].map((part) => waiting.filter((_, index) => index % 4 === part));
      await Promise.all([...parcels.map((mine, part) => run(mine, `run-${part}`)), run(codes, "run-urgent")]);
      await testClock.advance(TICK_MS);
    }
  } finally {
    stop();
  }
  const slots = await slotsOf();
  expect(slots).toHaveLength(102);
  expect(mostInOneSecond(slots)).toBeLessThanOrEqual(RATE + BURST);
  // 102 sends at 50 per second take two seconds: no slot was left out.
  expect(Math.max(...slots) - startMs).toBeLessThanOrEqual((102 / RATE) * 1000 + 2 * TICK_MS);
});

test("P3: after a 429 no slot of the new epoch lies before the gate, whoever asks", async () => {
  const partition = await makePartition({ ceiling: RATE, burst: BURST });
  const made = await makeDeliveries(30, { partition });
  await admitRows(made.map((row) => row.id));
  const first: Claim[] = (await claim(made)).begun;
  expect(first.length).toBeGreaterThan(1);
  const [refused] = first;
  if (refused === undefined) throw new Error("nothing begun");
  await settle(refused, { class: "throttled", retryAfterMs: 3000, scope: "partition" });
  const gateMs = testClock.nowMs() + 3000;
  const rest = made.filter((row) => !first.some((claimed) => claimed.deliveryId === row.id));
  for (let tick = 0; tick < 10; tick += 1) {
    await testClock.advance(400);
    await admitRows(rest.map((row) => row.id));
    await Promise.all([claim(rest, { runId: "run-1" }), claim(rest, { runId: "run-2" })]);
  }
  const later = await rows<{ ms: number; epoch: number }>(
    database(),
    sql`select epoch_ms(slot_at) as ms, epoch::int as epoch from attempts where epoch > 1`,
  );
  expect(later.length).toBeGreaterThan(10);
  for (const { ms } of later) expect(ms).toBeGreaterThanOrEqual(gateMs);
});
