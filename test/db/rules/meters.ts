import fc from "fast-check";
import type { Meter, MeterLimits } from "../../../db/rules/meter";
import { reserveSlots } from "../../../db/rules/slots";

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

/** A reservation from one meter alone. */
export function reserve(
  current: Meter,
  limits: MeterLimits,
  request: { nowMs: number; costs: readonly number[]; urgent: boolean; dueAtMs?: number },
): { slotsAtMs: number[]; retryAtMs: number; meter: Meter } {
  const { slotsAtMs, retryAtMs, meters } = reserveSlots([{ meter: current, limits }], {
    nowMs: request.nowMs,
    urgent: request.urgent,
    sends: request.costs.map((cost) => ({ cost, dueAtMs: request.dueAtMs })),
  });
  return { slotsAtMs, retryAtMs, meter: meters[0] ?? current };
}

/** The most of these instants in any one second. */
export function mostInOneSecond(atMs: readonly number[]): number {
  const sorted = atMs.toSorted((a, b) => a - b);
  let most = 0;
  for (let first = 0, last = 0; last < sorted.length; last += 1) {
    while ((sorted[last] ?? 0) - (sorted[first] ?? 0) >= 1000) first += 1;
    most = Math.max(most, last - first + 1);
  }
  return most;
}
