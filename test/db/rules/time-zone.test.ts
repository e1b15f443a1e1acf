import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { printable } from "../../../db/rules/errors";
import { checkTimeZone, formatWhen, offsetMsAt, sameTimeZone } from "../../../db/rules/time-zone";

describe("a time zone", () => {
  test.each([
    ["Europe/Kyiv", "Europe/Kyiv"],
    ["Europe/Kiev", "Europe/Kiev"],
    ["Asia/Katmandu", "Asia/Katmandu"],
    ["Asia/Kathmandu", "Asia/Kathmandu"],
    ["US/Pacific", "US/Pacific"],
    ["europe/paris", "Europe/Paris"],
    ["AMERICA/NEW_YORK", "America/New_York"],
    ["america/port-au-prince", "America/Port-au-Prince"],
    ["antarctica/dumontdurville", "Antarctica/DumontDUrville"],
    ["EST", "EST"],
    ["utc", "UTC"],
    ["Etc/GMT+5", "Etc/GMT+5"],
  ])("%s is accepted as %s", (given, name) => {
    expect(checkTimeZone("timeZone", given)).toEqual({ ok: true, value: name });
  });

  const refused = [
    "+05:45",
    "-08:00",
    "+0545",
    "UTC+2",
    "Mars/Base",
    "Europe/Paris ",
    "",
    "Z",
    "PST",
    "Local",
    "SystemV/AST4",
    "2026-01-01T00:00Z",
    "2026-01-01T00:00+01:00[Europe/Paris]",
    "Europe/Paris\u0000",
    "../etc/passwd",
    "x".repeat(5000),
    undefined,
    null,
    0,
    {},
  ];
  for (const given of refused) {
    test(`${printable(given)} is refused on the field`, () => {
      expect(checkTimeZone("timeZone", given)).toMatchObject({
        ok: false,
        problem: { fields: [{ field: "timeZone", given: printable(given) }] },
      });
    });
  }

  test.each([
    ["Europe/Kyiv", "Europe/Kiev", true],
    ["Asia/Katmandu", "Asia/Kathmandu", true],
    ["US/Pacific", "America/Los_Angeles", true],
    ["Europe/Berlin", "Europe/Paris", false],
  ])("%s and %s are one zone: %s", (one, other, same) => {
    expect(sameTimeZone(one, other)).toBe(same);
  });

  test("every zone of this machine is accepted, in any case, under its own name", () => {
    for (const name of Intl.supportedValuesOf("timeZone")) {
      expect(checkTimeZone("timeZone", name)).toEqual({ ok: true, value: name });
      expect(checkTimeZone("timeZone", name.toLowerCase())).toEqual({ ok: true, value: name });
    }
  });

  test("never throws, and an accepted name can be used", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.anything(), fc.string({ unit: "binary" }), fc.stringMatching(/^[A-Za-z/+0-9_-]{1,12}$/)),
        (value) => {
          const result = checkTimeZone("timeZone", value);
          if (result.ok) expect(Number.isFinite(offsetMsAt(0, result.value))).toBe(true);
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe("an instant for people", () => {
  const christmasMs = Date.UTC(2026, 11, 24, 8);

  test.each([
    [christmasMs, "Europe/Berlin", "en", "Thu 24 Dec 2026, 09:00 (Europe/Berlin, GMT+1)"],
    [christmasMs, "Europe/Berlin", "en-US", "Thu 24 Dec 2026, 09:00 (Europe/Berlin, GMT+1)"],
    [christmasMs, "Europe/Berlin", "de", "Do., 24. Dez. 2026, 09:00 (Europe/Berlin, GMT+1)"],
    [christmasMs, "asia/kathmandu", "en", "Thu 24 Dec 2026, 13:45 (Asia/Kathmandu, GMT+5:45)"],
    [christmasMs, "America/St_Johns", "en", "Thu 24 Dec 2026, 04:30 (America/St_Johns, GMT-3:30)"],
    [christmasMs, "UTC", "en", "Thu 24 Dec 2026, 08:00 (UTC, GMT)"],
    [Date.UTC(2026, 11, 24), "UTC", "en", "Thu 24 Dec 2026, 00:00 (UTC, GMT)"],
    [
      Date.UTC(2027, 10, 7, 5, 30),
      "America/New_York",
      "en",
      "Sun 7 Nov 2027, 01:30 (America/New_York, GMT-4)",
    ],
    [
      Date.UTC(2027, 10, 7, 6, 30),
      "America/New_York",
      "en",
      "Sun 7 Nov 2027, 01:30 (America/New_York, GMT-5)",
    ],
  ])("%d in %s for %s reads %s", (atMs, timeZone, locale, text) => {
    expect(formatWhen(atMs, timeZone, locale)).toBe(text);
  });

  test("an unknown locale reads as English, and an unknown zone is told in UTC by name", () => {
    expect(formatWhen(christmasMs, "Mars/Base", "not a locale")).toBe("Thu 24 Dec 2026, 08:00 (UTC, GMT)");
  });

  test.each(["en", "en-US", "fr", "es", "pt-BR", "ar", "he", "ja"])(
    "has plain spaces only in %s",
    (locale) => {
      expect(formatWhen(christmasMs, "Europe/Berlin", locale)).not.toMatch(/[\u00a0\u202f]/);
    },
  );
});
