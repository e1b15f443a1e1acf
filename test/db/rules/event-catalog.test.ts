import { expect, test } from "vitest";
import { EVENTS, type EventName } from "../../../db/rules/event-catalog";

const ID = "018f3b1e-7c2a-7d61-9a41-3c9b0d2f4e10";

/**
 * One event of every shape that a released build has ever sent. A run may be asleep over a release, so none of these may
 * be changed or removed before the last run that started from it has ended; a new shape is added here.
 */
const SENT: [EventName, string, object][] = [
  ["reminder/scheduled", "before crowds", { v: 1, dueSecond: 1_930_000_000, generation: "g1" }],
  [
    "reminder/scheduled",
    "of a crowd",
    { v: 1, dueSecond: 1_930_000_000, generation: "g1", aheadSeconds: 30 },
  ],
  ["shipment/announced", "", { v: 1, shipmentEventIds: Array(50).fill(ID) }],
  [
    "delivery/admitted",
    "",
    {
      v: 1,
      channel: "sms",
      partition: "sms:twilio:AC00000000000000000000000000000000:+15005550006",
      lane: "redrive",
      admissionId: ID,
      deliveryIds: Array(50).fill(ID),
    },
  ],
  ["partition/pump.rung", "", { v: 1, partition: "push:updates.push.services.mozilla.com", generation: 41 }],
  [
    "delivery/dead",
    "",
    {
      v: 1,
      deliveryId: ID,
      burialId: ID,
      key: `reminder:${ID}:${ID}:${ID}:push:${ID}`,
      reason: "attempts_exhausted",
    },
  ],
  ["redrive/called", "", { v: 1, redriveId: ID, generation: 2 }],
];

test.each(SENT)("%s %s is still read as it was sent", (name, _shape, data) => {
  expect(EVENTS[name].parse(data)).toEqual(data);
});

test("every event of the catalog has been sent in some shape", () => {
  expect(new Set(SENT.map(([name]) => name))).toEqual(new Set(Object.keys(EVENTS)));
});
