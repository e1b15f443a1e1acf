import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { wallTimeAt } from "../../../db/rules/due-time";
import { printable } from "../../../db/rules/errors";
import { checkClockTime, quietUntilMs } from "../../../db/rules/quiet-hours";

const NEW_YORK = "America/New_York";
const DAY_MS = 24 * 60 * 60 * 1000;

function quietUntil(now: string, timeZone: string, start: string, end: string) {
  const untilMs = quietUntilMs({ nowMs: Date.parse(now), timeZone, start, end });
  return untilMs === null ? null : new Date(untilMs).toISOString();
}

describe("quiet hours", () => {
  test.each([
    // Across midnight.
    ["2026-12-24T20:59:59.999Z", "Europe/Berlin", "22:00", "08:00", null],
    ["2026-12-24T21:00:00Z", "Europe/Berlin", "22:00", "08:00", "2026-12-25T07:00:00.000Z"],
    ["2026-12-24T23:30:00Z", "Europe/Berlin", "22:00", "08:00", "2026-12-25T07:00:00.000Z"],
    ["2026-12-25T06:59:59.999Z", "Europe/Berlin", "22:00", "08:00", "2026-12-25T07:00:00.000Z"],
    ["2026-12-25T07:00:00Z", "Europe/Berlin", "22:00", "08:00", null],
    // Within a day.
    ["2026-12-24T12:30:00Z", "UTC", "12:00", "14:00", "2026-12-24T14:00:00.000Z"],
    ["2026-12-24T11:59:00Z", "UTC", "12:00", "14:00", null],
    // Until and from midnight.
    ["2026-12-24T23:00:00Z", "UTC", "22:00", "00:00", "2026-12-25T00:00:00.000Z"],
    ["2026-12-24T00:00:00Z", "UTC", "00:00", "06:00", "2026-12-24T06:00:00.000Z"],
    // A zone 45 minutes off.
    ["2026-12-01T00:00:00Z", "Asia/Kathmandu", "22:00", "08:00", "2026-12-01T02:15:00.000Z"],
    // The night in which the clocks go forward is an hour shorter, the other one an hour longer.
    ["2027-03-14T03:00:00Z", NEW_YORK, "22:00", "08:00", "2027-03-14T12:00:00.000Z"],
    ["2027-11-07T02:00:00Z", NEW_YORK, "22:00", "08:00", "2027-11-07T13:00:00.000Z"],
    // An end that the clock skips comes at the change.
    ["2027-03-14T06:30:00Z", NEW_YORK, "22:00", "02:30", "2027-03-14T07:00:00.000Z"],
    // A repeated hour is quiet each time that the clock shows it.
    ["2027-11-07T05:10:00Z", NEW_YORK, "22:00", "01:30", "2027-11-07T05:30:00.000Z"],
    ["2027-11-07T05:40:00Z", NEW_YORK, "22:00", "01:30", null],
    ["2027-11-07T06:10:00Z", NEW_YORK, "22:00", "01:30", "2027-11-07T06:30:00.000Z"],
    ["2027-11-07T05:45:00Z", NEW_YORK, "01:30", "08:00", "2027-11-07T06:00:00.000Z"],
    // Half an hour of clock change.
    ["2027-10-02T15:10:00Z", "Australia/Lord_Howe", "22:00", "02:15", "2027-10-02T15:30:00.000Z"],
  ])("at %s in %s, from %s to %s: until %s", (now, timeZone, start, end, until) => {
    expect(quietUntil(now, timeZone, start, end)).toBe(until);
  });

  test("with equal start and end there are none", () => {
    expect(quietUntil("2026-12-24T23:30:00Z", "UTC", "22:00", "22:00")).toBeNull();
  });

  test.each([
    ["Mars/Base", "22:00", "08:00"],
    ["UTC", "25:00", "08:00"],
    ["UTC", "22:00", ""],
  ])("that are no quiet hours (%s, %s, %s) hold nothing back", (timeZone, start, end) => {
    expect(quietUntil("2026-12-24T23:30:00Z", timeZone, start, end)).toBeNull();
  });
});

test("it is quiet exactly while the clock on the wall is in the window, and the end is the first instant that is not", () => {
  const clockTime = fc
    .integer({ min: 0, max: 24 * 60 - 1 })
    .map(
      (minute) =>
        `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`,
    );
  // Hours around clock changes weigh as much as all other times.
  const changes = [
    "2027-03-14T07:00Z",
    "2027-11-07T06:00Z",
    "2027-03-28T01:00Z",
    "2027-10-31T01:00Z",
    "2027-10-02T15:30Z",
  ];
  const anyNow = fc.oneof(
    fc.integer({ min: Date.UTC(2026, 0), max: Date.UTC(2032, 0) }),
    fc
      .tuple(fc.constantFrom(...changes), fc.integer({ min: -DAY_MS, max: DAY_MS }))
      .map(([at, off]) => Date.parse(at) + off),
  );
  const anyZone = fc.oneof(
    fc.constantFrom(...Intl.supportedValuesOf("timeZone")),
    fc.constantFrom(NEW_YORK, "Europe/Berlin", "Australia/Lord_Howe"),
  );
  fc.assert(
    fc.property(anyNow, anyZone, clockTime, clockTime, (nowMs, timeZone, start, end) => {
      const untilMs = quietUntilMs({ nowMs, timeZone, start, end });
      expect(untilMs !== null).toBe(isQuiet(nowMs, timeZone, start, end));
      if (untilMs === null) return;
      expect(untilMs).toBeGreaterThan(nowMs);
      expect(untilMs - nowMs).toBeLessThan(DAY_MS + 2 * 60 * 60 * 1000);
      expect(isQuiet(untilMs, timeZone, start, end)).toBe(false);
      expect(isQuiet(untilMs - 1, timeZone, start, end)).toBe(true);
      for (let part = 1; part < 8; part += 1) {
        expect(isQuiet(nowMs + Math.floor(((untilMs - nowMs) * part) / 8), timeZone, start, end)).toBe(true);
      }
    }),
    { numRuns: 400 },
  );
});

/** The rule as it is written, by the wall clock alone. */
function isQuiet(atMs: number, timeZone: string, start: string, end: string): boolean {
  const clock = wallTimeAt(atMs, timeZone).slice(11, 16);
  return start <= end ? clock >= start && clock < end : clock >= start || clock < end;
}

describe("a time of day", () => {
  test.each([
    ["00:00", "00:00"],
    ["23:59", "23:59"],
    ["22:00:00", "22:00"],
  ])("%s is accepted as %s", (value, time) => {
    expect(checkClockTime("quietHours.start", value)).toEqual({ ok: true, value: time });
  });

  for (const value of ["24:00", "8:00", "08:60", "08:00:30", "8 pm", "", null, undefined, 800]) {
    test(`${printable(value)} is refused on the field`, () => {
      expect(checkClockTime("quietHours.start", value)).toMatchObject({
        problem: { fields: [{ field: "quietHours.start" }] },
      });
    });
  }
});
