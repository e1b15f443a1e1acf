import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  decideScan,
  inScanOrder,
  laneOfMilestone,
  MILESTONES,
  type Scan,
  type ShipmentState,
  updateExpiresAtMs,
} from "../../../db/rules/shipment-status";

const NEW: ShipmentState = { status: "pending", statusAtMs: null, version: 0 };
const HOUR_MS = 3_600_000;

const play = (scans: readonly Scan[]) => {
  let state = NEW;
  return scans.map((scan) => {
    const decided = decideScan(state, scan);
    state = decided.state;
    return decided.outcome;
  });
};

const scan = (status: Scan["status"], hours: number): Scan => ({ status, occurredAtMs: hours * HOUR_MS });

describe("a parcel's status", () => {
  test("is not moved backwards by a late scan of the journey", () => {
    expect(play([scan("delivered", 5), scan("in_transit", 4), scan("in_transit", 6)])).toEqual([
      "announced",
      "out_of_order",
      "out_of_order",
    ]);
  });

  test("is announced once, however often the same scan comes", () => {
    expect(play([1, 2, 3].map((hour) => scan("out_for_delivery", hour)))).toEqual([
      "announced",
      "repeated",
      "repeated",
    ]);
  });

  test("moves from delivered to returned when the return is later by the carrier's clock", () => {
    expect(play([scan("delivered", 5), scan("returned", 80)])).toEqual(["announced", "announced"]);
    expect(play([scan("delivered", 5), scan("returned", 4)])).toEqual(["announced", "out_of_order"]);
  });

  test("moves forward although a carrier's clock is behind", () => {
    expect(play([scan("in_transit", 5), scan("delivered", 4)])).toEqual(["announced", "announced"]);
  });

  const scans = fc.array(
    fc.record({
      status: fc.constantFrom(...MILESTONES),
      occurredAtMs: fc.integer({ min: 0, max: 100 * HOUR_MS }),
    }),
    { maxLength: 30 },
  );

  test("property: whatever arrives in whatever order, each status is announced at most once and never a lower one after a higher", () => {
    fc.assert(
      fc.property(scans, (given) => {
        let state = NEW;
        const announced: string[] = [];
        for (const one of given) {
          const decided = decideScan(state, one);
          if (decided.outcome === "announced") announced.push(one.status);
          else expect(decided.state).toBe(state);
          state = decided.state;
        }
        expect(state.version).toBe(announced.length);
        expect(announced).toEqual([...announced].sort((one, other) => rank(one) - rank(other)));
        expect(new Set(announced).size).toBe(announced.length);
      }),
    );
  });

  test("property: a batch announces the whole journey whatever its order", () => {
    const journey = [scan("in_transit", 1), scan("out_for_delivery", 2), scan("delivered", 3)];
    fc.assert(
      fc.property(fc.shuffledSubarray(journey, { minLength: 3 }), (shuffled) => {
        expect(play(inScanOrder(shuffled))).toEqual(["announced", "announced", "announced"]);
      }),
    );
  });
});

const rank = (status: string) => MILESTONES.indexOf(status as never);

test("what asks for action travels with what people asked for, the rest gives way", () => {
  const standard = MILESTONES.filter((status) => laneOfMilestone(status) === "standard");
  expect(standard).toEqual(["failed_attempt", "exception", "available_for_pickup", "returned"]);
});

test("usefulness counts from the scan, and a carrier's clock that is ahead does not stretch it", () => {
  expect(updateExpiresAtMs(0, 10)).toBe(48 * HOUR_MS);
  expect(updateExpiresAtMs(10, 0)).toBe(48 * HOUR_MS);
});
