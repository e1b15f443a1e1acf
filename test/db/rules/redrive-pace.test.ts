import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  decideRedrive,
  LIVE_AGE_PAUSE_MS,
  nextReleaseMs,
  paceOf,
  REDRIVE_SHARE,
  type RedriveFigures,
  type RedriveStretch,
} from "../../../db/rules/redrive-pace";

const NOW_MS = Date.UTC(2031, 4, 5);

const figures = (more: Partial<RedriveFigures> = {}): RedriveFigures => ({
  nowMs: NOW_MS,
  gate: null,
  rate: 10,
  calls: 100,
  throttled: 0,
  acceptedPerSecond: 8,
  arrivalsPerSecond: 1,
  liveBacklog: 0,
  liveAgeMs: null,
  ...more,
});

/** Past its canaries and its ramp. */
const stretch = (more: Partial<RedriveStretch> = {}): RedriveStretch => ({
  askedPerSecond: null,
  pending: 400,
  out: 0,
  delivered: 50,
  dead: 0,
  deadAlike: 0,
  expired: 0,
  refusedInRow: 0,
  pacedSinceMs: NOW_MS - 600_000,
  nextAtMs: NOW_MS,
  ...more,
});

describe("the pace is the least of what was asked, a fifth of the rate, what is spare, and the ramp", () => {
  test.each([
    ["asked", {}, { askedPerSecond: 0.5 }, 0.5],
    ["share", {}, {}, 2],
    ["spare", { liveAgeMs: 3_000, acceptedPerSecond: 3, arrivalsPerSecond: 2.5 }, {}, 0.5],
    ["spare", { liveAgeMs: 3_000, acceptedPerSecond: 3, arrivalsPerSecond: 4 }, {}, 0],
    ["ramp", { rate: 1000 }, { pacedSinceMs: NOW_MS - 60_000 }, 4],
  ] as const)("%s", (limitedBy, observed, asked, pace) => {
    expect(paceOf(figures(observed), stretch(asked))).toEqual({ limitedBy, pace });
  });

  test("an idle partition has accepted nothing and can spare its rate all the same", () => {
    expect(paceOf(figures({ acceptedPerSecond: 0, arrivalsPerSecond: 0 }), stretch()).pace).toBe(2);
  });

  test("never more than a fifth of the rate, whatever is asked", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.1, max: 5000, noNaN: true }),
        fc.double({ min: 0.1, max: 5000, noNaN: true }),
        fc.double({ min: 0, max: 5000, noNaN: true }),
        (rate, asked, arrivals) => {
          const { pace } = paceOf(
            figures({ rate, arrivalsPerSecond: arrivals }),
            stretch({ askedPerSecond: asked }),
          );
          expect(pace).toBeGreaterThanOrEqual(0);
          expect(pace).toBeLessThanOrEqual(rate * REDRIVE_SHARE);
        },
      ),
    );
  });
});

describe("canaries: one, then five, then the pace", () => {
  const begun = (more: Partial<RedriveStretch>) => stretch({ pacedSinceMs: null, delivered: 0, ...more });

  test.each([
    [
      { delivered: 0, out: 0 },
      { do: "release", count: 1 },
    ],
    [
      { delivered: 0, out: 1 },
      { do: "wait", limitedBy: "canary" },
    ],
    [
      { delivered: 1, out: 0 },
      { do: "release", count: 5 },
    ],
    [
      { delivered: 3, out: 3 },
      { do: "wait", limitedBy: "canary" },
    ],
    // One was not wanted any more: another takes its place.
    [
      { delivered: 5, out: 0, expired: 1 },
      { do: "release", count: 1 },
    ],
    [
      { delivered: 6, out: 0 },
      { do: "release", count: 1, paced: true },
    ],
    [
      { delivered: 0, out: 0, pending: 0 },
      { do: "wait", limitedBy: "nothing_left" },
    ],
  ] as const)("%j", (more, decision) => {
    expect(decideRedrive(figures(), begun(more))).toMatchObject(decision);
  });

  test("one that dies again stops it", () => {
    expect(decideRedrive(figures(), begun({ dead: 1, deadAlike: 1 }))).toMatchObject({
      do: "pause",
      cause: "canary",
    });
  });
});

describe("it pauses itself", () => {
  test.each([
    ["a second 429 that is more than a twentieth", { calls: 20, throttled: 2 }, {}, "throttled"],
    [
      "a second 429 in a row, an hour after the first",
      { calls: 1, throttled: 1, acceptedPerSecond: 0 },
      { refusedInRow: 2 },
      "throttled",
    ],
    ["a used-up quota", { gate: { why: "parked", untilMs: null } }, {}, "throttled"],
    ["an open circuit", { gate: { why: "circuit_open", untilMs: null } }, {}, "circuit"],
    ["live work that waits too long", { liveAgeMs: LIVE_AGE_PAUSE_MS + 1 }, {}, "live_age"],
    ["more than a tenth that died again", {}, { dead: 6 }, "refailed"],
  ] as const)("after %s", (_why, observed, more, cause) => {
    expect(decideRedrive(figures(observed), stretch(more))).toMatchObject({ do: "pause", cause });
  });

  test.each([
    ["one 429 among a handful", { calls: 5, throttled: 1 }, {}],
    ["two 429s among many", { calls: 100, throttled: 2 }, {}],
    ["two 429s of its own among many that were accepted", { calls: 100, throttled: 2 }, { refusedInRow: 2 }],
    ["two of twenty that died again", {}, { delivered: 18, dead: 2 }],
  ] as const)("not after %s", (_why, observed, more) => {
    expect(decideRedrive(figures(observed), stretch(more)).do).toBe("release");
  });

  test("not while somebody holds the partition on purpose: it waits", () => {
    for (const why of ["paused", "rate_zero", "held"] as const) {
      const observed = figures({ gate: { why, untilMs: null }, throttled: 50, liveAgeMs: 9_000_000 });
      expect(decideRedrive(observed, stretch())).toMatchObject({ do: "wait", limitedBy: "gate" });
    }
  });
});

test("live work that waits has the way to itself", () => {
  expect(decideRedrive(figures({ liveAgeMs: 6_000 }), stretch())).toMatchObject({ limitedBy: "live_work" });
});

test("little is left on its way: no more than ten seconds of the pace", () => {
  expect(decideRedrive(figures(), stretch({ out: 20 }))).toMatchObject({ do: "wait", limitedBy: "out" });
  expect(decideRedrive(figures(), stretch({ out: 19 }))).toMatchObject({ do: "release", count: 1 });
});

test("however often and irregularly it ticks, it releases no more than the pace and two seconds of catching up", () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 20_000 }), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(gaps, fc.double({ min: 0.05, max: 2, noNaN: true }), (waits, asked) => {
      let nowMs = NOW_MS;
      let nextAtMs = NOW_MS;
      let released = 0;
      for (const wait of waits) {
        nowMs += wait;
        const decision = decideRedrive(figures({ nowMs }), stretch({ askedPerSecond: asked, nextAtMs }));
        if (decision.do !== "release") continue;
        released += decision.count;
        nextAtMs = nextReleaseMs({ nextAtMs, nowMs, cost: decision.count, pace: decision.pace });
      }
      expect(released).toBeLessThanOrEqual((((nowMs - NOW_MS) / 1000) * asked + 2 * asked + 1) * 1.0001);
    }),
  );
});
