import { describe, expect, test } from "vitest";
import { deadFilterWords, readDeadFilter, readLetters, writeLetters } from "../../../app/_ops/dead-filter";
import {
  address,
  count,
  counted,
  duration,
  fromPath,
  one,
  partitionName,
  perSecond,
  share,
} from "../../../app/_ops/words";

test.each([
  [-5, "0 ms"],
  [850, "850 ms"],
  [9_940, "9.9 s"],
  [59_999, "59 s"],
  [60_000, "1 min"],
  [250_000, "4 min 10 s"],
  [12_000_000, "3 h 20 min"],
  [187_200_000, "2 d 4 h"],
])("%d ms reads %s", (ms, words) => {
  expect(duration(ms)).toBe(words);
});

test("numbers read as people say them, and a count that stopped says so", () => {
  expect([
    count(1234),
    count(10_000, 10_000),
    counted(1, "delivery", "deliveries"),
    counted(0, "delivery", "deliveries"),
  ]).toEqual(["1,234", "10,000 or more", "1 delivery", "0 deliveries"]);
  expect([perSecond(0.5), perSecond(5), perSecond(12.4), share(0), share(0.004), share(0.125)]).toEqual([
    "0.5/s",
    "5/s",
    "12/s",
    "0 %",
    "under 1 %",
    "13 %",
  ]);
});

test("a partition is called by what tells it from others", () => {
  expect(partitionName("sms:twilio:AC0123:+15005550006")).toBe("SMS · +15005550006");
  expect(partitionName("push:fcm.googleapis.com")).toBe("Push · fcm.googleapis.com");
});

describe("addresses", () => {
  test("leave out what is not asked, and a part that is no text stays as it is", () => {
    expect(address("/ops", { span: "1h", target: undefined, after: "" })).toBe("/ops?span=1h");
    expect([fromPath("a%3Ab"), fromPath("%E0%A4%A")]).toEqual(["a:b", "%E0%A4%A"]);
  });

  test("carry a filter of dead letters there and back, and nothing that it does not know", () => {
    const filter = {
      channel: "sms",
      reason: "message_rejected",
      diedAfterMs: 1000,
      diedBeforeMs: 2000,
    } as const;
    expect(readDeadFilter(deadFilterWords(filter))).toEqual(filter);
    expect(
      readDeadFilter({ channel: "fax", reason: "'; drop table", from: "soon", partition: ["a", "b"] }),
    ).toEqual({
      partition: "a",
    });
  });

  test("a value of a query is text that a column takes, and of several the first", () => {
    expect(one({ partition: "a\0b" }, "partition")).toBe("ab");
    expect(one({ partition: ["x", "y"] }, "partition")).toBe("x");
    for (const nothing of [{}, { partition: "" }, { partition: "\0" }, { partition: [] }])
      expect(one(nothing, "partition")).toBeUndefined();
  });

  test("letters go through a form and come back as they were", () => {
    const letters = [
      { deliveryId: "d-1", burialId: "b-1" },
      { deliveryId: "d-2", burialId: "b-2" },
    ];
    expect(readLetters(writeLetters(letters))).toEqual(letters);
    expect(readLetters("")).toEqual([]);
  });
});
