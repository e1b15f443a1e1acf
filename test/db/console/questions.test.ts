import { beforeEach, expect, test } from "vitest";
import { readAnswers } from "../../../db/console/questions";
import { checkGate, setSlo } from "../../../db/console/slos";
import { testClock } from "../../support/database";
import { emptyLedger, inMs, makeDelivery, makePartition, makeSubscriber } from "../../support/factories";
import { ACCEPTED, admitRows, begin, settle } from "../../support/ledger";

beforeEach(emptyLedger);

const WINDOW_MS = 15 * 60_000;
const OPERATOR = { name: "ada", reason: "test" };

test("the oldest ready and the oldest overdue delivery of each lane are known, deferrals included", async () => {
  const partition = await makePartition({ ceiling: 2 });
  await makeDelivery({ partition, state: "ready", scheduledAt: inMs(-4_000) });
  await makeDelivery({ partition, state: "ready", scheduledAt: inMs(-1_000) });
  await makeDelivery({ partition, state: "deferred", scheduledAt: inMs(-60_000) });
  await makeDelivery({ partition, state: "scheduled", scheduledAt: inMs(60_000) });
  const { queues } = await readAnswers(WINDOW_MS);
  const standard = queues.find((row) => row.partition === partition && row.lane === "standard");
  expect(standard).toMatchObject({
    ready: 2,
    waiting: 2,
    sending: 0,
    oldestReadyMs: 4_000,
    oldestOverdueMs: 60_000,
    drainMs: 1_000,
  });
  const idle = queues.find((row) => row.partition === partition && row.lane === "bulk");
  expect(idle).toMatchObject({ ready: 0, oldestReadyMs: null, oldestOverdueMs: null, ageP99Ms: null });
});

test("what was delayed by admission and what by a provider's 429 are told apart", async () => {
  const partition = await makePartition({ ceiling: 100, burst: 10 });
  const late = await makeDelivery({ partition, scheduledAt: inMs(-5_000), createdAt: inMs(-10_000) });
  const prompt = await makeDelivery({ partition, scheduledAt: inMs(0), createdAt: inMs(-10_000) });
  const throttled = await makeDelivery({ partition, scheduledAt: inMs(0), createdAt: inMs(-10_000) });
  await admitRows([late.id, prompt.id, throttled.id]);
  for (const row of [late, prompt]) await settle(await begin(row), ACCEPTED);
  await settle(await begin(throttled), { class: "throttled", retryAfterMs: 1_000, scope: "destination" });
  const { delays } = await readAnswers(WINDOW_MS);
  const email = delays.find((row) => row.channel === "email" && row.lane === "standard");
  expect(email).toMatchObject({
    attempted: 3,
    byAdmission: 1,
    byThrottling: 1,
    attempts: 3,
    throttled: 1,
    accepted: 2,
  });
});

test("what was held by quiet hours is not late", async () => {
  // Noon UTC is 13:00 in Berlin.
  const subscriber = await makeSubscriber({ quietFrom: "12:00", quietUntil: "14:00" });
  const partition = await makePartition({ ceiling: 100 });
  await makeDelivery({
    partition,
    subscriberId: subscriber.id,
    state: "delivered",
    scheduledAt: inMs(-3_600_000 + 60_000),
    finishedAt: inMs(-100),
  });
  const { delays } = await readAnswers(WINDOW_MS);
  const email = delays.find((row) => row.channel === "email" && row.lane === "standard");
  expect(email).toMatchObject({ accepted: 1, dueToAcceptedP99Ms: null, byAdmission: 0 });
});

test("the dead are counted by partition and reason", async () => {
  const partition = await makePartition();
  await makeDelivery({ partition, state: "dead" });
  await makeDelivery({ partition, state: "dead" });
  await makeDelivery({ partition, state: "dead", reason: "message_rejected" });
  const { dead } = await readAnswers(WINDOW_MS);
  expect(dead).toEqual([
    { partition, reason: "attempts_exhausted", count: 2 },
    { partition, reason: "message_rejected", count: 1 },
  ]);
});

test("the gate passes an idle and a prompt system and fails on a queue older than its promise", async () => {
  expect(await checkGate(WINDOW_MS)).toMatchObject({ ok: true, measures: [] });
  const partition = await makePartition({ ceiling: 10 });
  await makeDelivery({ partition, scheduledAt: inMs(-20_000) });
  expect((await checkGate(WINDOW_MS)).ok).toBe(true);
  await testClock.advance(11_000);
  const gate = await checkGate(WINDOW_MS);
  expect(gate.ok).toBe(false);
  expect(gate.measures.find((measure) => measure.measure === "p99_age_ms")).toMatchObject({
    channel: "email",
    lane: "standard",
    value: 31_000,
    limit: 30_000,
    ok: false,
  });
  expect(await setSlo("email", "standard", { p99AgeMs: 60_000 }, OPERATOR)).toMatchObject({ ok: true });
  expect((await checkGate(WINDOW_MS)).ok).toBe(true);
  await setSlo("email", "standard", { p99AgeMs: 30_000 }, OPERATOR);
});

test("the gate fails on what a paused partition keeps from becoming ready, and not on what has a later time", async () => {
  const partition = await makePartition();
  await makeDelivery({ partition, state: "scheduled", nextEligibleAt: inMs(60_000) });
  expect((await checkGate(WINDOW_MS)).ok).toBe(true);
  await makeDelivery({
    partition,
    state: "scheduled",
    scheduledAt: inMs(-31_000),
    nextEligibleAt: inMs(-31_000),
  });
  const { measures } = await checkGate(WINDOW_MS);
  expect(measures.filter((measure) => !measure.ok)).toMatchObject([
    { channel: "email", lane: "standard", measure: "p99_age_ms", value: 31_000 },
  ]);
});
