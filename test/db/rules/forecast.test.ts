import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type ForecastInput,
  forecastDelivery,
  forecastDrainMs,
  laneShareOf,
} from "../../../db/rules/forecast";

const NOW = Date.UTC(2031, 0, 1);

function input(
  overrides: { rate?: number; ceiling?: number; closedUntilMs?: number | null } & Partial<ForecastInput> = {},
) {
  const { rate = 10, ceiling = 10, closedUntilMs = null, ...rest } = overrides;
  return {
    nowMs: NOW,
    eligibleAtMs: NOW,
    aheadCost: 0,
    laneShare: 1,
    closedUntilMs,
    budgets: [
      {
        meter: {
          rate,
          readyAtMs: NOW,
          blockedUntilMs: NOW,
          epoch: 1,
          lastCutAtMs: null,
          observedCeiling: null,
          callMs: 100,
          calmCallMs: null,
          urgentReadyAtMs: NOW,
          lastFeedbackAtMs: null,
        },
        limits: { ceiling, burst: 1 },
      },
    ],
    ...rest,
  };
}

test("with nothing before it a delivery is expected at its own time, or when its provider opens", () => {
  expect(forecastDelivery(input({ eligibleAtMs: NOW + 5_000 }))?.expectedMs).toBe(NOW + 5_000);
  expect(forecastDelivery(input({ closedUntilMs: NOW + 9_000 }))?.expectedMs).toBe(NOW + 9_000);
});

test("a backlog takes its cost over the lane's share of the rate", () => {
  expect(forecastDelivery(input({ aheadCost: 100 }))?.expectedMs).toBe(NOW + 10_000);
  expect(forecastDelivery(input({ aheadCost: 100, laneShare: 0.5 }))?.expectedMs).toBe(NOW + 20_000);
  // The backlog drains while the delivery waits for its own time.
  expect(forecastDelivery(input({ aheadCost: 100, eligibleAtMs: NOW + 8_000 }))?.expectedMs).toBe(
    NOW + 10_000,
  );
});

test("nobody knows when a pause without an end is over, nor at rate 0", () => {
  expect(forecastDelivery(input({ closedUntilMs: Number.POSITIVE_INFINITY }))).toBeNull();
  expect(forecastDelivery(input({ ceiling: 0 }))).toBeNull();
});

test("the range holds the guess, and nothing is expected before its time", () => {
  fc.assert(
    fc.property(
      fc.record({
        eligibleAtMs: fc.integer({ min: NOW - 100_000, max: NOW + 100_000 }),
        aheadCost: fc.integer({ min: 0, max: 50_000 }),
        laneShare: fc.double({ min: 0.01, max: 1, noNaN: true }),
        rate: fc.double({ min: 0.5, max: 500, noNaN: true }),
        closedUntilMs: fc.option(fc.integer({ min: NOW, max: NOW + 100_000 })),
      }),
      (facts) => {
        const forecast = forecastDelivery(input({ ...facts, ceiling: 500 }));
        expect(forecast).not.toBeNull();
        if (forecast === null) return;
        expect(forecast.earliestMs).toBeLessThanOrEqual(forecast.expectedMs);
        expect(forecast.expectedMs).toBeLessThan(forecast.latestMs);
        expect(forecast.earliestMs).toBeGreaterThanOrEqual(
          Math.max(NOW, facts.eligibleAtMs, facts.closedUntilMs ?? NOW),
        );
      },
    ),
  );
});

test("a lane's share is its weight among the lanes that have work; urgent stands before all", () => {
  const lanes = [
    { lane: "urgent", weight: 8, busy: true },
    { lane: "standard", weight: 4, busy: true },
    { lane: "bulk", weight: 2, busy: true },
    { lane: "redrive", weight: 1, busy: false },
  ];
  expect(laneShareOf("standard", lanes)).toBeCloseTo(4 / 6);
  expect(laneShareOf("redrive", lanes)).toBeCloseTo(1 / 7);
  expect(laneShareOf("urgent", lanes)).toBe(1);
});

test("a backlog that grows faster than it drains never drains", () => {
  expect(forecastDrainMs({ backlogCost: 100, addedCost: 50, perSecond: 10, arrivalsPerSecond: 5 })).toBe(
    30_000,
  );
  expect(forecastDrainMs({ backlogCost: 100, addedCost: 0, perSecond: 5, arrivalsPerSecond: 5 })).toBeNull();
  expect(forecastDrainMs({ backlogCost: 0, addedCost: 0, perSecond: 5, arrivalsPerSecond: 9 })).toBe(0);
});
