import { eq, sql } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { EARLY_MS } from "../../../db/admission/admit";
import { database, rows } from "../../../db/connection";
import { openDeliveries } from "../../../db/ledger/open";
import { parseDeliveryKey } from "../../../db/rules/delivery-key";
import type { Channel } from "../../../db/rules/outcome";
import * as schema from "../../../db/schema";
import { testClock } from "../../support/database";
import { emptyLedger, inMs, makeDestination, makeShopper, makeSubscriber } from "../../support/factories";
import { deliveriesOf, makeDue, renderPayloads } from "../../support/ledger";

beforeEach(emptyLedger);

const occurrenceOf = async (id: string) =>
  (await database().select().from(schema.occurrences).where(eq(schema.occurrences.id, id)))[0];

describe("exactly once (P1)", () => {
  test("opening makes one delivery per channel and stamps the occurrence", async () => {
    const { reminder, occurrence } = await makeDue({ channels: ["email", "sms", "push"] });
    const outcome = await openDeliveries([occurrence.id]);
    expect(outcome).toMatchObject({ opened: 1, deliveries: 3, stale: 0 });
    expect(outcome.partitions).toHaveLength(3);
    expect(await occurrenceOf(occurrence.id)).toMatchObject({ state: "opened", openedAt: inMs(0) });
    const opened = await deliveriesOf(occurrence.id);
    expect(opened.map((row) => [row.channel, row.state, row.lane, row.flow, row.cost])).toEqual(
      ["email", "push", "sms"].map((channel) => [channel, "scheduled", "standard", reminder.subscriberId, 1]),
    );
    for (const row of opened) {
      expect(parseDeliveryKey(row.key)).toMatchObject({
        reminderId: reminder.id,
        occurrenceId: occurrence.id,
      });
      expect(row).toMatchObject({
        nextEligibleAt: occurrence.dueAt,
        expiresAt: inMs(86_400_000),
        owner: 1,
        token: 0,
      });
      expect(row.reference).toMatch(/^[\w-]{32}$/);
    }
  });

  test("opening again, or ten times at once, opens nothing more", async () => {
    const { occurrence } = await makeDue({ channels: ["email", "push"] });
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => openDeliveries([occurrence.id])));
    expect(outcomes.reduce((sum, outcome) => sum + outcome.opened, 0)).toBe(1);
    expect(await openDeliveries([occurrence.id])).toMatchObject({ opened: 0, deliveries: 0 });
    expect(await deliveriesOf(occurrence.id)).toHaveLength(2);
  });

  test("the occurrence remembers, not the delivery: it does not open again after its deliveries were removed", async () => {
    const { occurrence } = await makeDue();
    await openDeliveries([occurrence.id]);
    await rows(database(), sql`delete from deliveries where occurrence_id = ${occurrence.id}::uuid`);
    expect(await openDeliveries([occurrence.id])).toMatchObject({ opened: 0, deliveries: 0 });
    expect(await deliveriesOf(occurrence.id)).toHaveLength(0);
  });

  test("overlapping batches opened at once, in opposite orders, open each occurrence once", async () => {
    const made: string[] = [];
    for (let count = 0; count < 12; count += 1) made.push((await makeDue()).occurrence.id);
    await Promise.all([
      openDeliveries(made),
      openDeliveries(made.toReversed()),
      openDeliveries(made.slice(4)),
    ]);
    const [found] = await rows<{ count: number }>(
      database(),
      sql`select count(*)::int as count from deliveries`,
    );
    expect(found?.count).toBe(12);
  });
});

describe("what is left alone", () => {
  test("an occurrence that is not due within the early margin", async () => {
    const { occurrence } = await makeDue({ dueInMs: EARLY_MS + 1 });
    expect(await openDeliveries([occurrence.id])).toMatchObject({ opened: 0 });
    await testClock.advance(1);
    expect(await openDeliveries([occurrence.id])).toMatchObject({ opened: 1 });
  });

  test("a cancelled occurrence, one of a cancelled reminder, and one that does not exist", async () => {
    const cancelled = await makeDue({ state: "cancelled" });
    const dropped = await makeDue();
    await rows(
      database(),
      sql`update reminders set status = 'cancelled', cancelled_at = ledger_now() where id = ${dropped.reminder.id}::uuid`,
    );
    const ids = [cancelled.occurrence.id, dropped.occurrence.id, "00000000-0000-4000-8000-000000000000"];
    expect(await openDeliveries(ids)).toEqual({ opened: 0, partitions: [], deliveries: 0, stale: 0 });
    expect(await openDeliveries([])).toEqual({ opened: 0, partitions: [], deliveries: 0, stale: 0 });
  });

  test("one that was edited after rendering waits for its new payload", async () => {
    const { occurrence } = await makeDue();
    await rows(database(), sql`update occurrences set version = 2 where id = ${occurrence.id}::uuid`);
    expect(await openDeliveries([occurrence.id])).toMatchObject({ opened: 0, stale: 1 });
    await renderPayloads({ ...occurrence, version: 2 });
    expect(await openDeliveries([occurrence.id])).toMatchObject({ opened: 1, stale: 0 });
    const [delivery] = await deliveriesOf(occurrence.id);
    const [payload] = await database()
      .select()
      .from(schema.payloads)
      .where(eq(schema.payloads.id, delivery?.payloadId ?? ""));
    expect([delivery?.version, payload?.version]).toEqual([2, 2]);
  });
});

describe("who is skipped is a row that says why", () => {
  async function openFor(channel: Channel, prepare: (subscriberId: string) => Promise<unknown>) {
    const subscriber = await makeSubscriber();
    await prepare(subscriber.id);
    const { occurrence } = await makeDue({ subscriberId: subscriber.id, channels: [channel] });
    const outcome = await openDeliveries([occurrence.id]);
    expect(outcome).toMatchObject({ opened: 1, deliveries: 1, partitions: [] });
    const [row] = await deliveriesOf(occurrence.id);
    expect(row).toMatchObject({ state: "expired", finishedAt: inMs(0), attemptCount: 0 });
    return row?.reason;
  }

  test("no address, one that nobody proved, one that is retired", async () => {
    expect(await openFor("email", async () => undefined)).toBe("no_destination");
    expect(await openFor("email", (id) => makeDestination(id, { verifiedAt: null }))).toBe("no_destination");
    expect(await openFor("push", (id) => makeDestination(id, { channel: "push", state: "retired" }))).toBe(
      "no_destination",
    );
  });

  test("an address that said stop", async () => {
    expect(await openFor("email", (id) => makeDestination(id, { state: "suppressed" }))).toBe("opted_out");
    expect(await openFor("sms", (id) => makeDestination(id, { channel: "sms", state: "suppressed" }))).toBe(
      "consent",
    );
  });

  test("a channel that the subscriber switched off, with its address beside it", async () => {
    const subscriber = await makeShopper({ channels: ["email"] });
    await rows(
      database(),
      sql`insert into preferences (subscriber_id, topic, channel, enabled, updated_at)
        values (${subscriber.id}::uuid, 'reminders', 'email', false, ledger_now())`,
    );
    const { occurrence } = await makeDue({ subscriberId: subscriber.id });
    await openDeliveries([occurrence.id]);
    const [row] = await deliveriesOf(occurrence.id);
    expect(row).toMatchObject({ state: "expired", reason: "preference" });
    expect(row?.destinationId).not.toBeNull();
  });

  test("one that is found after its usefulness", async () => {
    const { occurrence } = await makeDue({ dueInMs: -86_400_000 });
    await openDeliveries([occurrence.id]);
    expect((await deliveriesOf(occurrence.id))[0]).toMatchObject({
      state: "expired",
      reason: "past_deadline",
    });
  });
});

test("a subscriber with several addresses gets one email at the newest, and push on every device", async () => {
  const subscriber = await makeShopper({ channels: ["push"], devices: 3 });
  await makeDestination(subscriber.id, { verifiedAt: inMs(-5000) });
  const newest = await makeDestination(subscriber.id, { verifiedAt: inMs(-10) });
  await makeDestination(subscriber.id, { state: "suppressed", verifiedAt: inMs(-1) });
  const { occurrence } = await makeDue({ subscriberId: subscriber.id, channels: ["email", "push"] });
  await openDeliveries([occurrence.id]);
  const opened = await deliveriesOf(occurrence.id);
  expect(opened.map((row) => row.channel)).toEqual(["email", "push", "push", "push"]);
  expect(opened[0]?.destinationId).toBe(newest.id);
  for (const row of opened.slice(1)) expect(row.key.endsWith(`:push:${row.destinationId}`)).toBe(true);
});

test("quiet hours hold a delivery until they end, in the subscriber's zone", async () => {
  // The test clock starts at noon UTC, 13:00 in Berlin.
  const subscriber = await makeShopper({ channels: ["email"], quietFrom: "12:00", quietUntil: "15:00" });
  const { occurrence } = await makeDue({ subscriberId: subscriber.id });
  await openDeliveries([occurrence.id]);
  const [row] = await deliveriesOf(occurrence.id);
  const at15 = new Date(new Date(testClock.nowMs()).setUTCHours(14, 0, 0, 0));
  expect(row).toMatchObject({ state: "scheduled", lastClass: "quiet_hours", nextEligibleAt: at15 });
});
