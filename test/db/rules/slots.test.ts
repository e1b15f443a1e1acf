import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Meter, MeterLimits } from "../../../db/rules/meter";
import { slotIntervalMs } from "../../../db/rules/meter";
import { DUE_AHEAD_MS, epochOf, reserveSlots, slotToleranceMs, toleranceOf } from "../../../db/rules/slots";
import { METER_LIMITS, meter, mostInOneSecond, reserve, METER_START_MS as START_MS } from "./meters";

/** What may be sent in any one second. */
const allowed = ({ ceiling, burst }: MeterLimits) => Math.ceil(ceiling) + burst;

const asks = fc.array(
  fc.record({
    afterMs: fc.oneof(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 1500 })),
    count: fc.integer({ min: 1, max: 60 }),
    urgent: fc.boolean(),
    aheadMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: DUE_AHEAD_MS })),
  }),
  { minLength: 1, maxLength: 60 },
);

describe("P7 with holders that are late", () => {
  test("calls that use their slots anywhere within the tolerance keep rate plus burst in any second", () => {
    fc.assert(
      fc.property(
        METER_LIMITS,
        asks,
        fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
        (limit, steps, late) => {
          let nowMs = START_MS;
          let current = meter({ rate: limit.ceiling });
          const leftAtMs: number[] = [];
          for (const { afterMs, count, urgent, aheadMs } of steps) {
            nowMs += afterMs;
            const toleranceMs = slotToleranceMs(current, limit);
            const { slotsAtMs, meter: next } = reserve(current, limit, {
              nowMs,
              costs: Array(count).fill(1),
              urgent,
              dueAtMs: nowMs + aheadMs,
            });
            current = next;
            expect(Math.min(...slotsAtMs)).toBeGreaterThanOrEqual(nowMs + aheadMs);
            for (const slot of slotsAtMs) leftAtMs.push(slot + toleranceMs * (late.next().value ?? 0));
          }
          expect(mostInOneSecond(leftAtMs)).toBeLessThanOrEqual(allowed(limit));
        },
      ),
      { numRuns: 500 },
    );
  });

  test("at worst: a stall holds one window's calls back to the end of their tolerance, the next come on time", () => {
    fc.assert(
      fc.property(METER_LIMITS, fc.integer({ min: 0, max: 2000 }), fc.boolean(), (limit, stallMs, urgent) => {
        let current = meter({ rate: limit.ceiling });
        const toleranceMs = slotToleranceMs(current, limit);
        const leftAtMs: number[] = [];
        for (let atMs = 0; atMs < 4000; atMs += 5) {
          const asked = {
            nowMs: START_MS + atMs,
            costs: Array(50).fill(1),
            urgent: urgent && atMs % 50 === 0,
          };
          const { slotsAtMs, meter: next } = reserve(current, limit, asked);
          current = next;
          const untilMs = START_MS + stallMs;
          for (const slot of slotsAtMs) {
            const inStall = slot <= untilMs && slot > untilMs - toleranceMs;
            leftAtMs.push(inStall ? untilMs : slot);
          }
        }
        expect(mostInOneSecond(leftAtMs)).toBeLessThanOrEqual(allowed(limit));
      }),
      { numRuns: 200 },
    );
  });
});

describe("several meters for one call", () => {
  /** Two senders of one account, as many runs ask for them. */
  const senders = fc.record({
    account: METER_LIMITS,
    limits: fc.tuple(METER_LIMITS, METER_LIMITS),
    asks: fc.array(
      fc.record({
        afterMs: fc.integer({ min: 0, max: 400 }),
        sender: fc.constantFrom(0 as const, 1 as const),
        count: fc.integer({ min: 1, max: 30 }),
        urgent: fc.boolean(),
      }),
      { minLength: 1, maxLength: 80 },
    ),
  });

  test("every budget keeps its own rate plus burst, whichever is the narrower", () => {
    fc.assert(
      fc.property(senders, ({ account, limits, asks: steps }) => {
        let nowMs = START_MS;
        let shared = meter({ rate: account.ceiling });
        const own: [Meter, Meter] = [meter({ rate: limits[0].ceiling }), meter({ rate: limits[1].ceiling })];
        const slots: [number[], number[]] = [[], []];
        for (const { afterMs, sender, count, urgent } of steps) {
          nowMs += afterMs;
          const budgets = [
            { meter: own[sender], limits: limits[sender] },
            { meter: shared, limits: account },
          ];
          const granted = reserveSlots(budgets, { nowMs, sends: Array(count).fill({ cost: 1 }), urgent });
          own[sender] = granted.meters[0] ?? own[sender];
          shared = granted.meters[1] ?? shared;
          slots[sender].push(...granted.slotsAtMs);
        }
        for (const sender of [0, 1] as const)
          expect(mostInOneSecond(slots[sender])).toBeLessThanOrEqual(allowed(limits[sender]));
        expect(mostInOneSecond(slots.flat())).toBeLessThanOrEqual(allowed(account));
      }),
      { numRuns: 500 },
    );
  });

  test("granted together or not at all: a full account takes nothing from the sender's meter", () => {
    const sender = { meter: meter({ rate: 100 }), limits: { ceiling: 100, burst: 5 } };
    const full = { meter: meter({ readyAtMs: START_MS + 9000 }), limits: { ceiling: 10, burst: 1 } };
    for (const budgets of [
      [sender, full],
      [full, sender],
    ]) {
      const none = reserveSlots(budgets, {
        nowMs: START_MS,
        sends: [{ cost: 1 }, { cost: 1 }],
        urgent: false,
      });
      expect(none.slotsAtMs).toEqual([]);
      expect(none.meters).toEqual(budgets.map((budget) => budget.meter));
      expect(none.retryAtMs).toBe(START_MS + 8500);
    }
  });

  test("a closed or stopped account grants nothing, and the narrower of two rates is used up", () => {
    const sender = { meter: meter({ rate: 100 }), limits: { ceiling: 100, burst: 1 } };
    const ask = { nowMs: START_MS, sends: Array(20).fill({ cost: 1 }), urgent: false };
    expect(
      reserveSlots([sender, { meter: meter(), limits: { ceiling: 0, burst: 1 } }], ask).slotsAtMs,
    ).toEqual([]);
    const gated = { meter: meter({ blockedUntilMs: START_MS + 200 }), limits: { ceiling: 50, burst: 1 } };
    const { slotsAtMs } = reserveSlots([sender, gated], ask);
    expect(slotsAtMs[0]).toBe(START_MS + 200);
    const steps = slotsAtMs.slice(1).map((slot, index) => slot - (slotsAtMs[index] ?? 0));
    const stepMs = slotIntervalMs(meter({ rate: 50 }), { ceiling: 50, burst: 1 });
    // The first may come right behind by what the burst makes up for.
    for (const step of steps.slice(1)) expect(step).toBeGreaterThanOrEqual(stepMs / 2);
    expect(slotsAtMs.length).toBeGreaterThanOrEqual(2);
  });

  test("a slot's epoch changes with every cut of any of its budgets, and its tolerance is the least", () => {
    const budgets = [
      { meter: meter({ rate: 100, epoch: 3 }), limits: { ceiling: 100, burst: 5 } },
      { meter: meter({ rate: 200, epoch: 4 }), limits: { ceiling: 200, burst: 2 } },
    ];
    expect(epochOf(budgets)).toBe(7);
    expect(toleranceOf(budgets)).toBeCloseTo(5, 1);
  });
});

test("a send that is claimed ahead gets its due instant, and one behind it a slot after that", () => {
  const limits = { ceiling: 100, burst: 1 };
  const dueAtMs = START_MS + DUE_AHEAD_MS;
  const sends = [
    { cost: 1, dueAtMs },
    { cost: 1, dueAtMs: dueAtMs + 1 },
  ];
  const budget = { meter: meter({ rate: 100, readyAtMs: START_MS - 5000 }), limits };
  const { slotsAtMs } = reserveSlots([budget], { nowMs: START_MS, sends, urgent: false });
  expect(slotsAtMs[0]).toBe(dueAtMs);
  expect(slotsAtMs[1]).toBeGreaterThan(dueAtMs + 1);
});

test("an instant that the asker could no longer keep is not granted", () => {
  const { slotsAtMs } = reserveSlots([{ meter: meter({ rate: 100 }), limits: { ceiling: 100, burst: 1 } }], {
    nowMs: START_MS,
    sends: [{ cost: 1 }, { cost: 1 }],
    urgent: false,
    notBeforeMs: START_MS + 30,
  });
  expect(slotsAtMs[0]).toBe(START_MS + 30);
});
