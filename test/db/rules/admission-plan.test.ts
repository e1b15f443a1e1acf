import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Candidate, type LaneRow, parcelsOf, planAdmission } from "../../../db/rules/admission-plan";
import { LANE_WEIGHTS, LANES } from "../../../db/rules/fair-share";
import type { Lane } from "../../../db/rules/outcome";

const PARCEL_SIZE_MAX = 50;

function lanesOf(overrides: Partial<Record<Lane, Partial<LaneRow>>> = {}): LaneRow[] {
  return LANES.map((lane) => ({
    lane,
    weight: LANE_WEIGHTS[lane],
    virtualTime: 0,
    passFloor: 0,
    ...overrides[lane],
  }));
}

let rows = 0;

function candidates(lane: Lane, count: number, overrides: Partial<Candidate> = {}): Candidate[] {
  return Array.from({ length: count }, (_, index) => {
    rows += 1;
    return { id: `c${rows}`, lane, pass: index + 1, cost: 1, alone: false, ...overrides };
  });
}

const counted = (chosen: readonly Candidate[], lane: Lane) =>
  chosen.filter((row) => row.lane === lane).length;

describe("who is admitted", () => {
  test("urgent needs no room: what waits there goes whole, also when the window is full", () => {
    const waiting = [...candidates("urgent", 7), ...candidates("standard", 5)];
    const plan = planAdmission(lanesOf(), waiting, 0, 0);
    expect(counted(plan.chosen, "urgent")).toBe(7);
    expect(counted(plan.chosen, "standard")).toBe(0);
  });

  test("urgent work takes its place in the window all the same", () => {
    const waiting = [...candidates("urgent", 7), ...candidates("standard", 50)];
    expect(counted(planAdmission(lanesOf(), waiting, 10, 0).chosen, "standard")).toBe(3);
  });

  test("under backlog room is shared by weight, and nobody is left without", () => {
    const waiting = (["standard", "bulk", "redrive"] as const).flatMap((lane) => candidates(lane, 100));
    const { chosen } = planAdmission(lanesOf(), waiting, 70, 0);
    expect(Math.abs(counted(chosen, "standard") - 40)).toBeLessThanOrEqual(1);
    expect(Math.abs(counted(chosen, "bulk") - 20)).toBeLessThanOrEqual(1);
    expect(Math.abs(counted(chosen, "redrive") - 10)).toBeLessThanOrEqual(1);
  });

  test("inside a lane the lowest passes go, in their order, and the lane's clock follows them", () => {
    const plan = planAdmission(lanesOf(), candidates("standard", 9), 4, 0);
    expect(plan.chosen.map((row) => row.pass)).toEqual([1, 2, 3, 4]);
    expect(plan.lanes.find((lane) => lane.lane === "standard")?.passFloor).toBe(4);
  });

  test("a row that kept a low pass does not turn the lane's clock back", () => {
    const plan = planAdmission(
      lanesOf({ standard: { passFloor: 90 } }),
      candidates("standard", 1, { pass: 2 }),
      4,
      0,
    );
    expect(plan.lanes.find((lane) => lane.lane === "standard")?.passFloor).toBe(90);
  });

  const waiting = fc.array(
    fc.record({
      lane: fc.constantFrom<Lane>(...LANES),
      pass: fc.integer({ min: 0, max: 100 }),
      cost: fc.integer({ min: 1, max: 11 }),
      alone: fc.boolean(),
    }),
    { maxLength: 80 },
  );

  test("the room is used up, never overdrawn but by urgent work, and nobody is chosen twice", () => {
    fc.assert(
      fc.property(waiting, fc.integer({ min: 0, max: 60 }), (given, room) => {
        const offered = given
          .map((row, index) => ({ ...row, id: `r${index}` }))
          .toSorted((a, b) => a.pass - b.pass);
        const { chosen, lanes, laneClock } = planAdmission(lanesOf(), offered, room, 0);
        const urgent = counted(offered, "urgent");
        const others = offered.length - urgent;
        expect(chosen).toHaveLength(urgent + Math.min(others, Math.max(0, room - urgent)));
        expect(new Set(chosen.map((row) => row.id)).size).toBe(chosen.length);
        expect(laneClock).toBeGreaterThanOrEqual(0);
        for (const lane of lanes) {
          const mine = chosen.filter((row) => row.lane === lane.lane);
          const front = offered.filter((row) => row.lane === lane.lane).slice(0, mine.length);
          expect(mine).toEqual(front);
          expect(lane.passFloor).toBe(Math.max(0, ...mine.map((row) => row.pass)));
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe("parcels", () => {
  test("one delivery each when idle, an eighth of what goes under backlog, and never more than 50", () => {
    expect(parcelsOf(candidates("standard", 3)).map((parcel) => parcel.length)).toEqual([1, 1, 1]);
    const sizes = parcelsOf(candidates("standard", 200)).map((parcel) => parcel.length);
    expect(sizes).toEqual(Array(8).fill(25));
    expect(Math.max(...parcelsOf(candidates("standard", 500)).map((parcel) => parcel.length))).toBe(
      PARCEL_SIZE_MAX,
    );
  });

  test("a rescued delivery travels alone, and lanes are not mixed", () => {
    const parcels = parcelsOf([
      ...candidates("standard", 40),
      ...candidates("standard", 2, { alone: true }),
      ...candidates("bulk", 40),
    ]);
    for (const parcel of parcels) {
      expect(new Set(parcel.map((row) => row.lane)).size).toBe(1);
      if (parcel.some((row) => row.alone)) expect(parcel).toHaveLength(1);
    }
  });

  test("together the parcels are exactly what was chosen, in order", () => {
    const row = fc.record({ lane: fc.constantFrom<Lane>(...LANES), alone: fc.boolean() });
    fc.assert(
      fc.property(fc.array(row, { maxLength: 300 }), (given) => {
        const numbered = given.map((entry, index) => ({ ...entry, index }));
        const parcels = parcelsOf(numbered);
        expect(
          parcels
            .flat()
            .map((entry) => entry.index)
            .toSorted((a, b) => a - b),
        ).toEqual(numbered.map((entry) => entry.index));
        for (const parcel of parcels) {
          expect(parcel.length).toBeGreaterThanOrEqual(1);
          expect(parcel.length).toBeLessThanOrEqual(PARCEL_SIZE_MAX);
          const order = parcel.map((entry) => entry.index);
          expect(order).toEqual(order.toSorted((a, b) => a - b));
        }
      }),
    );
  });
});
