import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { resolveWallTime } from "../../../db/rules/due-time";
import { seriesAfter } from "../../../db/rules/recurrence";
import {
  checkRecurrence,
  FREQUENCIES,
  type Recurrence,
  readRecurrence,
  WEEKDAYS,
  writeRecurrence,
} from "../../../db/rules/recurrence-parts";

function series(recurrence: string, start: string, limit = 5, after: string | null = null): string[] {
  return seriesAfter({ recurrence, start, after, limit });
}
const days = (walls: string[]) => walls.map((wall) => wall.slice(0, 10));

describe("a rule", () => {
  test.each([
    ["FREQ=DAILY", "FREQ=DAILY"],
    ["rrule:freq=weekly;byday=we,mo;count=10", "FREQ=WEEKLY;BYDAY=MO,WE;COUNT=10"],
    ["FREQ=MONTHLY;INTERVAL=1", "FREQ=MONTHLY"],
    ["FREQ=YEARLY;UNTIL=20301231T235959Z", "FREQ=YEARLY;UNTIL=20301231"],
  ])("%s is taken as %s", (given, kept) => {
    expect(checkRecurrence("repeat", given)).toEqual({ ok: true, value: kept });
  });

  test.each([
    "",
    "daily",
    "FREQ=HOURLY",
    "FREQ=DAILY;COUNT=0",
    "FREQ=DAILY;COUNT=9999",
    "FREQ=DAILY;COUNT=2;UNTIL=20301231",
    "FREQ=DAILY;BYDAY=MO",
    "FREQ=WEEKLY;BYDAY=1MO",
    "FREQ=WEEKLY;BYDAY=MO,MO,XX",
    "FREQ=DAILY;UNTIL=20300231",
    "FREQ=DAILY;INTERVAL=0",
    "FREQ=DAILY;BYHOUR=8",
    "FREQ=DAILY;FREQ=WEEKLY",
    7,
    null,
  ])("%j is refused, and nothing of it is ignored", (given) => {
    expect(checkRecurrence("repeat", given)).toMatchObject({ ok: false });
  });

  test("reads as it was written", () => {
    const rule = fc.record({
      frequency: fc.constantFrom(...FREQUENCIES),
      interval: fc.integer({ min: 1, max: 5 }),
      days: fc.constant<Recurrence["days"]>([]),
      count: fc.option(fc.integer({ min: 1, max: 700 })),
      until: fc.constant(null),
    });
    fc.assert(
      fc.property(rule, (one) => {
        expect(readRecurrence(writeRecurrence(one))).toEqual(one);
      }),
    );
  });
});

describe("a series", () => {
  test("on the 31st takes the last day of a shorter month, and the 31st again after it", () => {
    expect(days(series("FREQ=MONTHLY", "2027-01-31T09:00:00"))).toEqual([
      "2027-01-31",
      "2027-02-28",
      "2027-03-31",
      "2027-04-30",
      "2027-05-31",
    ]);
  });

  test("on 29 February is on the 28th in other years, and on the 29th again", () => {
    expect(days(series("FREQ=YEARLY", "2028-02-29T09:00:00"))).toEqual([
      "2028-02-29",
      "2029-02-28",
      "2030-02-28",
      "2031-02-28",
      "2032-02-29",
    ]);
  });

  test("of workdays that is set on a Saturday begins on Monday, and a count counts what comes", () => {
    expect(days(series("FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;COUNT=3", "2027-01-02T08:00:00"))).toEqual([
      "2027-01-04",
      "2027-01-05",
      "2027-01-06",
    ]);
  });

  test("has its last day whole, and nothing after it", () => {
    expect(days(series("FREQ=DAILY;UNTIL=20270103", "2027-01-01T23:30:00"))).toEqual([
      "2027-01-01",
      "2027-01-02",
      "2027-01-03",
    ]);
    expect(series("FREQ=DAILY;UNTIL=20261231", "2027-01-01T09:00:00")).toEqual([]);
  });

  test("loses no day to a change of the clock, and the days after it keep their time", () => {
    const walls = series("FREQ=DAILY", "2027-03-13T02:30:00", 3);
    expect(walls).toEqual(["2027-03-13T02:30:00", "2027-03-14T02:30:00", "2027-03-15T02:30:00"]);
    const instants = walls.map((wall) =>
      new Date(resolveWallTime(wall, "America/New_York").dueAtMs).toISOString(),
    );
    // The 14th skips 02:30: it comes an hour later on the clock, at the instant that the old offset names (RFC 5545 3.3.5).
    expect(instants).toEqual([
      "2027-03-13T07:30:00.000Z",
      "2027-03-14T07:30:00.000Z",
      "2027-03-15T06:30:00.000Z",
    ]);
  });

  test("comes once in the night that has an hour twice", () => {
    const instants = series("FREQ=DAILY", "2027-11-06T01:30:00", 3).map((wall) =>
      new Date(resolveWallTime(wall, "America/New_York").dueAtMs).toISOString(),
    );
    expect(instants).toEqual([
      "2027-11-06T05:30:00.000Z",
      "2027-11-07T05:30:00.000Z",
      "2027-11-08T06:30:00.000Z",
    ]);
  });

  test("continues after any of its elements as if it had been read from the start", () => {
    const rule = fc.oneof(
      fc.constantFrom(...FREQUENCIES).map((frequency) => `FREQ=${frequency}`),
      fc.subarray([...WEEKDAYS], { minLength: 1 }).map((some) => `FREQ=WEEKLY;BYDAY=${some.join(",")}`),
      fc.integer({ min: 2, max: 5 }).map((interval) => `FREQ=MONTHLY;INTERVAL=${interval};COUNT=9`),
    );
    const start = fc
      .date({ min: new Date("2026-01-01"), max: new Date("2030-01-01"), noInvalidDate: true })
      .map((date) => `${date.toISOString().slice(0, 16)}:00`);
    fc.assert(
      fc.property(rule, start, fc.integer({ min: 0, max: 5 }), (recurrence, from, skipped) => {
        const all = series(recurrence, from, 8);
        expect(all).toEqual([...all].sort());
        expect(new Set(all).size).toBe(all.length);
        const after = all[skipped];
        if (after === undefined) return;
        const rest = series(recurrence, from, 3, after);
        expect(rest.slice(0, all.length - skipped - 1)).toEqual(all.slice(skipped + 1, skipped + 4));
      }),
      { numRuns: 60 },
    );
  });
});
