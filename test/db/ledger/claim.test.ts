import { sql } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { database, rows } from "../../../db/connection";
import { leaseMs } from "../../../db/rules/retry-policy";
import { testClock } from "../../support/database";
import {
  type DeliveryOptions,
  type DeliveryRow,
  emptyLedger,
  inMs,
  makeDelivery,
  makePartition,
  setMeter,
  setPartition,
} from "../../support/factories";
import { admitRows, begin, claim, readAttempts, readDelivery, readMeter } from "../../support/ledger";

beforeEach(emptyLedger);

/** A delivery under an admission. */
async function makeAdmitted(options: DeliveryOptions = {}): Promise<DeliveryRow> {
  const row = await makeDelivery(options);
  await admitRows([row.id]);
  return readDelivery(row.id);
}

const UNTOUCHED = { state: "ready", token: 0, attemptCount: 0 };
const GIVEN_BACK = { admissionId: null, admittedUntil: null, keptBy: null, keptUntil: null };

describe("begin", () => {
  test("makes the row sending with a new token and a lease, and writes the attempt down", async () => {
    const row = await makeAdmitted();
    await setMeter(row.partition ?? "", { readyAt: inMs(250), epoch: 4 });
    const claimed = await begin(row);
    expect(claimed).toMatchObject({
      deliveryId: row.id,
      key: row.key,
      reference: row.reference,
      attemptNumber: 1,
      token: 1,
      epoch: 4,
      slotInMs: 250,
      leaseInMs: 250 + leaseMs("email"),
      expiresInSeconds: 86_399,
      content: { text: "Water the plants" },
      sameContent: true,
    });
    expect(await readDelivery(row.id)).toMatchObject({
      ...GIVEN_BACK,
      state: "sending",
      token: 1,
      attemptCount: 1,
      failureCount: 0,
      leaseUntil: inMs(250 + leaseMs("email")),
      firstAttemptAt: inMs(250),
      latestAttemptAt: inMs(250),
      contentHash: claimed.contentHash,
      nextEligibleAt: null,
    });
    expect(await readAttempts(row.id)).toMatchObject([
      {
        id: claimed.attemptId,
        number: 1,
        token: 1,
        runId: "run-1",
        epoch: 4,
        slotAt: inMs(250),
        begunAt: inMs(0),
        settledAt: null,
      },
    ]);
  });

  test("a second attempt keeps the first one's instant and hash, and tells content that differs", async () => {
    const row = await makeAdmitted({
      state: "deferred",
      nextEligibleAt: inMs(-1),
      contentHash: "as first sent",
    });
    const claimed = await begin(row, { hashContent: () => "as rendered now" });
    expect(claimed).toMatchObject({ attemptNumber: 2, token: 2, sameContent: false });
    expect(await readDelivery(row.id)).toMatchObject({
      contentHash: "as first sent",
      firstAttemptAt: row.firstAttemptAt,
      latestAttemptAt: inMs(0),
    });
  });

  test("an urgent notice to an address that is being proved goes", async () => {
    const row = await makeDelivery({ source: "notice" });
    await rows(
      database(),
      sql`update destinations set verified_at = null where id = ${row.destinationId}::uuid`,
    );
    await admitRows([row.id]);
    expect(await begin(row)).toMatchObject({ lane: "urgent" });
  });

  test("slots for a part of a group: the rest is told when to ask again, and waits as it did", async () => {
    const partition = await makePartition({ ceiling: 10, burst: 1 });
    const made = [
      await makeAdmitted({ partition }),
      await makeAdmitted({ partition }),
      await makeAdmitted({ partition }),
    ];
    const outcome = await claim(made);
    expect(outcome.begun.map((one) => one.deliveryId)).toEqual([made[0]?.id]);
    expect(outcome.refused).toEqual([]);
    expect(outcome.retryInMs).toBeGreaterThan(0);
    for (const row of made.slice(1)) expect(await readDelivery(row.id)).toEqual(row);
    expect((await readMeter(partition)).readyAt.getTime()).toBeGreaterThan(testClock.nowMs());
  });

  test("an id that names nothing is a duplicate, and an empty parcel is nothing", async () => {
    const row = await makeAdmitted();
    const nobody = "00000000-0000-4000-8000-000000000000";
    expect((await claim([row], { deliveryIds: [nobody] })).refused).toEqual([
      { deliveryId: nobody, reason: "duplicate" },
    ]);
    expect(await claim([row], { deliveryIds: [] })).toMatchObject({
      begun: [],
      refused: [],
      laterInMs: null,
      retryInMs: null,
    });
  });
});

describe("who may claim", () => {
  test("nobody without an admission", async () => {
    const row = await makeDelivery();
    expect((await claim([row])).refused).toEqual([{ deliveryId: row.id, reason: "not_admitted" }]);
    expect(await readDelivery(row.id)).toEqual(row);
  });

  test("whoever holds an admission, also one that has just run out", async () => {
    const row = await makeAdmitted();
    await testClock.advance(60_000);
    expect(await begin(row)).toMatchObject({ token: 1 });
  });

  test("a kept row only by the run that keeps it, at its time and not before", async () => {
    const kept = {
      state: "deferred",
      keptBy: "run-1",
      keptUntil: inMs(20_000),
      nextEligibleAt: inMs(5000),
    } as const;
    const row = await makeDelivery(kept);
    expect((await claim([row], { runId: "run-2" })).refused).toEqual([
      { deliveryId: row.id, reason: "not_admitted" },
    ]);
    expect(await readDelivery(row.id)).toEqual(row);
    await testClock.advance(5000);
    expect(await begin(row)).toMatchObject({ token: 2 });
  });

  test("a kept row whose run wakes too early goes back without a call", async () => {
    const row = await makeDelivery({
      state: "deferred",
      keptBy: "run-1",
      keptUntil: inMs(20_000),
      nextEligibleAt: inMs(5000),
    });
    expect((await claim([row])).refused).toEqual([{ deliveryId: row.id, reason: "not_eligible" }]);
    expect(await readDelivery(row.id)).toMatchObject({
      ...GIVEN_BACK,
      state: "deferred",
      nextEligibleAt: row.nextEligibleAt,
    });
  });

  test("a row that is due soon is waited for, and keeps its admission", async () => {
    const row = await makeAdmitted({ state: "scheduled", nextEligibleAt: inMs(800) });
    expect(await claim([row])).toMatchObject({ begun: [], refused: [], laterInMs: 740, retryInMs: null });
    expect(await readDelivery(row.id)).toEqual(row);
    await testClock.advance(739);
    expect(await claim([row])).toMatchObject({ begun: [], laterInMs: 1 });
  });

  test("a moment ahead of its time it is claimed, and its slot is its instant", async () => {
    const row = await makeAdmitted({ state: "scheduled", nextEligibleAt: inMs(60) });
    expect(await begin(row)).toMatchObject({ token: 1, slotInMs: 60 });
    expect(await readDelivery(row.id)).toMatchObject({ state: "sending", firstAttemptAt: inMs(60) });
    const last = await makeAdmitted({ partition: row.partition, state: "deferred", nextEligibleAt: inMs(1) });
    expect((await claim([last])).refused).toEqual([{ deliveryId: last.id, reason: "not_eligible" }]);
  });

  test("not the consumer of a partition that was handed over", async () => {
    const row = await makeAdmitted();
    await setPartition(row.partition ?? "", { owner: 2 });
    expect((await claim([row])).refused).toEqual([{ deliveryId: row.id, reason: "stale_owner" }]);
    expect(await readDelivery(row.id)).toMatchObject({ ...UNTOUCHED, ...GIVEN_BACK });
  });

  test.each(["sending", "delivered", "dead", "expired"] as const)("not a row that is %s", async (state) => {
    const row = await makeDelivery({ state });
    expect((await claim([row])).refused).toEqual([{ deliveryId: row.id, reason: "duplicate" }]);
    expect(await readDelivery(row.id)).toEqual(row);
  });
});
