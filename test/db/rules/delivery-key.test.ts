import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type DeliveryKeyParts, deliveryKey, parseDeliveryKey } from "../../../db/rules/delivery-key";
import { dueEventId, EVENTS, pumpEventId } from "../../../db/rules/event-catalog";

const uuid = fc.uuid();
const channel = fc.constantFrom("email" as const, "sms" as const, "push" as const);
const parts: fc.Arbitrary<DeliveryKeyParts> = fc
  .record({
    reminderId: uuid,
    occurrenceId: uuid,
    subscriberId: uuid,
    noticeId: uuid,
    deviceId: uuid,
    channel,
    notice: fc.boolean(),
  })
  .map(({ notice, reminderId, occurrenceId, noticeId, deviceId, ...rest }) => ({
    ...(notice
      ? { source: "notice" as const, noticeId }
      : { source: "reminder" as const, reminderId, occurrenceId }),
    ...rest,
    ...(rest.channel === "push" ? { deviceId } : {}),
  }));

test("P1: a key says what it is made of, and nothing else makes the same key", () => {
  fc.assert(
    fc.property(parts, parts, (one, other) => {
      expect(parseDeliveryKey(deliveryKey(one))).toEqual(one);
      expect(deliveryKey(one) === deliveryKey(other)).toBe(JSON.stringify(one) === JSON.stringify(other));
      expect(deliveryKey(one).length).toBeLessThanOrEqual(250);
    }),
  );
});

test("a device is part of a push key only", () => {
  const ids = { noticeId: randomUUID(), subscriberId: randomUUID(), deviceId: randomUUID() };
  expect(deliveryKey({ source: "notice", channel: "email", ...ids })).not.toContain(ids.deviceId);
  expect(deliveryKey({ source: "notice", channel: "push", ...ids })).toContain(ids.deviceId);
});

test("text that is no key is none", () => {
  const [a, b, c] = [randomUUID(), randomUUID(), randomUUID()];
  for (const text of [
    "",
    "reminder",
    `reminder:${a}:${b}:email`,
    `reminder:${a}:${b}:${c}:fax`,
    `reminder:${a}:${b}:${c}:email:${a}`,
    `reminder:${a}:${b}:${c}:push:laptop`,
    `reminder:${a}:${b}:${c}:push:${a}:${b}`,
    `reminder:${a}:${b}:shop-id:email`,
    `notice:${a}:${b}:${c}:email`,
    `receipt:${a}:${b}:email`,
  ]) {
    expect(parseDeliveryKey(text), text).toBeNull();
  }
});

test("one second of one ledger generation is one wait; one generation of a partition is one pump", () => {
  expect(dueEventId(1_772_452_800, "g1")).toBe("due:1772452800:g1");
  expect(dueEventId(1_772_452_800, "g2")).not.toBe(dueEventId(1_772_452_800, "g1"));
  expect(pumpEventId("email:resend:x", 7)).toBe("pump:email:resend:x:7");
});

test("an event without its partition, or with an empty parcel, is refused before it is stored", () => {
  const parcel = {
    v: 1,
    channel: "email",
    partition: "email:resend:x",
    lane: "standard",
    admissionId: "a",
    deliveryIds: ["d"],
  };
  expect(EVENTS["delivery/admitted"].safeParse(parcel).success).toBe(true);
  expect(EVENTS["delivery/admitted"].safeParse({ ...parcel, partition: "" }).success).toBe(false);
  expect(EVENTS["delivery/admitted"].safeParse({ ...parcel, deliveryIds: [] }).success).toBe(false);
  expect(EVENTS["delivery/admitted"].safeParse({ ...parcel, v: 2 }).success).toBe(false);
  expect(EVENTS["reminder/scheduled"].safeParse({ v: 1, dueSecond: 1.5, generation: "g1" }).success).toBe(
    false,
  );
});
