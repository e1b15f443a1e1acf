import fc from "fast-check";
import { expect, test } from "vitest";
import { LANE_WEIGHTS, LANES, type Lane, nextPass, shareRoom } from "../../../db/rules/fair-share";

interface LaneState {
  lane: Lane;
  weight: number;
  virtualTime: number;
  waiting: number[];
}

const weight = fc.constantFrom(1, 2, 3, 4, 8, 0.5);
const costs = fc.array(fc.integer({ min: 1, max: 11 }), { maxLength: 40 });
const laneStates = fc
  .array(fc.record({ weight, virtualTime: fc.double({ min: 0, max: 50, noNaN: true }), waiting: costs }), {
    minLength: 1,
    maxLength: 4,
  })
  .map((lanes) => lanes.map((lane, index) => ({ ...lane, lane: LANES[index] ?? "standard" })));

const demandsOf = (lanes: readonly LaneState[]) =>
  lanes.map(({ waiting, ...lane }) => ({ ...lane, costs: waiting }));

test("work-conserving: room is left over only when nothing waits", () => {
  fc.assert(
    fc.property(
      laneStates,
      fc.integer({ min: -3, max: 200 }),
      fc.double({ min: 0, max: 60, noNaN: true }),
      (lanes, room, clock) => {
        const { shares } = shareRoom(demandsOf(lanes), room, clock);
        const given = shares.reduce((sum, share) => sum + share.count, 0);
        const waiting = lanes.reduce((sum, lane) => sum + lane.waiting.length, 0);
        expect(given).toBe(Math.min(Math.max(0, room), waiting));
        for (const share of shares) {
          expect(share.count).toBeLessThanOrEqual(
            lanes.find((lane) => lane.lane === share.lane)?.waiting.length ?? 0,
          );
        }
      },
    ),
  );
});

/** Hands out `rounds` of room to lanes that never run dry, storing clock and virtual times between as admission does. */
function share(lanes: LaneState[], rooms: readonly number[]): Map<Lane, number> {
  const given = new Map<Lane, number>(lanes.map((lane) => [lane.lane, 0]));
  let clock = 0;
  for (const room of rooms) {
    const round = shareRoom(demandsOf(lanes), room, clock);
    clock = round.clock;
    for (const part of round.shares) {
      const lane = lanes.find((entry) => entry.lane === part.lane);
      if (lane === undefined || part.count === 0) continue;
      lane.virtualTime = part.virtualTime;
      given.set(part.lane, (given.get(part.lane) ?? 0) + part.count);
    }
  }
  return given;
}

const backlog = (weights: readonly number[]): LaneState[] =>
  weights.map((laneWeight, index) => ({
    lane: LANES[index] ?? "standard",
    weight: laneWeight,
    virtualTime: 0,
    waiting: Array.from({ length: 200 }, () => 1),
  }));

test("under backlog each of two lanes has within one of its ideal share, however the room is cut into rounds", () => {
  fc.assert(
    fc.property(
      weight,
      weight,
      fc.array(fc.integer({ min: 1, max: 15 }), { minLength: 1, maxLength: 30 }),
      (a, b, rooms) => {
        const given = share(backlog([a, b]), rooms);
        const total = rooms.reduce((sum, room) => sum + room, 0);
        expect(Math.abs((given.get("urgent") ?? 0) - (total * a) / (a + b))).toBeLessThanOrEqual(1);
        expect(Math.abs((given.get("standard") ?? 0) - (total * b) / (a + b))).toBeLessThanOrEqual(1);
      },
    ),
  );
});

test("with any lanes nobody is ever more than one turn of each other lane behind the ideal", () => {
  fc.assert(
    fc.property(
      fc.array(weight, { minLength: 1, maxLength: 4 }),
      fc.array(fc.integer({ min: 1, max: 15 }), { minLength: 1, maxLength: 30 }),
      (weights, rooms) => {
        const given = share(backlog(weights), rooms);
        const total = rooms.reduce((sum, room) => sum + room, 0);
        const all = weights.reduce((sum, each) => sum + each, 0);
        weights.forEach((each, index) => {
          const lane = LANES[index] ?? "standard";
          // Stride's bound: a lane may be ahead by one, and behind by what all others may be ahead together.
          const gap = (given.get(lane) ?? 0) - (total * each) / all;
          expect(gap).toBeLessThanOrEqual(1);
          expect(gap).toBeGreaterThanOrEqual(-Math.max(1, (weights.length - 1) * (each / all) + 1));
        });
      },
    ),
  );
});

test("no lane starves: with room for one at a time everybody's turn comes within the others' weights", () => {
  fc.assert(
    fc.property(
      fc.array(weight, { minLength: 2, maxLength: 4 }),
      fc.integer({ min: 0, max: 60 }),
      (weights, before) => {
        const lanes = backlog(weights);
        let clock = 0;
        const since = new Map<Lane, number>();
        const rounds = before + 100;
        for (let round = 0; round < rounds; round += 1) {
          const shared = shareRoom(demandsOf(lanes), 1, clock);
          clock = shared.clock;
          for (const lane of lanes) {
            const part = shared.shares.find((entry) => entry.lane === lane.lane);
            if (part !== undefined && part.count > 0) {
              lane.virtualTime = part.virtualTime;
              since.set(lane.lane, 0);
            } else since.set(lane.lane, (since.get(lane.lane) ?? 0) + 1);
            const others = weights.reduce((sum, each) => sum + each, 0) - lane.weight;
            expect(since.get(lane.lane) ?? 0).toBeLessThanOrEqual(
              Math.ceil(others / lane.weight) + weights.length,
            );
          }
        }
      },
    ),
  );
});

test("an idle lane rejoins at the scheduler's clock: it neither catches up nor pays for its absence", () => {
  fc.assert(
    fc.property(
      weight,
      weight,
      fc.integer({ min: 1, max: 150 }),
      fc.double({ min: 0, max: 5, noNaN: true }),
      (a, b, alone, early) => {
        const [busy, idle] = backlog([a, b]) as [LaneState, LaneState];
        idle.virtualTime = early / b > 1 / b ? 0 : early;
        let clock = 0;
        for (let round = 0; round < alone; round += 1) {
          const solo = shareRoom(demandsOf([busy, { ...idle, waiting: [] }]), 1, clock);
          clock = solo.clock;
          busy.virtualTime = solo.shares[0]?.virtualTime ?? busy.virtualTime;
        }
        const together = shareRoom(demandsOf([busy, idle]), 40, clock);
        const count = together.shares.find((entry) => entry.lane === idle.lane)?.count ?? 0;
        expect(Math.abs(count - (40 * b) / (a + b))).toBeLessThanOrEqual(2);
      },
    ),
  );
});

test("a costly row pays for itself: shares are fair by cost, not by number", () => {
  const lanes: LaneState[] = [
    { lane: "standard", weight: 1, virtualTime: 0, waiting: Array.from({ length: 200 }, () => 1) },
    { lane: "bulk", weight: 1, virtualTime: 0, waiting: Array.from({ length: 200 }, () => 4) },
  ];
  const { shares } = shareRoom(demandsOf(lanes), 100, 0);
  const count = (lane: Lane) => shares.find((entry) => entry.lane === lane)?.count ?? 0;
  expect(Math.abs(count("standard") - 80)).toBeLessThanOrEqual(1);
  expect(Math.abs(count("bulk") - 20)).toBeLessThanOrEqual(1);
});

test("one shopper's thousand rows hold up nobody else's one", () => {
  const hot: number[] = [];
  for (let row = 0; row < 1000; row += 1) hot.push(nextPass(0, hot.at(-1) ?? null, 1));
  const others = Array.from({ length: 1000 }, () => nextPass(0, null, 1));
  const order = [
    ...hot.map((pass) => ({ pass, hot: true })),
    ...others.map((pass) => ({ pass, hot: false })),
  ].toSorted((a, b) => a.pass - b.pass);
  expect(order.slice(0, 1001).filter((row) => row.hot)).toHaveLength(1);
});

test("a flow that comes back joins at the lane's clock, and never in front of its own last row", () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0, max: 1e6, noNaN: true }),
      fc.option(fc.double({ min: 0, max: 1e6, noNaN: true })),
      fc.integer({ min: 1, max: 11 }),
      (clock, highest, cost) => {
        const pass = nextPass(clock, highest, cost);
        expect(pass).toBeGreaterThanOrEqual(clock + cost);
        expect(pass).toBeGreaterThanOrEqual((highest ?? 0) + cost);
        expect(pass).toBe(Math.max(clock, highest ?? clock) + cost);
      },
    ),
  );
});

test("every lane has a weight, and what people asked for goes before bursts and redrives", () => {
  expect(LANES.map((lane) => LANE_WEIGHTS[lane])).toEqual([8, 4, 2, 1]);
});
