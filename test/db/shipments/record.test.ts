import { beforeEach, describe, expect, test } from "vitest";
import { database } from "../../../db/connection";
import { outbox, shipmentEvents, shipments } from "../../../db/schema";
import { recordScans } from "../../../db/shipments/record";
import { emptyLedger } from "../../support/factories";
import { record, scanOf } from "../../support/shipments";
import { testClock } from "../../support/test-clock";

const HOUR_MS = 3_600_000;

beforeEach(emptyLedger);

const parcels = async () =>
  (await database().select().from(shipments)).toSorted((one, other) =>
    one.externalId.localeCompare(other.externalId),
  );

describe("a carrier's scans", () => {
  test("a scan that moves its parcel forward is announced, with the event in the same transaction", async () => {
    const [scan] = await record({ status: "in_transit", order: "4711" });
    expect(scan).toMatchObject({ outcome: "announced", version: 1 });
    const [parcel] = await parcels();
    expect(parcel).toMatchObject({ status: "in_transit", version: 1, orderRef: "4711" });
    const [event] = await database().select().from(shipmentEvents);
    const [staged] = await database().select().from(outbox);
    expect(staged).toMatchObject({
      eventName: "shipment/announced",
      data: { v: 1, shipmentEventIds: [event?.id] },
    });
  });

  test("the same event id again, in one batch or later, is a duplicate and changes nothing", async () => {
    const first = await record({ eventId: "e1" }, { eventId: "e1", status: "delivered" });
    expect(first.map((scan) => scan.outcome)).toEqual(["announced", "duplicate"]);
    expect(await record({ eventId: "e1", status: "delivered" })).toMatchObject([{ outcome: "duplicate" }]);
    expect(await parcels()).toMatchObject([{ status: "in_transit", version: 1 }]);
    expect(await database().select().from(outbox)).toHaveLength(1);
  });

  test("delivered, then a late in_transit, then the same delivered three times: one announcement, all in the history", async () => {
    await record({ status: "delivered" });
    const late = await record({ status: "in_transit", occurredAt: testClock.nowMs() - HOUR_MS });
    const again = await record({ status: "delivered" }, { status: "delivered" }, { status: "delivered" });
    expect([...late, ...again].map((scan) => scan.outcome)).toEqual([
      "out_of_order",
      "repeated",
      "repeated",
      "repeated",
    ]);
    expect(await database().select().from(shipmentEvents)).toHaveLength(5);
    expect(await database().select().from(outbox)).toHaveLength(1);
  });

  test("delivered, then returned later, is announced", async () => {
    await record({ status: "delivered" });
    const later = await record({ status: "returned", occurredAt: testClock.nowMs() + HOUR_MS });
    expect(later).toMatchObject([{ outcome: "announced", version: 2 }]);
  });

  test("parcels of one order do not touch each other", async () => {
    await record(
      { shipment: "a", order: "1", status: "delivered" },
      { shipment: "b", order: "1", status: "in_transit" },
    );
    expect(await parcels()).toMatchObject([
      { externalId: "a", status: "delivered", version: 1 },
      { externalId: "b", status: "in_transit", version: 1 },
    ]);
  });

  test("a shuffled batch announces the whole journey in its order", async () => {
    const nowMs = testClock.nowMs();
    const scans = await record(
      { status: "delivered", occurredAt: nowMs },
      { status: "in_transit", occurredAt: nowMs - 2 * HOUR_MS },
      { status: "out_for_delivery", occurredAt: nowMs - HOUR_MS },
    );
    expect(scans.map((scan) => scan.version)).toEqual([3, 1, 2]);
  });

  test("a thousand scans are one transaction and twenty events", async () => {
    const scans = Array.from({ length: 1_000 }, (_, index) => ({ shipment: `parcel-${index}` }));
    await record(...scans);
    const staged = await database().select().from(outbox);
    expect(staged).toHaveLength(20);
    expect(
      new Set(staged.flatMap((row) => (row.data as { shipmentEventIds: string[] }).shipmentEventIds)).size,
    ).toBe(1_000);
  });

  test("twenty requests with the same scan at once: one of them records it", async () => {
    const scan = scanOf({ eventId: "once" });
    const answers = await Promise.all(Array.from({ length: 20 }, () => recordScans("shop", [scan])));
    const outcomes = answers.map((answer) => (answer.ok ? answer.value.value[0]?.outcome : null));
    expect(outcomes.filter((outcome) => outcome === "announced")).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === "duplicate")).toHaveLength(19);
  });

  test("two sources count their event ids by themselves", async () => {
    await record({ eventId: "7" });
    const other = await recordScans("aftership", [scanOf({ eventId: "7", status: "delivered" })]);
    expect(other).toMatchObject({ ok: true, value: { value: [{ outcome: "announced" }] } });
  });
});
