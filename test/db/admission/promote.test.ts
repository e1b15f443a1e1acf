import { sql } from "drizzle-orm";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { admit } from "../../../db/admission/admit";
import { promoteDue } from "../../../db/admission/promote";
import { database, rows, transact } from "../../../db/connection";
import { nextPass } from "../../../db/rules/fair-share";
import { testClock } from "../../support/database";
import { emptyLedger, inMs, makeDelivery, makePartition } from "../../support/factories";
import { admitRows, readDelivery } from "../../support/ledger";

beforeEach(emptyLedger);

const promote = (partition: string, limit = 500) => transact((tx) => promoteDue(tx, { partition, limit }));

const setFloor = (partition: string, floor: number) =>
  rows(
    database(),
    sql`update lanes set pass_floor = ${floor} where partition = ${partition} and lane = 'standard'`,
  );

const due = { state: "scheduled", nextEligibleAt: new Date(0) } as const;

describe("a row becomes ready when its time has come", () => {
  test("not a moment sooner, from scheduled and deferred alike", async () => {
    const partition = await makePartition();
    const scheduled = await makeDelivery({ partition, state: "scheduled", nextEligibleAt: inMs(1000) });
    const deferred = await makeDelivery({ partition, state: "deferred", nextEligibleAt: inMs(1000) });
    await testClock.advance(999);
    expect(await promote(partition)).toBe(0);
    await testClock.advance(1);
    expect(await promote(partition)).toBe(2);
    for (const { id } of [scheduled, deferred]) {
      expect(await readDelivery(id)).toMatchObject({
        state: "ready",
        nextEligibleAt: null,
        admissionId: null,
        keptBy: null,
      });
    }
  });

  test("unless a run keeps it, or it was admitted ahead of its time, until that has run out", async () => {
    const partition = await makePartition();
    await makeDelivery({
      partition,
      state: "deferred",
      nextEligibleAt: inMs(0),
      keptBy: "run-1",
      keptUntil: inMs(5000),
    });
    const early = await makeDelivery({ partition, state: "scheduled", nextEligibleAt: inMs(0) });
    await admitRows([early.id]);
    expect(await promote(partition)).toBe(0);
    await testClock.advance(5000);
    expect(await promote(partition)).toBe(1);
    await testClock.advance(25_000);
    expect(await promote(partition)).toBe(1);
  });

  test("a bounded number at a time, the longest due first, and only of this partition", async () => {
    const [partition, other] = [await makePartition(), await makePartition()];
    const made = [];
    for (let late = 1; late <= 4; late += 1) {
      made.push(await makeDelivery({ partition, state: "scheduled", nextEligibleAt: inMs(-late) }));
    }
    const untouched = await makeDelivery({ partition: other, state: "scheduled", nextEligibleAt: inMs(-9) });
    expect(await promote(partition, 3)).toBe(3);
    expect(await readDelivery(made[0]?.id ?? "")).toMatchObject({ state: "scheduled" });
    expect(await promote(partition, 3)).toBe(1);
    expect(await readDelivery(untouched.id)).toEqual(untouched);
  });
});

describe("and gets its pass", () => {
  test("one behind the other within a flow, side by side across flows", async () => {
    const partition = await makePartition();
    await setFloor(partition, 10);
    const hot = [];
    for (let count = 0; count < 3; count += 1) {
      hot.push(await makeDelivery({ ...due, partition, flow: "hot", scheduledAt: inMs(count) }));
    }
    const single = await makeDelivery({ ...due, partition, flow: "single" });
    await promote(partition);
    const passes = await Promise.all(hot.map(async ({ id }) => (await readDelivery(id)).pass));
    expect(passes).toEqual([11, 12, 13]);
    expect((await readDelivery(single.id)).pass).toBe(11);
  });

  test("one that met only the local rate limit keeps the pass it had; one that was called about does not", async () => {
    const partition = await makePartition();
    await setFloor(partition, 50);
    const untried = {
      attemptCount: 0,
      token: 0,
      firstAttemptAt: null,
      latestAttemptAt: null,
      contentHash: null,
      failureCount: 0,
    };
    const limited = await makeDelivery({
      ...due,
      ...untried,
      partition,
      state: "deferred",
      lastClass: "local_rate_limit",
      pass: 7,
    });
    const throttled = await makeDelivery({
      ...due,
      partition,
      state: "deferred",
      lastClass: "throttled",
      pass: null,
    });
    await promote(partition);
    expect((await readDelivery(limited.id)).pass).toBe(7);
    expect((await readDelivery(throttled.id)).pass).toBe(51);
  });

  test("the statement gives what the rule gives, for any floor, waiting row and costs", async () => {
    const partition = await makePartition();
    const cost = fc.integer({ min: 1, max: 11 });
    const input = fc.record({
      floor: fc.integer({ min: 0, max: 30 }),
      waiting: fc.option(fc.integer({ min: 0, max: 30 })),
      costs: fc.array(cost, { minLength: 1, maxLength: 4 }),
    });
    let flows = 0;
    await fc.assert(
      fc.asyncProperty(input, async ({ floor, waiting, costs }) => {
        flows += 1;
        const flow = `flow-${flows}`;
        await setFloor(partition, floor);
        if (waiting !== null) await makeDelivery({ partition, flow, pass: waiting });
        const made: string[] = [];
        for (const [index, each] of costs.entries()) {
          made.push(
            (await makeDelivery({ ...due, partition, flow, cost: each, scheduledAt: inMs(index) })).id,
          );
        }
        await promote(partition);
        let highest: number | null = waiting;
        for (const [index, id] of made.entries()) {
          highest = nextPass(floor, highest, costs[index] ?? 1);
          expect((await readDelivery(id)).pass).toBeCloseTo(highest, 9);
        }
      }),
      { numRuns: 25 },
    );
  });
});

describe("one flow with ten thousand due rows", () => {
  /** Copies of one row, all due before everybody else's. */
  async function crowd(partition: string, count: number): Promise<void> {
    const one = await makeDelivery({ ...due, partition, flow: "m-hot" });
    await database().transaction(async (tx) => {
      await rows(tx, sql`set local session_replication_role = replica`);
      await rows(
        tx,
        sql`insert into deliveries
          select copied.* from deliveries d, generate_series(1, ${count - 1}::int) n,
            lateral jsonb_populate_record(d, jsonb_build_object('id', gen_random_uuid(), 'key', d.key || ':' || n,
              'reference', md5(d.reference || n))) copied
          where d.id = ${one.id}::uuid`,
      );
    });
  }

  test("crowds nobody out: the others are ready after the next admission, whatever their names", async () => {
    const partition = await makePartition({ ceiling: 5, burst: 1 });
    await crowd(partition, 10_000);
    const others = [];
    for (const flow of ["a-first", "m", "z-last"])
      others.push(await makeDelivery({ partition, flow, state: "scheduled", nextEligibleAt: inMs(-1) }));
    const { promoted } = await admit(partition);
    for (const { id } of others) expect((await readDelivery(id)).state).toBe("ready");
    expect(promoted).toBeLessThanOrEqual(60);
    // The hot flow goes on as well, a bounded number at a time, and nobody is chosen behind all of it.
    const chosen = (await admit(partition)).parcels.flatMap((parcel) => parcel.deliveryIds);
    expect(chosen.length).toBeLessThanOrEqual(11);
  });

  test("round after round: more flows than one round goes through are all reached", async () => {
    const partition = await makePartition({ ceiling: 5, burst: 1 });
    await crowd(partition, 600);
    const late = await makeDelivery({
      partition,
      flow: "z-last",
      state: "scheduled",
      nextEligibleAt: inMs(-1),
    });
    for (let flow = 0; flow < 250; flow += 1) {
      const name = `n-${String(flow).padStart(3, "0")}`;
      await makeDelivery({ partition, flow: name, state: "deferred", nextEligibleAt: inMs(60_000) });
    }
    await admit(partition);
    expect((await readDelivery(late.id)).state).toBe("scheduled");
    await admit(partition);
    expect((await readDelivery(late.id)).state).toBe("ready");
  });
});
