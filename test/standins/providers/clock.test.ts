import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { virtualClock } from "../../../standins/clock";

describe("virtualClock", () => {
  test("runs due timers in time order, ties in the order they were set, whatever was cancelled", () => {
    const timers = fc.array(fc.record({ atMs: fc.integer({ min: 0, max: 50 }), cancelled: fc.boolean() }));
    fc.assert(
      fc.property(timers, (list) => {
        const clock = virtualClock(0);
        const ran: number[] = [];
        const set = list.map(({ atMs }, index) => clock.setTimer(atMs, () => ran.push(index)));
        for (const [index, { cancelled }] of list.entries()) if (cancelled) set[index]?.cancel();
        clock.advanceTo(50);
        const kept = list.map((timer, index) => ({ ...timer, index })).filter(({ cancelled }) => !cancelled);
        const wanted = kept.sort((a, b) => a.atMs - b.atMs || a.index - b.index).map(({ index }) => index);
        expect(ran).toEqual(wanted);
        expect(clock.nextTimerAtMs()).toBeNull();
      }),
    );
  });

  test("reads the timer's own instant while the timer runs, and runs timers set on the way", () => {
    const clock = virtualClock(1000);
    const seen: number[] = [];
    clock.setTimer(1500, () => {
      seen.push(clock.nowMs());
      clock.setTimer(1700, () => seen.push(clock.nowMs()));
      clock.setTimer(2500, () => seen.push(clock.nowMs()));
    });
    clock.advanceTo(2000);
    expect(seen).toEqual([1500, 1700]);
    expect(clock.nowMs()).toBe(2000);
    expect(clock.nextTimerAtMs()).toBe(2500);
  });

  test("holds a timer further away than setTimeout can", () => {
    const clock = virtualClock(0);
    let ran = false;
    clock.setTimer(2 ** 31, () => {
      ran = true;
    });
    clock.advanceTo(2 ** 31 - 1);
    expect(ran).toBe(false);
    clock.advanceTo(2 ** 31);
    expect(ran).toBe(true);
  });

  test("refuses to go back, and an instant that is none", () => {
    const clock = virtualClock(10);
    expect(() => clock.advanceTo(9)).toThrow(RangeError);
    expect(() => clock.advanceTo(Number.NaN)).toThrow(RangeError);
    expect(() => clock.setTimer(Number.NaN, () => {})).toThrow(RangeError);
  });
});
