import { beforeAll, expect, test } from "vitest";
import "../support/database";
import { FAULT_KINDS } from "./faults/kinds";
import { prepareDatabase, runSeed } from "./simulation";

/** As many stories as `npm test` has time for; `npm run simulate` tells more. */
const SEEDS = Array.from({ length: 8 }, (_, index) => index + 1);

beforeAll(() => prepareDatabase());

let delivered = 0;
const struck = new Set<string>();

test.each(SEEDS)("seed %i: whatever breaks, every promise is kept", async (seed) => {
  const { violations, lines, deliveries, faults } = await runSeed(seed);
  expect(violations, lines.join("\n")).toEqual([]);
  delivered += deliveries;
  for (const kind of Object.keys(faults)) struck.add(kind);
});

test("the stories are not empty", () => {
  expect(delivered).toBeGreaterThan(SEEDS.length);
});

test("whatever strikes is a kind that the report names, with 0 when it never does", () => {
  expect(struck.size).toBeGreaterThan(0);
  expect([...struck].filter((kind) => !FAULT_KINDS.includes(kind))).toEqual([]);
});

test("the same seed is the same story, to the last row and call", async () => {
  const first = await runSeed(6);
  await runSeed(3);
  const again = await runSeed(6);
  expect(again.lines).toEqual(first.lines);
  expect(again.digest).toBe(first.digest);
});
