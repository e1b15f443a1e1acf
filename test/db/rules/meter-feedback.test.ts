import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  admissionWindow,
  effectiveCeiling,
  feedAccepted,
  feedThrottled,
  inFlightBound,
  meteredCost,
  slotIntervalMs,
} from "../../../db/rules/meter";
import { GROUP_MS, slotToleranceMs } from "../../../db/rules/slots";
import { METER_LIMITS, meter, METER_START_MS as START_MS } from "./meters";

describe("feedback", () => {
  const answer = fc.record({
    nowMs: fc.integer({ min: START_MS, max: START_MS + 5000 }),
    waitMs: fc.integer({ min: 0, max: 60_000 }),
  });

  test("one overload is one cut, however many answers of its epoch report it", () => {
    fc.assert(
      fc.property(
        fc.array(answer, { minLength: 1, maxLength: 20 }),
        fc.double({ min: 0.5, max: 500, noNaN: true }),
        (answers, rate) => {
          let current = meter({ rate });
          for (const { nowMs, waitMs } of answers) {
            current = feedThrottled(current, { nowMs, slotEpoch: 1, untilMs: nowMs + waitMs });
          }
          expect(current.epoch).toBe(2);
          expect(current.rate).toBeCloseTo(Math.max(0.5, rate * 0.7), 9);
          const latest = Math.max(...answers.map(({ nowMs, waitMs }) => nowMs + waitMs));
          expect(current.blockedUntilMs).toBe(latest);
        },
      ),
    );
  });

  test("an overload that persists into the next epoch cuts again, never under the least rate", () => {
    let current = meter({ rate: 100 });
    for (let round = 0; round < 40; round += 1) {
      const before = current;
      current = feedThrottled(current, {
        nowMs: START_MS,
        slotEpoch: current.epoch,
        untilMs: START_MS + 1000,
      });
      expect(current.epoch).toBe(before.epoch + 1);
      expect(current.rate).toBeLessThanOrEqual(before.rate);
    }
    expect(current.rate).toBe(0.5);
  });

  test("the gate only ever moves later", () => {
    const closed = meter({ blockedUntilMs: START_MS + 9000 });
    expect(
      feedThrottled(closed, { nowMs: START_MS, slotEpoch: 1, untilMs: START_MS + 10 }).blockedUntilMs,
    ).toBe(START_MS + 9000);
  });

  test("recovery never passes the ceiling, the operator's or the provider's, and never lowers a rate under it", () => {
    fc.assert(
      fc.property(
        METER_LIMITS,
        fc.option(fc.double({ min: 0, max: 600, noNaN: true })),
        fc.double({ min: 0.5, max: 500, noNaN: true }),
        fc.array(fc.record({ afterMs: fc.integer({ min: 0, max: 2000 }), stale: fc.boolean() }), {
          maxLength: 50,
        }),
        (limit, observedCeiling, rate, answers) => {
          let current = meter({ rate, observedCeiling, lastCutAtMs: START_MS });
          const ceiling = effectiveCeiling(current, limit);
          let nowMs = START_MS;
          for (const { afterMs: waited, stale } of answers) {
            nowMs += waited;
            const before = current;
            current = feedAccepted(current, limit, { nowMs, slotEpoch: stale ? 0 : 1, callMs: 150 });
            expect(current.rate).toBeLessThanOrEqual(Math.max(before.rate, ceiling));
            expect(current.rate).toBeGreaterThanOrEqual(Math.min(before.rate, ceiling, 0.5));
            if (stale) expect(current.rate).toBeLessThanOrEqual(before.rate);
            expect(1000 / slotIntervalMs(current, limit)).toBeLessThanOrEqual(ceiling);
          }
        },
      ),
    );
  });

  test("after a limit's end full rate is back within three seconds of steady success", () => {
    const limit = { ceiling: 100, burst: 5 };
    let current = feedThrottled(meter({ rate: 40 }), { nowMs: START_MS, slotEpoch: 1, untilMs: START_MS });
    let tookMs = 0;
    while (current.rate < 100 && tookMs < 10_000) {
      tookMs += 25;
      current = feedAccepted(current, limit, { nowMs: START_MS + tookMs, slotEpoch: 2, callMs: 50 });
    }
    expect(tookMs).toBeLessThanOrEqual(3000);
  });

  test("silence is no evidence: one success after an hour raises by one second's worth", () => {
    const cut = meter({ rate: 10, lastCutAtMs: START_MS, lastFeedbackAtMs: START_MS });
    const fed = feedAccepted(
      cut,
      { ceiling: 100, burst: 5 },
      { nowMs: START_MS + 3_600_000, slotEpoch: 1, callMs: 50 },
    );
    expect(fed.rate).toBeLessThanOrEqual(10 + 100 * 0.1 * 5);
  });

  test("successes of an older epoch say nothing about the present rate", () => {
    const cut = feedThrottled(meter({ rate: 50 }), {
      nowMs: START_MS,
      slotEpoch: 1,
      untilMs: START_MS + 100,
    });
    const fed = feedAccepted(
      cut,
      { ceiling: 100, burst: 5 },
      { nowMs: START_MS + 500, slotEpoch: 1, callMs: 50 },
    );
    expect(fed.rate).toBe(35);
  });
});

test("the tolerance for a late call is half the burst's time, at most one group", () => {
  fc.assert(
    fc.property(METER_LIMITS, (limit) => {
      const toleranceMs = slotToleranceMs(meter({ rate: limit.ceiling }), limit);
      expect(toleranceMs).toBeLessThanOrEqual(GROUP_MS);
      expect(toleranceMs).toBeLessThanOrEqual(
        (limit.burst / 2) * slotIntervalMs(meter({ rate: limit.ceiling }), limit),
      );
    }),
  );
});

test("the admission window is at least one, and nothing at a ceiling of zero", () => {
  fc.assert(
    fc.property(
      METER_LIMITS,
      fc.double({ min: 0.5, max: 500, noNaN: true }),
      fc.integer({ min: 0, max: 30_000 }),
      (limit, rate, callMs) => {
        const window = admissionWindow(meter({ rate, callMs }), limit);
        expect(window).toBeGreaterThanOrEqual(1);
        expect(window).toBeLessThanOrEqual(Math.max(1, limit.ceiling * (2 + callMs / 1000)));
      },
    ),
  );
  expect(admissionWindow(meter(), { ceiling: 0, burst: 1 })).toBe(0);
  // A header that says "none allowed" must not end the partition for ever: nobody would ask again.
  expect(admissionWindow(meter({ observedCeiling: 0 }), { ceiling: 10, burst: 1 })).toBeGreaterThanOrEqual(1);
});

test("calls in flight: all of them while the provider is well, fewer as it slows down, never none", () => {
  const calls = fc.record({
    callMs: fc.double({ min: 1, max: 60_000, noNaN: true }),
    calmCallMs: fc.double({ min: 1, max: 5000, noNaN: true }),
  });
  fc.assert(
    fc.property(calls, fc.integer({ min: 1, max: 1000 }), (times, concurrency) => {
      const bound = inFlightBound(meter(times), concurrency);
      expect(bound).toBeGreaterThanOrEqual(1);
      expect(bound).toBeLessThanOrEqual(concurrency);
      if (times.callMs < 2 * times.calmCallMs) expect(bound).toBe(concurrency);
      else if (times.callMs >= 100) expect(bound).toBeLessThanOrEqual(Math.max(1, concurrency / 2));
      const slower = inFlightBound(meter({ ...times, callMs: times.callMs * 2 }), concurrency);
      expect(slower).toBeLessThanOrEqual(bound);
    }),
  );
  expect(inFlightBound(meter({ calmCallMs: null, callMs: 9000 }), 100)).toBe(100);
});

test("bulk and redrive pay for the headroom that they leave, nobody else does", () => {
  expect(meteredCost(1, "urgent", 0.5)).toBe(1);
  expect(meteredCost(3, "standard", 0.5)).toBe(3);
  expect(meteredCost(1, "bulk", 0.5)).toBe(2);
  expect(meteredCost(1, "redrive", 0.1)).toBeCloseTo(1 / 0.9, 9);
});
