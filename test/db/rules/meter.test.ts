import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  feedAccepted,
  feedThrottled,
  type Meter,
  type MeterLimits,
  slotIntervalMs,
} from "../../../db/rules/meter";
import { GROUP_MS, HORIZON_MS } from "../../../db/rules/slots";
import {
  METER_LIMITS as limits,
  meter,
  mostInOneSecond,
  reserve,
  METER_START_MS as START_MS,
} from "./meters";

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
        const reservation = reserve(current, limit, { nowMs, costs, urgent: move.urgent });
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
              const reservation = reserve(current, limit, { nowMs, costs: Array(50).fill(1), urgent });
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
          const reservation = reserve(current, limit, {
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

test("E6: ten at the end of one second and ten at the start of the next do not go in a moment", () => {
  const limits = { ceiling: 10, burst: 1 };
  let current = meter();
  const slots: number[] = [];
  // Whoever asks gets one group; the rest asks again, as fast as it can.
  for (const fromMs of [950, 1050]) {
    for (let left = 10, nowMs = START_MS + fromMs; left > 0; nowMs += 5) {
      const asked = reserve(current, limits, { nowMs, costs: Array(left).fill(1), urgent: false });
      current = asked.meter;
      slots.push(...asked.slotsAtMs);
      left -= asked.slotsAtMs.length;
    }
  }
  expect(slots).toHaveLength(20);
  expect(mostInOneSecond(slots)).toBeLessThanOrEqual(10 + 1);
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
        const first = reserve(before, limit, { nowMs: START_MS, costs: [1], urgent: false });
        expect(first.retryAtMs).toBeGreaterThan(START_MS);
        if (first.slotsAtMs.length > 0) return;
        const again = reserve(before, limit, { nowMs: first.retryAtMs, costs: [1], urgent: false });
        expect(again.slotsAtMs).toHaveLength(1);
      },
    ),
  );
});

test("a reservation that grants nothing changes nothing, and a ceiling of zero grants nothing", () => {
  const full = meter({ readyAtMs: START_MS + 10_000 });
  expect(reserve(full, { ceiling: 10, burst: 1 }, { nowMs: START_MS, costs: [1], urgent: false }).meter).toBe(
    full,
  );
  const idle = meter();
  const none = reserve(idle, { ceiling: 0, burst: 5 }, { nowMs: START_MS, costs: [1, 1], urgent: true });
  expect(none).toMatchObject({ slotsAtMs: [], meter: idle });
});

test("a message of several segments takes the time of several", () => {
  const one = reserve(meter(), { ceiling: 10, burst: 1 }, { nowMs: START_MS, costs: [3], urgent: false });
  const next = reserve(one.meter, { ceiling: 10, burst: 1 }, { nowMs: START_MS, costs: [1], urgent: false });
  expect(next.slotsAtMs[0]).toBeCloseTo(START_MS + 3 * slotIntervalMs(meter(), { ceiling: 10, burst: 1 }), 5);
});

test("an urgent send does not stand behind granted slots, and the others pay for it", () => {
  const limit = { ceiling: 20, burst: 4 };
  let current = meter({ rate: 20 });
  for (let ask = 0; ask < 9; ask += 1) {
    current = reserve(current, limit, { nowMs: START_MS, costs: [1, 1, 1], urgent: false }).meter;
  }
  expect(current.readyAtMs).toBeGreaterThan(START_MS + 400);
  const urgent = reserve(current, limit, { nowMs: START_MS, costs: [1], urgent: true });
  expect(urgent.slotsAtMs).toEqual([START_MS]);
  expect(urgent.meter.readyAtMs).toBeCloseTo(current.readyAtMs + slotIntervalMs(current, limit), 5);
});
