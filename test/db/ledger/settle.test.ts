import { sql } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { database, rows } from "../../../db/connection";
import type { Outcome } from "../../../db/rules/outcome";
import { RECONCILE_AFTER_MS } from "../../../db/rules/retry-policy";
import { testClock } from "../../support/database";
import {
  type DeliveryOptions,
  emptyLedger,
  inMs,
  makeDelivery,
  makePartition,
} from "../../support/factories";
import {
  ACCEPTED,
  admitRows,
  begin,
  readAttempts,
  readDelivery,
  readDestination,
  readOutbox,
  settle,
} from "../../support/ledger";

beforeEach(emptyLedger);

async function setLaneFloor(partition: string, passFloor: number): Promise<void> {
  await rows(database(), sql`update lanes set pass_floor = ${passFloor} where partition = ${partition}`);
}

async function begun(options: DeliveryOptions = {}) {
  const row = await makeDelivery(options);
  await admitRows([row.id]);
  return { row, claimed: await begin(row) };
}

describe("how a call ends", () => {
  test("accepted: delivered, with the provider's own id on row and attempt", async () => {
    const { row, claimed } = await begun();
    await testClock.advance(80);
    const outcome = await settle(claimed, ACCEPTED);
    expect(outcome.deliveries).toEqual([
      {
        deliveryId: row.id,
        class: "accepted",
        state: "delivered",
        reason: null,
        nextEligibleInMs: null,
        stale: false,
      },
    ]);
    expect(await readDelivery(row.id)).toMatchObject({
      state: "delivered",
      lastClass: "accepted",
      providerMessageId: "msg-1",
      finishedAt: inMs(0),
      leaseUntil: null,
      attemptCount: 1,
    });
    expect(await readAttempts(row.id)).toMatchObject([
      { class: "accepted", settledAt: inMs(0), status: 200, providerMessageId: "msg-1", callMs: 80 },
    ]);
  });

  test("a 429 that names a time: not before it, and the budget is untouched (P3)", async () => {
    const { row, claimed } = await begun();
    const throttled: Outcome = { class: "throttled", retryAfterMs: 5000, scope: "partition" };
    const { deliveries } = await settle(claimed, throttled, { status: 429, retryAfterRaw: "5" });
    expect(deliveries[0]).toMatchObject({ class: "throttled", state: "deferred", stale: false });
    expect(deliveries[0]?.nextEligibleInMs).toBeGreaterThanOrEqual(5000);
    const after = await readDelivery(row.id);
    expect(after).toMatchObject({
      state: "deferred",
      lastClass: "throttled",
      failureCount: 0,
      throttleCount: 1,
      pass: null,
    });
    expect(after.nextEligibleAt?.getTime()).toBeGreaterThanOrEqual(testClock.nowMs() + 5000);
    expect(await readAttempts(row.id)).toMatchObject([{ class: "throttled", status: 429, retryAfter: "5" }]);
  });

  test("transient: deferred, one of the budget spent; the fifth is the end, and is announced", async () => {
    const first = await begun();
    await settle(first.claimed, { class: "transient" });
    expect(await readDelivery(first.row.id)).toMatchObject({
      state: "deferred",
      failureCount: 1,
      lastClass: "transient",
    });
    const last = await begun({
      state: "deferred",
      nextEligibleAt: inMs(-1),
      failureCount: 4,
      attemptCount: 4,
      token: 4,
    });
    await settle(last.claimed, { class: "transient" });
    const dead = await readDelivery(last.row.id);
    expect(dead).toMatchObject({
      state: "dead",
      reason: "attempts_exhausted",
      failureCount: 5,
      attemptCount: 5,
    });
    expect(await readOutbox("delivery/dead")).toMatchObject([
      {
        eventId: `dead:${dead.burialId}`,
        data: {
          v: 1,
          deliveryId: dead.id,
          burialId: dead.burialId,
          key: dead.key,
          reason: "attempts_exhausted",
        },
      },
    ]);
  });

  test("no call was made: ready again, no count moves, at its place in the lane", async () => {
    const { row, claimed } = await begun({ pass: 41 });
    await settle(claimed, { class: "not_made" }, { status: null });
    expect(await readDelivery(row.id)).toMatchObject({
      state: "ready",
      pass: 41,
      lastClass: "not_made",
      failureCount: 0,
      throttleCount: 0,
      leaseUntil: null,
    });
  });

  test("no call was made for a row that was admitted ahead of its time: it joins its lane, not the front of it", async () => {
    const partition = await makePartition();
    const { row, claimed } = await begun({ partition, state: "scheduled", nextEligibleAt: inMs(0) });
    await setLaneFloor(partition, 70);
    await settle(claimed, { class: "not_made" }, { status: null });
    expect((await readDelivery(row.id)).pass).toBeGreaterThanOrEqual(70);
  });

  test("unknown: the first unknown begin is remembered, whatever follows short of acceptance", async () => {
    const { row, claimed } = await begun();
    await testClock.advance(9000);
    await settle(claimed, { class: "ambiguous" });
    const unknownSince = inMs(-9000);
    expect(await readDelivery(row.id)).toMatchObject({
      state: "deferred",
      unresolvedSince: unknownSince,
      failureCount: 0,
    });
    const answers: Outcome[] = [
      { class: "throttled", retryAfterMs: 10, scope: "destination" },
      { class: "transient" },
      { class: "ambiguous" },
    ];
    for (const outcome of answers) {
      await testClock.advance(3_600_000);
      await admitRows([row.id]);
      await settle(await begin(row), outcome);
      expect(await readDelivery(row.id)).toMatchObject({ state: "deferred", unresolvedSince: unknownSince });
    }
    await testClock.advance(3_600_000);
    await admitRows([row.id]);
    await settle(await begin(row), { class: "message_rejected" });
    expect(await readDelivery(row.id)).toMatchObject({
      state: "dead",
      reason: "outcome_unknown",
      wish: "message_rejected",
      unresolvedSince: unknownSince,
      reconcileAt: inMs(RECONCILE_AFTER_MS),
    });
  });

  test("an unknown SMS is not sent again", async () => {
    const { row, claimed } = await begun({ channel: "sms" });
    await settle(claimed, { class: "ambiguous" });
    expect(await readDelivery(row.id)).toMatchObject({
      state: "dead",
      reason: "outcome_unknown",
      wish: null,
    });
  });
});

describe("what a provider says about an address", () => {
  const cases = [
    ["gone", "push", "expired", "no_destination", "retired"],
    ["opted_out", "sms", "expired", "opted_out", "suppressed"],
    ["dead", "email", "dead", "destination_rejected", "suppressed"],
  ] as const;

  test.each(cases)(
    "%s: this delivery ends, and the address is marked",
    async (disposition, channel, state, reason, mark) => {
      const { row, claimed } = await begun({ channel });
      const other = await makeDelivery({ channel, subscriberId: row.subscriberId, partition: row.partition });
      await settle(claimed, { class: "destination_rejected", disposition });
      expect(await readDelivery(row.id)).toMatchObject({ state, reason });
      expect(await readDestination(row.destinationId)).toMatchObject({
        state: mark,
        stateReason: disposition === "dead" ? "unreachable" : disposition,
      });
      expect(await readDestination(other.destinationId)).toMatchObject({ state: "active" });
    },
  );

  test("a message that is wrong ends alone: its address is as good as before", async () => {
    const { row, claimed } = await begun();
    await settle(claimed, { class: "message_rejected" });
    expect(await readDelivery(row.id)).toMatchObject({ state: "dead", reason: "message_rejected" });
    expect(await readDestination(row.destinationId)).toMatchObject({ state: "active" });
  });
});
