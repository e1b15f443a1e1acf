import { beforeEach, describe, expect, test } from "vitest";
import { predictCeiling, predictLaneShares, predictPause } from "../../../db/console/predictions";
import { emptyLedger, inMs, makeDelivery, makePartition, makeReminder } from "../../support/factories";

const MINUTE_MS = 60_000;

beforeEach(emptyLedger);

describe("what a pause would do", () => {
  test("counts what would have left, what comes due meanwhile, and what is of no use at its end", async () => {
    const partition = await makePartition({ channel: "sms" });
    await makeDelivery({ channel: "sms", partition });
    await makeDelivery({ channel: "sms", partition, expiresAt: inMs(10 * MINUTE_MS) });
    // After its end, or on another channel: not delayed.
    await makeDelivery({
      channel: "sms",
      partition,
      state: "scheduled",
      nextEligibleAt: inMs(60 * MINUTE_MS),
    });
    await makeDelivery({ channel: "email" });
    await makeReminder({ channels: ["sms"], dueInMs: 10 * MINUTE_MS });
    await makeReminder({ channels: ["sms"], dueInMs: 50 * MINUTE_MS });
    await makeReminder({ channels: ["email"], dueInMs: 10 * MINUTE_MS });
    expect(await predictPause(partition, 30 * MINUTE_MS)).toEqual({
      waiting: 2,
      comingDue: 1,
      pastDeadline: 1,
    });
  });

  test("without an end it holds everything, and everything passes its deadline", async () => {
    const partition = await makePartition();
    await makeDelivery({ partition });
    await makeDelivery({ partition, state: "scheduled", nextEligibleAt: inMs(60 * MINUTE_MS) });
    expect(await predictPause(partition, null)).toEqual({ waiting: 2, comingDue: 0, pastDeadline: 2 });
    expect(await predictPause("sms:none", null)).toBeNull();
  });
});

describe("what another ceiling would do", () => {
  test("tells how long the backlog takes now and then, and who is late first", async () => {
    const partition = await makePartition({ ceiling: 2 });
    for (let index = 0; index < 20; index += 1)
      await makeDelivery({ partition, expiresAt: inMs(index === 0 ? 15_000 : 3_600_000) });
    const prediction = await predictCeiling(partition, 1);
    expect(prediction).toMatchObject({
      backlog: 20,
      now: { perSecond: 2, drainMs: 10_000, pastDeadline: 0 },
      after: { perSecond: 1, drainMs: 20_000, pastDeadline: 1 },
    });
  });

  test("a ceiling of 0 never drains", async () => {
    const partition = await makePartition();
    await makeDelivery({ partition });
    expect((await predictCeiling(partition, 0))?.after).toMatchObject({ drainMs: null, pastDeadline: 1 });
  });
});

test("a lane's weight changes the shares of the lanes that have work, and not urgent's", async () => {
  const partition = await makePartition();
  await makeDelivery({ partition, lane: "standard" });
  await makeDelivery({ partition, lane: "bulk" });
  const shares = await predictLaneShares(partition, "bulk", 4);
  const bulk = shares.find(({ lane }) => lane === "bulk");
  expect(bulk?.now).toBeCloseTo(2 / 6);
  expect(bulk?.after).toBeCloseTo(1 / 2);
  expect(shares.find(({ lane }) => lane === "urgent")).toMatchObject({ now: 1, after: 1 });
});
