import { afterEach, beforeEach, expect, test } from "vitest";
import { sampleForecasts } from "../../../db/admission/forecast-samples";
import { readCapacity } from "../../../db/console/capacity";
import { readImports } from "../../../db/console/imports";
import { replaceEffects } from "../../../db/effects";
import { fanOut } from "../../../inngest/fan-out";
import { emptyLedger, makeShopper, setMeter } from "../../support/factories";
import { ACCEPTED, admitRows, begin, readDelivery, settle } from "../../support/ledger";
import { announcedIds, follow, record, updates } from "../../support/shipments";
import { testClock } from "../../support/test-clock";

let restore: () => void;

beforeEach(async () => {
  // An engine that takes every event and runs nothing.
  restore = replaceEffects({ fetch: async () => Response.json({ ids: ["event"], status: 200 }) });
  await emptyLedger();
});

afterEach(() => restore());

test("an import tells its progress, its ages, and what the rule said", async () => {
  const one = await makeShopper({ channels: ["email"] });
  const other = await makeShopper({ channels: ["email"] });
  await follow(one.id, { shipment: "a" });
  await follow(other.id, { shipment: "b", milestones: ["returned"] });
  await record({ shipment: "a", status: "delivered" }, { shipment: "b", status: "delivered" });
  await fanOut(await announcedIds());
  expect(await readImports()).toMatchObject([
    { scans: 2, fannedOut: 2, deliveries: 2, waiting: 1, skipped: 1, sent: 0 },
  ]);
  await testClock.advance(2_000);
  const waiting = (await updates()).find((row) => row.state === "ready");
  await admitRows([waiting?.id ?? ""]);
  await settle(await begin(await readDelivery(waiting?.id ?? "")), ACCEPTED);
  const [told] = await readImports();
  expect(told).toMatchObject({ sent: 1, waiting: 0, p50AgeMs: 2_000, p99AgeMs: 2_000 });
  expect(told?.forecastDrainMs).toBeGreaterThan(0);
});

test("what was foretold of an import's end, when all of it waited, stands beside when it ended", async () => {
  const one = await makeShopper({ channels: ["email"] });
  const other = await makeShopper({ channels: ["email"] });
  for (const { id } of [one, other]) for (const shipment of ["a", "b"]) await follow(id, { shipment });
  await record({ shipment: "a", status: "delivered" }, { shipment: "b", status: "delivered" });
  await fanOut(await announcedIds());
  expect((await readImports())[0]?.foretold).toBeNull();
  const rows = await updates();
  const partition = rows[0]?.partition ?? "";
  await setMeter(partition, { rate: 0.9 });
  await testClock.advance(2_000);
  await sampleForecasts(partition);
  // Three stand before the last, each 1 ÷ 0.9 of a call because bulk leaves a tenth to the others: 3.7 s at 0.9 a second.
  const [foretold] = await readImports();
  expect(foretold?.foretold).toMatchObject({ expectedMs: expect.closeTo(5_703.7, 0), happenedMs: null });
  await testClock.advance(4_000);
  for (const row of rows) {
    await admitRows([row.id]);
    await testClock.advance(1_000);
    await settle(await begin(await readDelivery(row.id)), ACCEPTED);
  }
  const [told] = await readImports();
  expect(told?.foretold).toMatchObject({ expectedMs: expect.closeTo(5_703.7, 0) });
  expect(told?.foretold?.happenedMs).toBeGreaterThan(6_000);
  // A faster provider of today changes what the rule says, and not what was foretold.
  await setMeter(partition, { rate: 100 });
  expect((await readImports())[0]?.foretold).toEqual(told?.foretold);
});

test("one scan is no import", async () => {
  await record({ status: "delivered" });
  expect(await readImports()).toEqual([]);
});

test("a burst is forecast in every partition, from the meter while nothing waits", async () => {
  const shopper = await makeShopper({ channels: ["email"] });
  await follow(shopper.id);
  await record({ status: "delivered" });
  await fanOut(await announcedIds());
  const [email] = await readCapacity(1_000);
  expect(email).toMatchObject({ channel: "email", from: "meter", backlogCost: 1 });
  expect(email?.forecast.drainMs).toBeCloseTo((1_001 / (email?.perSecond ?? 0)) * 1000, 3);
});
