import { expect, test } from "vitest";
import type { Run } from "./measure";
import { plot, spread, table } from "./report";

const run = (system: string, drainOverFloor: number): Run => ({
  system,
  workload: "drain",
  drainOverFloor,
  throttledPerThousand: 0,
  duplicates: 0,
  missing: 0,
  transactionsPerDelivery: 0.5,
  cpuMsPerDelivery: 2,
});

test("a spread is the middle of the figures and how far apart they lie; of a figure that is missing there is none", () => {
  expect(spread([3, 1, 2])).toEqual({ median: 2, least: 1, most: 3 });
  expect(spread([1, 2])).toEqual({ median: 1.5, least: 1, most: 2 });
  expect(spread([1, Number.NaN]).median).toBeNaN();
  expect(spread([]).median).toBeNaN();
});

test("a table has a row for each system, with the range where runs differ", () => {
  const lines = table([run("A", 1.2), run("B", Number.NaN), run("A", 1.1)]).split("\n");
  expect(lines).toHaveLength(4);
  expect(lines[2]).toBe("| A | 1.150 (1.100–1.200) | 0 | 0 | 0 | 0.50 | 2.0 |");
  expect(lines[3]).toContain("| B | not finished |");
});

test("a plot shows a bar for each system, the longest for the slowest, and says who did not finish", () => {
  const svg = plot("Drain", [run("A", 1.2), run("B", 1.1), run("C", Number.NaN)]);
  const widths = [...svg.matchAll(/<rect x="260"[^>]* width="([\d.]+)"/g)].map((match) => Number(match[1]));
  expect(widths).toEqual([420, 210, 0]);
  expect(svg).toContain("not finished");
});
