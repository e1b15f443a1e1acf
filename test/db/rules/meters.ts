import fc from "fast-check";
import type { Meter } from "../../../db/rules/meter";

export const METER_START_MS = Date.UTC(2026, 2, 2, 12);

/** A meter at rest; tests say what they care about. */
export function meter(overrides: Partial<Meter> = {}): Meter {
  return {
    rate: 10,
    readyAtMs: METER_START_MS,
    blockedUntilMs: METER_START_MS,
    epoch: 1,
    lastCutAtMs: null,
    observedCeiling: null,
    callMs: 200,
    calmCallMs: null,
    urgentReadyAtMs: METER_START_MS,
    lastFeedbackAtMs: null,
    ...overrides,
  };
}

/** What operators may set: slow and fast, without and with a burst. */
export const METER_LIMITS = fc.record({
  ceiling: fc.constantFrom(0.1, 0.5, 1, 2, 5, 10, 33.3, 100, 500),
  burst: fc.constantFrom(1, 2, 3, 5, 25),
});
