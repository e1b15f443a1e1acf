import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  admissionWindow,
  effectiveCeiling,
  feedAccepted,
  feedThrottled,
  GROUP_MS,
  HORIZON_MS,
  type Meter,
  type MeterLimits,
  reserveSlots,
  slotIntervalMs,
  slotToleranceMs,
} from "../../../db/rules/meter";

const START_MS = Date.UTC(2026, 2, 2, 12);

function meter(overrides: Partial<Meter> = {}): Meter {
  return {
    rate: 10,
    readyAtMs: START_MS,
    blockedUntilMs: START_MS,
    epoch: 1,
    lastCutAtMs: null,
    observedCeiling: null,
    callMs: 200,
    calmCallMs: null,
    urgentReadyAtMs: START_MS,
    lastFeedbackAtMs: null,
    ...overrides,
  };
}

const limits = fc.record({
  ceiling: fc.constantFrom(0.1, 0.5, 1, 2, 5, 10, 33.3, 100, 500),
  burst: fc.constantFrom(1, 2, 3, 5, 25),
});

type Step =
  | { do: "ask"; afterMs: number; count: number; urgent: boolean }
  | { do: "throttled"; afterMs: number; waitMs: number; stale: boolean }
  | { do: "accepted"; afterMs: number };

const afterMs = fc.oneof(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 0, max: 3000 }));
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("ask" as const),
      afterMs,
      count: fc.integer({ min: 1, max: 60 }),
      urgent: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("throttled" as const),
      afterMs,
      waitMs: fc.integer({ min: 0, max: 4000 }),
      stale: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("accepted" as const), afterMs }) },
);

interface Slot {
  atMs: number;
  epoch: number;
}

/** Plays the steps as several runs and their answers would; returns every slot with the epoch it belongs to. */
function play(
  limit: MeterLimits,
  steps: readonly Step[],
  check: (now: Meter, nowMs: number, slots: number[]) => void,
) {
  let nowMs = START_MS;
  let current = meter({ rate: limit.ceiling });
  const slots: Slot[] = [];
  for (const move of steps) {
    nowMs += move.afterMs;
    switch (move.do) {
      case "ask": {
        const costs = Array.from({ length: move.count }, () => 1);
        const reservation = reserveSlots(current, limit, { nowMs, costs, urgent: move.urgent });
        check(current, nowMs, reservation.slotsAtMs);
        current = reservation.meter;
        slots.push(...reservation.slotsAtMs.map((atMs) => ({ atMs, epoch: current.epoch })));
        break;
      }
      case "throttled":
        current = feedThrottled(current, {
          nowMs,
          slotEpoch: move.stale ? current.epoch - 1 : current.epoch,
          untilMs: nowMs + move.waitMs,
        });
        break;
      case "accepted":
        current = feedAccepted(current, limit, { nowMs, slotEpoch: current.epoch, callMs: 100 });
    }
  }
  return { slots, meter: current };
}

function mostInOneSecond(atMs: readonly number[]): number {
  const sorted = atMs.toSorted((a, b) => a - b);
  let most = 0;
  for (let first = 0, last = 0; last < sorted.length; last += 1) {
    while ((sorted[last] ?? 0) - (sorted[first] ?? 0) >= 1000) first += 1;
    most = Math.max(most, last - first + 1);
  }
  return most;
}

describe("P7", () => {
  test("in any one-second window at most rate plus burst slots are granted, the urgent ones included", () => {
    fc.assert(
      fc.property(limits, fc.array(step, { minLength: 1, maxLength: 60 }), (limit, steps) => {
        const { slots } = play(limit, steps, () => undefined);
        // A cut voids the slots of its epoch; those of one epoch are what can be sent.
        for (const epoch of new Set(slots.map((slot) => slot.epoch))) {
          const most = mostInOneSecond(slots.filter((slot) => slot.epoch === epoch).map((slot) => slot.atMs));
          expect(most).toBeLessThanOrEqual(Math.ceil(limit.ceiling) + limit.burst);
        }
      }),
      { numRuns: 500 },
    );
  });

  test("urgent sends without an end never crowd the window: greedy asking on both sides", () => {
    fc.assert(
      fc.property(
        limits,
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 0, max: 1500 }),
        (limit, everyMs, urgentFromMs) => {
          let current = meter({ rate: limit.ceiling });
          const slots: number[] = [];
          for (let atMs = 0; atMs < 4000; atMs += everyMs) {
            const nowMs = START_MS + atMs;
            for (const urgent of atMs >= urgentFromMs ? [true, false] : [false]) {
              const reservation = reserveSlots(current, limit, { nowMs, costs: Array(50).fill(1), urgent });
              current = reservation.meter;
              slots.push(...reservation.slotsAtMs);
            }
          }
          expect(mostInOneSecond(slots)).toBeLessThanOrEqual(Math.ceil(limit.ceiling) + limit.burst);
        },
      ),
      { numRuns: 60 },
    );
  });

  test("under backlog the rate is used up: no slot is left out in front", () => {
    fc.assert(
      fc.property(limits, (limit) => {
        let current = meter({ rate: limit.ceiling });
        let granted = 0;
        const intervalMs = slotIntervalMs(current, limit);
        const lengthMs = Math.max(4000, 5 * intervalMs);
        for (let atMs = 0; atMs <= lengthMs; atMs += 25) {
          const reservation = reserveSlots(current, limit, {
            nowMs: START_MS + atMs,
            costs: Array(100).fill(1),
            urgent: false,
          });
          current = reservation.meter;
          granted += reservation.slotsAtMs.length;
        }
        expect(granted).toBeGreaterThanOrEqual(Math.floor(lengthMs / intervalMs));
      }),
      { numRuns: 60 },
    );
  });
});

test("no slot lies before the gate, in the past, beyond the horizon, or spread over more than one group", () => {
  fc.assert(
    fc.property(limits, fc.array(step, { minLength: 1, maxLength: 60 }), (limit, steps) => {
      play(limit, steps, (before, nowMs, slots) => {
        for (const slot of slots) {
          expect(slot).toBeGreaterThanOrEqual(before.blockedUntilMs);
          expect(slot).toBeGreaterThanOrEqual(nowMs);
          expect(slot).toBeLessThanOrEqual(nowMs + HORIZON_MS);
          expect(slot - Math.min(...slots)).toBeLessThanOrEqual(GROUP_MS);
        }
      });
    }),
  );
});

test("who is refused is told a time at which asking again succeeds", () => {
  fc.assert(
    fc.property(
      limits,
      fc.integer({ min: 0, max: 5000 }),
      fc.integer({ min: 0, max: 5000 }),
      (limit, aheadMs, gateMs) => {
        const before = meter({
          rate: limit.ceiling,
          readyAtMs: START_MS + aheadMs,
          blockedUntilMs: START_MS + gateMs,
        });
        const first = reserveSlots(before, limit, { nowMs: START_MS, costs: [1], urgent: false });
        expect(first.retryAtMs).toBeGreaterThan(START_MS);
        if (first.slotsAtMs.length > 0) return;
        const again = reserveSlots(before, limit, { nowMs: first.retryAtMs, costs: [1], urgent: false });
        expect(again.slotsAtMs).toHaveLength(1);
      },
    ),
  );
});

test("a reservation that grants nothing changes nothing, and a ceiling of zero grants nothing", () => {
  const full = meter({ readyAtMs: START_MS + 10_000 });
  expect(
    reserveSlots(full, { ceiling: 10, burst: 1 }, { nowMs: START_MS, costs: [1], urgent: false }).meter,
  ).toBe(full);
  const idle = meter();
  const none = reserveSlots(idle, { ceiling: 0, burst: 5 }, { nowMs: START_MS, costs: [1, 1], urgent: true });
  expect(none).toMatchObject({ slotsAtMs: [], meter: idle });
});

test("a message of several segments takes the time of several", () => {
  const one = reserveSlots(
    meter(),
    { ceiling: 10, burst: 1 },
    { nowMs: START_MS, costs: [3], urgent: false },
  );
  const next = reserveSlots(
    one.meter,
    { ceiling: 10, burst: 1 },
    { nowMs: START_MS, costs: [1], urgent: false },
  );
  expect(next.slotsAtMs[0]).toBeCloseTo(START_MS + 3 * slotIntervalMs(meter(), { ceiling: 10, burst: 1 }), 5);
});

test("an urgent send does not stand behind granted slots, and the others pay for it", () => {
  const limit = { ceiling: 20, burst: 4 };
  let current = meter({ rate: 20 });
  for (let ask = 0; ask < 9; ask += 1) {
    current = reserveSlots(current, limit, { nowMs: START_MS, costs: [1, 1, 1], urgent: false }).meter;
  }
  expect(current.readyAtMs).toBeGreaterThan(START_MS + 400);
  const urgent = reserveSlots(current, limit, { nowMs: START_MS, costs: [1], urgent: true });
  expect(urgent.slotsAtMs).toEqual([START_MS]);
  expect(urgent.meter.readyAtMs).toBeCloseTo(current.readyAtMs + slotIntervalMs(current, limit), 5);
});

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
        limits,
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
    fc.property(limits, (limit) => {
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
      limits,
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
