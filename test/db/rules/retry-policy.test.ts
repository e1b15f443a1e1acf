import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hashFraction } from "../../../db/rules/jitter";
import { RETRY_AFTER_MS_MAX } from "../../../db/rules/retry-after";
import {
  CALL_DEADLINE_MS,
  leaseMs,
  THROTTLE_BACKOFF_MS_MAX,
  TRANSIENT_BACKOFF_MS_MAX,
  throttleDelayMs,
  throttleFloorMs,
  transientBackoffMs,
} from "../../../db/rules/retry-policy";

const SEED = "5f0c2a4e-3f63-4ac5-9d0c-3e6f6a0d8e11";

describe("transient backoff", () => {
  test.each([
    [0, 1000],
    [1, 2000],
    [2, 4000],
    [5, 32_000],
    [10, 900_000],
    [31, 900_000],
    [40, 900_000],
    [1023, 900_000],
    [1100, 900_000],
    [Number.POSITIVE_INFINITY, 900_000],
    [-1, 1000],
    [Number.NaN, 1000],
    [undefined as unknown as number, 1000],
  ])("after failure %d it lies in the upper half of %d ms", (failureCount, baseMs) => {
    const delayMs = transientBackoffMs(failureCount, SEED);
    expect(delayMs).toBeGreaterThanOrEqual(baseMs / 2);
    expect(delayMs).toBeLessThanOrEqual(baseMs);
    expect(Number.isInteger(delayMs)).toBe(true);
  });

  test("never shrinks as failures grow, and stays under its cap", () => {
    fc.assert(
      fc.property(fc.string(), fc.nat({ max: 2000 }), (seed, failureCount) => {
        const delayMs = transientBackoffMs(failureCount, seed);
        expect(delayMs).toBeLessThanOrEqual(transientBackoffMs(failureCount + 1, seed));
        expect(delayMs).toBeLessThanOrEqual(TRANSIENT_BACKOFF_MS_MAX);
      }),
    );
  });

  test("the same delivery always waits the same, different ones are spread over the half", () => {
    expect(transientBackoffMs(3, SEED)).toBe(transientBackoffMs(3, SEED));
    const fractions = Array.from({ length: 1000 }, (_, index) => hashFraction(`delivery-${index}`));
    const tenths = new Set(fractions.map((fraction) => Math.floor(fraction * 10)));
    expect(tenths.size).toBe(10);
    const mean = fractions.reduce((sum, fraction) => sum + fraction, 0) / fractions.length;
    expect(Math.abs(mean - 0.5)).toBeLessThan(0.05);
  });
});

describe("throttle delay", () => {
  const given = (retryAfterMs: number | null, throttleCount = 1, floorMs = 1000) =>
    throttleDelayMs({ retryAfterMs, throttleCount, floorMs, seed: SEED });

  test("is never sooner than the provider asked, for any number", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.nat(), fc.double({ min: 0, max: RETRY_AFTER_MS_MAX, noNaN: true })),
        fc.oneof(fc.integer(), fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY)),
        fc.string(),
        (retryAfterMs, throttleCount, seed) => {
          const delayMs = throttleDelayMs({ retryAfterMs, throttleCount, floorMs: 1000, seed });
          expect(delayMs).toBeGreaterThanOrEqual(retryAfterMs);
          expect(Number.isSafeInteger(delayMs)).toBe(true);
        },
      ),
    );
  });

  test("keeps an honest 300 s although the own backoff is capped at 30 s", () => {
    expect(given(300_000)).toBeGreaterThanOrEqual(300_000);
    expect(given(300_000)).toBeLessThanOrEqual(301_000);
  });

  test("a due time after the longest wait is still a date", () => {
    const delayMs = given(Number.POSITIVE_INFINITY);
    expect(new Date(Date.UTC(2026, 0) + delayMs).toISOString()).toMatch(/^\d{4}-/);
  });

  test.each([null, 0])("without a usable time (%s) it grows from the floor to 30 s", (retryAfterMs) => {
    expect(given(retryAfterMs, 1)).toBeGreaterThanOrEqual(1000);
    expect(given(retryAfterMs, 1)).toBeLessThanOrEqual(1100);
    for (const throttleCount of [0, 1, 2, 3, 6, 31, 1100, -1, Number.NaN]) {
      const delayMs = given(retryAfterMs, throttleCount);
      expect(delayMs).toBeGreaterThanOrEqual(1000);
      expect(delayMs).toBeLessThanOrEqual(THROTTLE_BACKOFF_MS_MAX);
    }
    expect(given(retryAfterMs, 1100)).toBeGreaterThanOrEqual(THROTTLE_BACKOFF_MS_MAX / 2);
  });

  test("a floor above the cap wins", () => {
    expect(given(null, 1, 120_000)).toBeGreaterThanOrEqual(120_000);
    expect(given(null, 1100, 120_000)).toBeLessThanOrEqual(132_000);
  });
});

test.each([
  ["email:resend:main", 1000],
  ["sms:twilio:AC1:+15005550006", 1000],
  ["push:fcm.googleapis.com", 10_000],
  ["push:web.push.apple.com", 10_000],
  ["push:updates.push.services.mozilla.com", 120_000],
  ["push:push.services.mozilla.com", 120_000],
])("%s waits at least %d ms after a 429 without a time", (partition, floorMs) => {
  expect(throttleFloorMs(partition)).toBe(floorMs);
});

test("a lease outlives its call by the time to settle", () => {
  expect(CALL_DEADLINE_MS).toEqual({ email: 10_000, sms: 30_000, push: 10_000 });
  expect([leaseMs("email"), leaseMs("sms"), leaseMs("push")]).toEqual([15_000, 35_000, 15_000]);
});
