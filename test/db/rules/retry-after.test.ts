import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseHttpDate, parseRetryAfter, RETRY_AFTER_MS_MAX } from "../../../db/rules/retry-after";

const AT_MS = Date.UTC(2026, 10, 30, 12, 0, 0);

describe("seconds", () => {
  test.each([
    ["0", 0],
    ["1", 1000],
    [" 7 ", 7000],
    ["007", 7000],
    ["300", 300_000],
    ["86400", 86_400_000],
    ["2147484", 2_147_484_000],
    ["9999999999", 9_999_999_999_000],
  ])("%j is %d ms", (raw, ms) => {
    expect(parseRetryAfter(raw, AT_MS)).toBe(ms);
    expect(parseRetryAfter(raw, null)).toBe(ms);
  });

  test.each(["9223372036854775808", "99999999999999999999999999"])(
    "%s is held at what a date can hold",
    (raw) => {
      expect(parseRetryAfter(raw, AT_MS)).toBe(RETRY_AFTER_MS_MAX);
      expect(new Date(AT_MS + RETRY_AFTER_MS_MAX).toISOString()).toMatch(/^\d{4}-/);
    },
  );

  test("negative seconds are no time", () => {
    expect(parseRetryAfter("-5", AT_MS)).toBe(0);
  });
});

test.each([
  "soon",
  "1000abc",
  "60s",
  "rand(30),add(30)",
  "",
  " ",
  ",",
  "Infinity",
  "NaN",
  "1e3",
  "0x10",
  "1.5",
  "+5",
  "5 seconds",
  "٥",
  "2026-11-30T12:00:05Z",
  "Mon, 30 Nov 2026 12:00:05 UTC",
  "Mon, 30 Nov 2026 12:00:05",
  "Mon, 31 Nov 2026 12:00:05 GMT",
  "Mon, 30 Nov 2026 25:00:05 GMT",
])("%j counts as no header", (raw) => {
  expect(parseRetryAfter(raw, AT_MS)).toBeNull();
});

describe("dates", () => {
  test.each([
    ["Mon, 30 Nov 2026 12:00:05 GMT", 5000],
    ["Monday, 30-Nov-26 12:01:00 GMT", 60_000],
    ["Mon Nov 30 13:00:00 2026", 3_600_000],
    ["Tue Dec  1 12:00:00 2026", 86_400_000],
  ])("%s counts from the answer's own date", (raw, ms) => {
    expect(parseRetryAfter(raw, AT_MS)).toBe(ms);
  });

  test("a date in the past, or the answer's own second, is no time", () => {
    expect(parseRetryAfter("Mon, 30 Nov 2026 11:59:59 GMT", AT_MS)).toBe(0);
    expect(parseRetryAfter("Mon, 30 Nov 2026 12:00:00 GMT", AT_MS)).toBe(0);
  });

  test("without the answer's own date a date says nothing", () => {
    expect(parseRetryAfter("Mon, 30 Nov 2026 12:00:05 GMT", null)).toBeNull();
    expect(parseRetryAfter("Mon, 30 Nov 2026 12:00:05 GMT", Number.NaN)).toBeNull();
  });

  test("a two-digit year lies at most 50 years ahead", () => {
    expect(parseHttpDate("Sunday, 06-Nov-94 08:49:37 GMT", AT_MS)).toBe(Date.UTC(1994, 10, 6, 8, 49, 37));
    expect(parseHttpDate("Sunday, 06-Nov-76 08:49:37 GMT", AT_MS)).toBe(Date.UTC(2076, 10, 6, 8, 49, 37));
    expect(parseHttpDate("Sunday, 06-Nov-77 08:49:37 GMT", AT_MS)).toBe(Date.UTC(1977, 10, 6, 8, 49, 37));
  });

  test("a date and what it was made of are the same instant", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 253_402_300_799 }), (seconds) => {
        const text = new Date(seconds * 1000).toUTCString();
        expect(parseHttpDate(text, AT_MS)).toBe(seconds * 1000);
      }),
    );
  });
});

describe("a repeated header", () => {
  test.each([
    ["5, 10", 10_000],
    ["10, 5", 10_000],
    ["2814, 2", 2_814_000],
    ["5, soon", 5000],
    ["soon, later", null],
    ["5,", 5000],
    ["Mon, 30 Nov 2026 12:00:05 GMT, Mon, 30 Nov 2026 12:00:09 GMT", 9000],
    ["7, Mon, 30 Nov 2026 12:00:05 GMT", 7000],
    ["Mon, 30 Nov 2026 12:00:05 GMT, 3", 5000],
  ])("%j waits for its longest valid member", (raw, ms) => {
    expect(parseRetryAfter(raw, AT_MS)).toBe(ms);
  });

  test("is never shorter than any member alone", () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 10 ** 9 }), { minLength: 1, maxLength: 5 }), (seconds) => {
        const waitMs = parseRetryAfter(seconds.join(", "), AT_MS) ?? -1;
        expect(waitMs).toBe(Math.max(...seconds) * 1000);
      }),
    );
  });
});

test("any text gives null or a duration that fits, and never throws", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.string({ unit: "binary" })), (raw) => {
      const waitMs = parseRetryAfter(raw, AT_MS);
      expect(waitMs === null || (waitMs >= 0 && waitMs <= RETRY_AFTER_MS_MAX)).toBe(true);
    }),
    { numRuns: 500 },
  );
});
