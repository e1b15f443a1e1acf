import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";
import { admit } from "../../../db/admission/admit";
import { pausePartition, setLimits } from "../../../db/admission/controls";
import { ensurePartitions, type PartitionDefaults } from "../../../db/admission/partitions";
import { database, rows } from "../../../db/connection";
import { testClock } from "../../support/database";
import {
  type DeliveryRow,
  emptyLedger,
  inMs,
  makeDeliveries,
  makeDelivery,
  setMeter,
} from "../../support/factories";
import { interleave, randomFrom } from "../../support/interleave";
import { admitRows, begin, claim, readMeter, readPartitionRow, settle } from "../../support/ledger";
import { mostInOneSecond } from "../rules/meters";

beforeEach(emptyLedger);

const OPERATOR = { name: "grace", reason: "the account has a new contract" };
const TICK_MS = 20;

/** Two senders of one account. */
async function makeSenders(rates: { account: number; sender: number; burst?: number }) {
  const { burst = 2 } = rates;
  const sms = { channel: "sms", provider: "twilio", concurrency: 1000, burst } as const;
  const account = { ...sms, key: `sms:twilio:AC${randomUUID()}`, ceiling: rates.account };
  const sender = (number: number): PartitionDefaults => ({
    ...sms,
    key: `${account.key}:+1500555000${number}`,
    ceiling: rates.sender,
    account,
  });
  const senders = [sender(1), sender(2)];
  await ensurePartitions(database(), senders);
  const [first = "", second = ""] = senders.map(({ key }) => key);
  return { account: account.key, senders: [first, second] as const };
}

const makeSms = (count: number, partition: string) => makeDeliveries(count, { partition, channel: "sms" });

const slotsOf = async (partition: string): Promise<number[]> =>
  (
    await rows<{ ms: number }>(
      database(),
      sql`select epoch_ms(a.slot_at) as ms from attempts a join deliveries d on d.id = a.delivery_id
        where d.partition = ${partition}`,
    )
  ).map((row) => row.ms);

async function claimAsFastAsPossible(waiting: readonly DeliveryRow[][]): Promise<void> {
  const open = new Set(waiting.flat().map((row) => row.id));
  await admitRows([...open]);
  const { refused, stop } = interleave(randomFrom(5));
  try {
    for (let tick = 0; open.size > 0 && tick < 400; tick += 1) {
      await Promise.all(
        waiting.map(async (all, index) => {
          const left = all.filter((row) => open.has(row.id));
          if (left.length === 0) return;
          const { begun } = await claim(left, { runId: `run-${index}` });
          for (const claimed of begun) open.delete(claimed.deliveryId);
        }),
      );
      await testClock.advance(TICK_MS);
    }
  } finally {
    stop();
  }
  expect(refused, "deadlocks").toEqual([]);
  expect(open.size).toBe(0);
}

test("P7: the senders keep their own rates and together the account's, and use up the narrower", async () => {
  const { senders } = await makeSenders({ account: 30, sender: 20 });
  const startMs = testClock.nowMs();
  await claimAsFastAsPossible([await makeSms(40, senders[0]), await makeSms(40, senders[1])]);
  const [first, second] = [await slotsOf(senders[0]), await slotsOf(senders[1])];
  expect(mostInOneSecond(first)).toBeLessThanOrEqual(20 + 2);
  expect(mostInOneSecond(second)).toBeLessThanOrEqual(20 + 2);
  expect(mostInOneSecond([...first, ...second])).toBeLessThanOrEqual(30 + 2);
  // 80 sends at the account's 30 per second, not at the senders' 40.
  const tookMs = Math.max(...first, ...second) - startMs;
  expect(tookMs).toBeGreaterThanOrEqual((78 / 30) * 1000);
  expect(tookMs).toBeLessThanOrEqual((80 / 30) * 1000 + 8 * TICK_MS);
});

test("a sender whose account has no slot takes none of its own, and is told when to ask", async () => {
  const { account, senders } = await makeSenders({ account: 30, sender: 20 });
  const [row] = await makeSms(1, senders[0]);
  if (row === undefined) throw new Error("no delivery");
  await setMeter(account, { readyAt: inMs(3000) });
  const before = [await readMeter(account), await readMeter(senders[0])];
  await admitRows([row.id]);
  expect(await claim([row])).toMatchObject({ begun: [], retryInMs: 2500 });
  expect([await readMeter(account), await readMeter(senders[0])]).toEqual(before);
});

test("a 429 of the account closes and cuts it for every sender, and voids what the others had reserved", async () => {
  const { account, senders } = await makeSenders({ account: 30, sender: 20 });
  const other = await makeDelivery({ partition: senders[1], channel: "sms" });
  const first = await makeDelivery({ partition: senders[0], channel: "sms" });
  await admitRows([first.id, other.id]);
  const refused = await begin(first);
  const held = await begin(other);
  expect(refused.epoch).toBe(2);
  const { epoch } = await settle(refused, { class: "throttled", scope: "account", retryAfterMs: 4000 });
  expect(epoch).toBeGreaterThan(held.epoch);
  expect(await readMeter(account)).toMatchObject({ rate: 21, epoch: 2, blockedUntil: inMs(4000) });
  expect(await readMeter(senders[0])).toMatchObject({ rate: 20, epoch: 1 });
  expect(await admit(senders[1])).toMatchObject({ gate: { why: "blocked" } });
  await testClock.advance(4000);
  expect((await admit(senders[1])).gate).toBeNull();
});

test("without an account such a 429 is the partition's own", async () => {
  const row = await makeDelivery({ channel: "sms" });
  await admitRows([row.id]);
  const claimed = await begin(row);
  await settle(claimed, { class: "throttled", scope: "account", retryAfterMs: 4000 });
  expect(await readMeter(claimed.partition)).toMatchObject({ epoch: 2, blockedUntil: inMs(4000) });
});

test("operators turn the account like a partition: rate and pause hold for its senders, whose pumps are rung", async () => {
  const { account, senders } = await makeSenders({ account: 30, sender: 20 });
  const row = await makeDelivery({ partition: senders[0], channel: "sms" });
  await admitRows([row.id]);
  const turned = await setLimits(account, { ceiling: 0 }, OPERATOR);
  expect(turned.ok && turned.value.rings).toEqual(
    [account, ...senders].map((partition) => ({ partition, generation: 2 })),
  );
  expect((await readPartitionRow(senders[1])).pumpGeneration).toBe(2);
  expect((await claim([row])).gate).toEqual({ why: "rate_zero", untilMs: null });
  await setLimits(account, { ceiling: 30 }, OPERATOR);
  await pausePartition(account, 1000, OPERATOR);
  expect((await admit(senders[0])).gate).toMatchObject({ why: "paused" });
  await testClock.advance(1000);
  expect((await admit(senders[0])).gate).toBeNull();
});

test("a partition that exists already is given its account, once; an account counts its senders' calls in flight", async () => {
  const { account, senders } = await makeSenders({ account: 1000, sender: 1000, burst: 50 });
  const [wanted] = senders;
  const third = { channel: "sms", provider: "twilio", concurrency: 9, burst: 9, ceiling: 9 } as const;
  await ensurePartitions(database(), [{ ...third, key: wanted }]);
  expect((await readPartitionRow(wanted)).account).toBe(account);
  await ensurePartitions(database(), [{ ...third, key: `${account}:late` }]);
  await ensurePartitions(database(), [
    { ...third, key: `${account}:late`, account: { ...third, key: account } },
  ]);
  expect(await readPartitionRow(`${account}:late`)).toMatchObject({ account, ceiling: 9 });
  await rows(database(), sql`update partitions set concurrency = 3 where key = ${account}`);
  const [mine, others] = [await makeSms(3, senders[0]), await makeSms(3, senders[1])];
  await admitRows([...mine, ...others].map((row) => row.id));
  expect((await claim(mine.slice(0, 2))).begun).toHaveLength(2);
  expect((await claim(others)).begun).toHaveLength(1);
  expect((await claim(others.slice(1))).begun).toHaveLength(0);
});
