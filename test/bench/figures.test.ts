import { describe, expect, test } from "vitest";
import { isPassed, reaches } from "./bench";
import { fairness, fairShares, floorSeconds, jainIndex, percentile, unfairness } from "./figures";

describe("percentile", () => {
  test("is one of the values, by nearest rank", () => {
    const values = [40, 10, 30, 20];
    expect([0, 0.25, 0.5, 0.51, 0.99, 1].map((share) => percentile(values, share))).toEqual([
      10, 10, 20, 30, 40, 40,
    ]);
  });

  test("of nothing is not a number", () => {
    expect(percentile([], 0.5)).toBeNaN();
  });
});

describe("jainIndex", () => {
  test("is 1 when all are equal and 1 ÷ n when one has everything", () => {
    expect(jainIndex([3, 3, 3, 3])).toBe(1);
    expect(jainIndex([8, 0, 0, 0])).toBe(0.25);
    expect(jainIndex([1, 2])).toBeCloseTo(0.9);
  });

  test("of nothing is not a number", () => {
    expect(jainIndex([])).toBeNaN();
    expect(jainIndex([0, 0])).toBeNaN();
  });
});

describe("fairShares", () => {
  test("gives the small their demand and shares the rest equally", () => {
    expect(fairShares([10, 1, 4], 9)).toEqual([4, 1, 4]);
    expect(fairShares([10, 10], 9)).toEqual([4.5, 4.5]);
    expect(fairShares([2, 3], 9)).toEqual([2, 3]);
  });
});

describe("fairness and unfairness", () => {
  const demands = new Map([["hot", 4], ...["a", "b", "c", "d"].map((name): [string, number] => [name, 1])]);

  test("one turn each before the hot one's second is fair", () => {
    const order = ["a", "hot", "b", "c", "d", "hot"];
    expect(fairness(order, demands, 6)).toBe(1);
    expect(unfairness(order, 5)).toBe(15 / 25);
  });

  test("the hot one first is not", () => {
    const order = ["hot", "hot", "hot", "hot", "a", "b", "c", "d"];
    expect(fairness(order, demands, 6)).toBeCloseTo(16 / 30);
    expect(unfairness(order, 5)).toBe((1 + 5 + 6 + 7 + 8) / 25);
  });

  test("somebody who never came is not measured as fair", () => {
    expect(unfairness(["a"], 2)).toBeNaN();
  });
});

describe("floorSeconds", () => {
  const drop = { afterSeconds: 3, seconds: 10, share: 0.4 };

  test("is what the rate allows after the burst", () => {
    expect(floorSeconds(3010, 100, 10)).toBe(30);
    expect(floorSeconds(5, 100, 10)).toBe(0);
  });

  test.each([
    ["over before the drop", 210, 2],
    ["over during it", 510, 8],
    ["over after it", 2010, 26],
  ])("%s", (_when, count, seconds) => {
    expect(floorSeconds(count, 100, 10, drop)).toBe(seconds);
  });
});

describe("targets", () => {
  test("a figure that could not be measured reaches nothing", () => {
    expect(reaches({ slow: Number.NaN }, "slow", { atMost: 5 })).toBe(false);
    expect(reaches({}, "slow", { atMost: 5 })).toBe(false);
  });

  test("a ratio of two small times may be forgiven by their difference", () => {
    const target = { atMost: 1.1, or: { name: "differenceMs", atMost: 20 } };
    expect(reaches({ ratio: 1.4, differenceMs: 12 }, "ratio", target)).toBe(true);
    expect(reaches({ ratio: 1.4, differenceMs: 30 }, "ratio", target)).toBe(false);
    expect(isPassed({ ratio: 1.1, differenceMs: 300 }, { ratio: target })).toBe(true);
  });
});
