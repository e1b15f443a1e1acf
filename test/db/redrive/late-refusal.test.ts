import { beforeEach, expect, test } from "vitest";
import { admit } from "../../../db/admission/admit";
import { readDeliveryStory } from "../../../db/console/delivery";
import { readRedrive } from "../../../db/redrive/read";
import type { Outcome } from "../../../db/rules/outcome";
import { testClock } from "../../support/database";
import { type DeliveryOptions, type DeliveryRow, emptyLedger, makeDelivery } from "../../support/factories";
import {
  ACCEPTED,
  admitRows,
  begin,
  claim,
  expireLease,
  readAttempts,
  readDelivery,
  settle,
} from "../../support/ledger";
import { started, tick } from "../../support/redrives";

beforeEach(emptyLedger);

const WAIT_MS = 600_000;

/** About one address: no gate closes, so that nothing but the row itself can remember the time. */
const REFUSED: Outcome = { class: "throttled", retryAfterMs: WAIT_MS, scope: "destination" };

async function begun(options: DeliveryOptions) {
  const row = await makeDelivery({ contentHash: "hash", ...options });
  await admitRows([row.id]);
  return { row, claimed: await begin(row) };
}

/** Redriven by an operator who names the unknown outcome. */
async function redriven({ partition }: DeliveryRow): Promise<string> {
  const id = await started({ filter: { partition: partition ?? "" }, includeAmbiguous: true });
  await tick(id);
  return id;
}

const chosenNow = async (row: DeliveryRow) =>
  (await admit(row.partition ?? "")).parcels.flatMap((parcel) => parcel.deliveryIds);

test("a late refusal of a delivery that is dead by then: its redrive heeds the time that was named (P3, P4)", async () => {
  const { row, claimed } = await begun({ channel: "sms" });
  await expireLease(row.id);
  expect(await readDelivery(row.id)).toMatchObject({ state: "dead", reason: "outcome_unknown" });
  await testClock.advance(5_000);
  expect((await settle(claimed, REFUSED, { status: 429 })).deliveries[0]).toMatchObject({
    ...{ stale: true, state: "dead" },
  });
  const untilMs = testClock.nowMs() + WAIT_MS;
  const dead = await readDelivery(row.id);
  expect(dead).toMatchObject({ state: "dead", reason: "outcome_unknown", throttleCount: 1 });

  await redriven(row);
  const waiting = await readDelivery(row.id);
  expect(waiting).toMatchObject({
    ...{ state: "deferred", lane: "redrive", key: row.key, reference: row.reference },
    ...{ failureCount: dead.failureCount, throttleCount: 1, attemptCount: 1 },
  });
  expect(waiting.nextEligibleAt?.getTime()).toBeGreaterThanOrEqual(untilMs);
  await testClock.set(untilMs - 1);
  expect(await chosenNow(row)).toEqual([]);
  await admitRows([row.id]);
  expect((await claim([row])).begun).toEqual([]);
  expect(await readAttempts(row.id)).toHaveLength(1);
});

test("until it is redriven nobody is told that it waits for that time", async () => {
  const { row, claimed } = await begun({ channel: "sms" });
  await expireLease(row.id);
  await settle(claimed, REFUSED, { status: 429 });
  expect((await readDeliveryStory(row.reference))?.delivery).toMatchObject({
    state: "dead",
    nextEligibleAtMs: null,
  });
});

test("when that time has passed it goes at once, as every redriven delivery does", async () => {
  const { row, claimed } = await begun({ channel: "sms" });
  await expireLease(row.id);
  await settle(claimed, REFUSED, { status: 429 });
  await testClock.advance(2 * WAIT_MS);
  await redriven(row);
  expect(await readDelivery(row.id)).toMatchObject({ state: "ready", nextEligibleAt: null });
  expect(await chosenNow(row)).toEqual([row.id]);
});

test("it goes once the time has passed, under the same key and with its history", async () => {
  const { row, claimed } = await begun({ channel: "sms" });
  await expireLease(row.id);
  await settle(claimed, REFUSED, { status: 429 });
  const id = await redriven(row);
  await testClock.set((await readDelivery(row.id)).nextEligibleAt?.getTime() ?? 0);
  expect(await chosenNow(row)).toEqual([row.id]);
  const again = await begin(row);
  expect(again.reference).toBe(claimed.reference);
  await settle(again, ACCEPTED);
  expect(await readDelivery(row.id)).toMatchObject({ state: "delivered", key: row.key, attemptCount: 2 });
  expect(await readAttempts(row.id)).toMatchObject([{ class: "throttled" }, { class: "accepted" }]);
  await tick(id);
  expect(await readRedrive(id)).toMatchObject({ value: { progress: { delivered: 1 } } });
});
