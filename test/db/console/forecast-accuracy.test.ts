import { beforeEach, expect, test } from "vitest";
import { sampleForecasts } from "../../../db/admission/forecast-samples";
import { database } from "../../../db/connection";
import { readForecastAccuracy } from "../../../db/console/forecast-accuracy";
import * as schema from "../../../db/schema";
import { testClock } from "../../support/database";
import {
  emptyLedger,
  inMs,
  makeDeliveries,
  makeDelivery,
  makePartition,
  setMeter,
} from "../../support/factories";
import { ACCEPTED, admitRows, begin, readDelivery, settle } from "../../support/ledger";

beforeEach(emptyLedger);

const DAY_MS = 86_400_000;
const read = () => database().select().from(schema.forecasts);

test("a sample takes the last of each lane and the next that becomes due, each once", async () => {
  const partition = await makePartition({ ceiling: 10 });
  const ready = await makeDeliveries(30, { partition });
  const bulk = await makeDelivery({ partition, lane: "bulk" });
  const deferred = await makeDelivery({ partition, state: "deferred", nextEligibleAt: inMs(60_000) });
  await makeDelivery({ partition, state: "deferred", nextEligibleAt: inMs(90_000) });
  expect(await sampleForecasts(partition)).toBe(3);
  expect(await sampleForecasts(partition)).toBe(0);
  const made = await read();
  expect(made.map((row) => row.deliveryId).toSorted()).toEqual(
    [ready.at(-1)?.id, bulk.id, deferred.id].toSorted(),
  );
  expect(made.find((row) => row.deliveryId === deferred.id)?.expectedAt).toEqual(inMs(60_000));
});

test("when a forecast delivery is accepted its error is known, and reported by channel and lane", async () => {
  const partition = await makePartition({ ceiling: 10 });
  const row = await makeDelivery({ partition, state: "scheduled", nextEligibleAt: inMs(5000) });
  await sampleForecasts(partition);
  expect(await readForecastAccuracy(DAY_MS)).toEqual([]);
  await testClock.advance(5000);
  await admitRows([row.id]);
  const claimed = await begin(row);
  await testClock.advance(700);
  await settle(claimed, ACCEPTED);
  expect((await read())[0]).toMatchObject({ expectedAt: inMs(-700), acceptedAt: inMs(0) });
  const expected = { count: 1, errorP50Ms: 700, absoluteP50Ms: 700, absoluteP90Ms: 700, withinRange: 1 };
  expect(await readForecastAccuracy(DAY_MS)).toEqual([{ channel: "email", lane: "standard", ...expected }]);
  await testClock.advance(DAY_MS + 1);
  expect(await readForecastAccuracy(DAY_MS)).toEqual([]);
});

test("one that a 429 delays is late by as much, and one that never arrives is not counted", async () => {
  const partition = await makePartition({ ceiling: 10 });
  const row = await makeDelivery({ partition });
  await sampleForecasts(partition);
  await admitRows([row.id]);
  await settle(await begin(row), { class: "throttled", retryAfterMs: 60_000, scope: "partition" });
  await testClock.advance(62_000);
  await setMeter(partition, { readyAt: inMs(0) });
  await admitRows([row.id]);
  await settle(await begin(await readDelivery(row.id)), ACCEPTED);
  const rejected = await makeDelivery({ partition });
  await sampleForecasts(partition);
  await admitRows([rejected.id]);
  await testClock.advance(1000);
  await settle(await begin(rejected), { class: "message_rejected" });
  const [accuracy] = await readForecastAccuracy(DAY_MS);
  expect(accuracy).toMatchObject({ count: 1, withinRange: 0 });
  expect(accuracy?.errorP50Ms).toBeGreaterThanOrEqual(60_000);
});
