import { describe, expect, test } from "vitest";
import { readAftership } from "../../../db/rules/aftership";

const RECEIVED_MS = Date.UTC(2026, 2, 2, 12);

const body = (msg: object = {}, rest: object = {}) => ({
  event: "tracking_update",
  event_id: "3f645f5e-530b-4062-8695-db6a64420af8",
  is_tracking_first_tag: true,
  ts: 1_772_000_000,
  msg: {
    id: "grhrexm6t3hiwkjwq37jd003",
    tracking_number: "9361289676091361892011",
    slug: "usps",
    order_id: "4711",
    tag: "OutForDelivery",
    emails: [],
    checkpoints: [
      { checkpoint_time: "2026-03-01T09:00:00-05:00", message: "Departed", location: "Memphis" },
      { checkpoint_time: "2026-03-02T07:10:00-05:00", message: "Out for Delivery", location: "Boston, MA" },
    ],
    expected_delivery: "2026-03-02",
    ...msg,
  },
  ...rest,
});

const read = (value: unknown) => {
  const result = readAftership(value, RECEIVED_MS);
  if (!result.ok) throw new Error(JSON.stringify(result.problem));
  return result.value;
};

describe("AfterShip's webhook body", () => {
  test("becomes the canonical scan of its newest checkpoint", () => {
    expect(read(body())).toEqual({
      eventId: "3f645f5e-530b-4062-8695-db6a64420af8",
      shipment: "usps:9361289676091361892011",
      order: "4711",
      carrier: "usps",
      trackingNumber: "9361289676091361892011",
      status: "out_for_delivery",
      occurredAt: Date.UTC(2026, 2, 2, 12, 10),
      detail: "Out for Delivery",
      location: "Boston, MA",
      pickUpCode: null,
      expectedOn: "2026-03-02",
      url: null,
    });
  });

  test.each([
    ["InfoReceived", "info_received"],
    ["InTransit", "in_transit"],
    ["AttemptFail", "failed_attempt"],
    ["AvailableForPickup", "available_for_pickup"],
    ["Delivered", "delivered"],
    ["Exception", "exception"],
    ["Expired", "expired"],
  ])("tag %s is %s", (tag, status) => {
    expect(read(body({ tag }))?.status).toBe(status);
  });

  test.each(["Delivered", "Exception"])(
    "a parcel under %s that goes back to its sender is returned",
    (tag) => {
      expect(read(body({ tag, return_to_sender: true }))?.status).toBe("returned");
    },
  );

  test("a checkpoint without an offset is dated by the event, not by anybody's zone", () => {
    const checkpoints = [{ checkpoint_time: "2026-03-02T07:10:00", message: null, location: null }];
    expect(read(body({ checkpoints }))?.occurredAt).toBe(1_772_000_000_000);
    expect(read(body({ checkpoints: null }, { ts: undefined }))?.occurredAt).toBe(RECEIVED_MS);
  });

  test.each([
    ["a new estimate", body({}, { event: "edd_revise" })],
    ["a parcel that nobody has scanned", body({ tag: "Pending" })],
    ["a tag of a later version", body({ tag: "Teleported" })],
  ])("%s announces nothing", (_what, value) => {
    expect(read(value)).toBeNull();
  });

  test.each([
    null,
    [],
    "x",
    {},
    { event: "tracking_update", event_id: "1" },
    body({ tracking_number: "a b/c" }),
  ])("what is not one is refused: %j", (value) => {
    expect(readAftership(value, RECEIVED_MS)).toMatchObject({
      ok: false,
      problem: { code: "invalid_input" },
    });
  });

  test("markup and controls in a carrier's text do no harm", () => {
    const checkpoints = [{ checkpoint_time: null, message: "a\u0000b\u202e<script>", location: "" }];
    const scan = read(body({ checkpoints }));
    expect(scan).toMatchObject({ location: null });
    expect(scan?.detail).not.toContain("\u0000");
  });
});
