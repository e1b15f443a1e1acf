import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { costPerMillion, forecastBurst } from "../../../db/rules/capacity";

const USEFUL_MS = 48 * 3_600_000;
const IMPORT = {
  backlogCost: 0,
  burstCost: 14_400,
  perSecond: 40,
  arrivalsPerSecond: 0,
  usefulMs: USEFUL_MS,
};

describe("a burst's forecast", () => {
  test("14,400 deliveries at 40 a second take six minutes, half of them three", () => {
    expect(forecastBurst(IMPORT)).toEqual({
      drainMs: 360_000,
      p50AgeMs: 180_000,
      p99AgeMs: 356_400,
      expiring: 0,
    });
  });

  test("what waits goes first, and what arrives meanwhile takes its share", () => {
    const forecast = forecastBurst({ ...IMPORT, backlogCost: 1_600, arrivalsPerSecond: 8 });
    expect(forecast.drainMs).toBe(500_000);
  });

  test("more than can be served within its usefulness expires, and a stopped partition drains never", () => {
    expect(forecastBurst({ ...IMPORT, usefulMs: 60_000 }).expiring).toBe(12_000);
    expect(forecastBurst({ ...IMPORT, perSecond: 0 })).toMatchObject({ drainMs: null, expiring: 14_400 });
  });

  test("property: a larger burst is never forecast to be over sooner, and no more expires than there is", () => {
    const amount = fc.integer({ min: 0, max: 1_000_000 });
    fc.assert(
      fc.property(amount, amount, fc.integer({ min: 1, max: 1_000 }), (burst, more, perSecond) => {
        const one = forecastBurst({ ...IMPORT, burstCost: burst, perSecond });
        const two = forecastBurst({ ...IMPORT, burstCost: burst + more, perSecond });
        expect(two.drainMs ?? 0).toBeGreaterThanOrEqual(one.drainMs ?? 0);
        expect(two.expiring).toBeLessThanOrEqual(burst + more);
      }),
    );
  });
});

test("every cost stands beside its assumptions", () => {
  const { lines, assumptions } = costPerMillion();
  expect(lines.every((line) => line.throttled >= 0 && line.normal >= 0)).toBe(true);
  expect(assumptions.every((assumption) => assumption.from !== "")).toBe(true);
});
