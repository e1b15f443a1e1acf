import { sql } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { database, rows } from "../../../db/connection";
import { checkInvariants } from "../../../db/console/invariants";
import { DUE_AHEAD_MS } from "../../../db/rules/slots";
import { testClock } from "../../support/database";
import {
  emptyLedger,
  inMs,
  makeDelivery,
  makePartition,
  makeReminder,
  setMeter,
  setPartition,
} from "../../support/factories";

const MINUTE_MS = 60_000;

beforeEach(() => emptyLedger());

const run = (query: ReturnType<typeof sql>) => rows(database(), query);

/** Names of the broken checks, with the keys they name. */
async function broken(): Promise<Record<string, string[]>> {
  const { ok, checks } = await checkInvariants();
  const found = checks.filter((check) => check.violations > 0);
  expect(ok).toBe(found.length === 0);
  return Object.fromEntries(found.map(({ promise, name, sample }) => [`${promise} ${name}`, sample]));
}

/** Adds an attempt behind the delivery's own, as it stands in the ledger after so many seconds. */
async function addAttempt(
  delivery: { id: string; token: number },
  attempt: { number: number; begunInMs: number; class: string; retryAfter?: string; messageId?: string },
): Promise<void> {
  await run(sql`insert into attempts (id, delivery_id, number, token, run_id, epoch, slot_at, begun_at, settled_at, class,
      retry_after, provider_message_id)
    values (gen_random_uuid(), ${delivery.id}::uuid, ${attempt.number}, ${delivery.token}, 'run-1', 1,
      ${inMs(attempt.begunInMs).toISOString()}, ${inMs(attempt.begunInMs).toISOString()},
      ${inMs(attempt.begunInMs + 20).toISOString()}, ${attempt.class}, ${attempt.retryAfter ?? null}, ${attempt.messageId ?? null})`);
  await run(sql`update deliveries set attempt_count = attempt_count + 1 where id = ${delivery.id}::uuid`);
}

test("an empty ledger keeps every promise, and each promise is asked for", async () => {
  const invariants = await checkInvariants();
  expect(await broken()).toEqual({});
  expect(new Set(invariants.checks.map((check) => check.promise)).size).toBe(9);
});

test("deliveries in every state keep the promises", async () => {
  for (const state of [
    "scheduled",
    "ready",
    "sending",
    "deferred",
    "delivered",
    "dead",
    "expired",
  ] as const) {
    await makeDelivery({ state });
  }
  expect(await broken()).toEqual({});
});

describe("a broken promise is named with its keys", () => {
  test("P1: a guard that is off", async () => {
    await run(sql`alter table deliveries disable trigger deliveries_guard`);
    expect(await broken()).toEqual({
      "P1 keys and references are unique, guards are on": ["deliveries_guard"],
    });
    await run(sql`alter table deliveries enable trigger deliveries_guard`);
  });

  test("P3: a call before the time that the provider asked for", async () => {
    const delivery = await makeDelivery({ state: "delivered", channel: "sms" });
    await addAttempt(delivery, { number: 2, begunInMs: 1_000, class: "throttled", retryAfter: "30" });
    await addAttempt(delivery, { number: 3, begunInMs: 30_000, class: "accepted" });
    expect(await broken()).toMatchObject({
      "P3 no attempt before the time that a provider asked for": [delivery.key],
    });
  });

  test("P3: another delivery's call while the gate is closed, not after it", async () => {
    const refused = await makeDelivery({ state: "delivered", channel: "email" });
    await addAttempt(refused, { number: 2, begunInMs: -60_000, class: "throttled", retryAfter: "30" });
    const { partition } = refused;
    await addAttempt(refused, { number: 3, begunInMs: -29_000, class: "throttled", retryAfter: "soon" });
    const early = await makeDelivery({ state: "delivered", partition });
    const late = await makeDelivery({ state: "delivered", partition });
    await addAttempt(early, { number: 2, begunInMs: -45_000, class: "transient" });
    await addAttempt(late, { number: 2, begunInMs: -20_000, class: "transient" });
    expect((await broken())["P3 no attempt in a partition after its gate closed"]).toEqual([early.key]);
  });

  test("P3: what a crashed attempt learned late binds nothing that had begun before", async () => {
    const delivery = await makeDelivery({ state: "delivered" });
    await addAttempt(delivery, { number: 2, begunInMs: -60_000, class: "throttled", retryAfter: "30" });
    await addAttempt(delivery, { number: 3, begunInMs: -59_990, class: "accepted" });
    expect(await broken()).not.toHaveProperty("P3 no attempt before the time that a provider asked for");
  });

  test("P5: an occurrence that nobody opens", async () => {
    const { occurrence } = await makeReminder({ dueInMs: -4 * MINUTE_MS });
    expect(await broken()).toEqual({ "P5 a due occurrence is opened": [occurrence.id] });
  });

  test("P5: a lease that nobody recovers, in a partition without a pump", async () => {
    const delivery = await makeDelivery({
      state: "sending",
      leaseUntil: inMs(-3 * MINUTE_MS),
      createdAt: inMs(-5 * MINUTE_MS),
    });
    expect(await broken()).toEqual({
      "P5 a lapsed lease is recovered": [delivery.key],
      "P5 a partition with live rows has a pump": [delivery.partition],
    });
  });

  test("P6: a first slot before its delivery is due, however little; one at its instant is none", async () => {
    await makeDelivery({ state: "delivered" });
    const early = await makeDelivery({ state: "delivered", scheduledAt: inMs(-500 + DUE_AHEAD_MS) });
    expect(await broken()).toEqual({ "P6 no first slot lies before its time": [early.key] });
  });

  test("P6: an attempt that begins after expiry", async () => {
    const delivery = await makeDelivery({ state: "delivered", expiresAt: inMs(-1_000) });
    expect(await broken()).toEqual({ "P6 no attempt begins after expiry": [delivery.key] });
  });

  test("P6: an attempt that begins after the cancel", async () => {
    const delivery = await makeDelivery({ state: "delivered" });
    await run(sql`update reminders set status = 'cancelled', cancelled_at = ledger_now() - interval '1 minute'
      where id = (select reminder_id from occurrences where id = ${delivery.occurrenceId}::uuid)`);
    expect(await broken()).toEqual({
      "P6 no attempt begins after its reminder was cancelled": [delivery.key],
    });
  });

  test("P7: more slots in a second than rate and burst allow", async () => {
    const delivery = await makeDelivery({ state: "delivered" });
    await setPartition(delivery.partition ?? "", { ceiling: 2, burst: 1 });
    for (const number of [2, 3, 4]) {
      await addAttempt(delivery, { number, begunInMs: -200 + number * 25, class: "transient" });
    }
    expect(await broken()).toEqual({
      "P7 slots stay within rate and burst in any second": [delivery.partition],
    });
  });

  test("P7: senders that keep their own rates and together exceed their account's", async () => {
    const account = await makePartition({ channel: "sms", ceiling: 3, burst: 1 });
    const senders = [];
    for (let number = 0; number < 2; number += 1) {
      const partition = await makePartition({ channel: "sms", ceiling: 3, burst: 1 });
      await setPartition(partition, { account });
      senders.push(await makeDelivery({ state: "delivered", channel: "sms", partition }));
    }
    await testClock.advance(2_000);
    const [one, other] = senders;
    if (one === undefined || other === undefined) throw new Error("nobody");
    const slots = async (count: number) => {
      for (let number = 2; number < 2 + count; number += 1) {
        await addAttempt(one, { number, begunInMs: number * 25, class: "transient" });
        await addAttempt(other, { number, begunInMs: number * 25 + 10, class: "transient" });
      }
    };
    await slots(2);
    expect(await broken()).toEqual({});
    await addAttempt(one, { number: 4, begunInMs: 150, class: "transient" });
    expect(await broken()).toEqual({ "P7 slots stay within rate and burst in any second": [account] });
  });

  test("P5: a due row of a sender waits while its account is paused, and not after", async () => {
    const account = await makePartition({ channel: "sms" });
    const partition = await makePartition({ channel: "sms" });
    await setPartition(partition, { account, pumpUntil: inMs(60 * MINUTE_MS) });
    for (const key of [account, partition]) await setMeter(key, { blockedUntil: inMs(-10 * MINUTE_MS) });
    const waits = {
      state: "deferred",
      channel: "sms",
      partition,
      nextEligibleAt: inMs(-4 * MINUTE_MS),
    } as const;
    const delivery = await makeDelivery(waits);
    await setPartition(account, { pausedAt: inMs(0), pausedBy: "ada" });
    expect(await broken()).toEqual({});
    await setPartition(account, { pausedAt: null, pausedBy: null });
    expect(await broken()).toEqual({ "P5 an eligible delivery of an open partition moves": [delivery.key] });
  });

  test("P9: two accepted sends under one key", async () => {
    const delivery = await makeDelivery({ state: "delivered" });
    await addAttempt(delivery, { number: 2, begunInMs: -100, class: "accepted", messageId: "another" });
    expect(await broken()).toEqual({ "P9 one accepted send per key": [delivery.key] });
  });
});

test("a pause without an end is listed and breaks nothing", async () => {
  const delivery = await makeDelivery();
  await setPartition(delivery.partition ?? "", { pausedAt: inMs(0), pausedBy: "ada" });
  const { ok, checks } = await checkInvariants();
  expect(ok).toBe(true);
  expect(checks.find((check) => check.name === "a pause without an end")?.sample).toEqual([
    delivery.partition,
  ]);
});
