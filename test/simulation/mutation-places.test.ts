import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { CLAIMED, SENDING } from "./faults/process";
import { MUTATIONS, placeOf } from "./mutations";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

test.each(MUTATIONS)("the mutation $name finds its place in the product as it is now", ({ edits }) => {
  for (const { file, from } of edits) {
    expect(readFileSync(`${ROOT}${file}`, "utf8"), `${file}: ${from}`).toMatch(placeOf(from));
  }
});

test.each([
  [SENDING, "inngest/deliver.ts"],
  [CLAIMED, "inngest/delivery-calls.ts"],
])("what strikes in %s finds it in %s", (name, file) => {
  expect(readFileSync(`${ROOT}${file}`, "utf8")).toMatch(new RegExp(`(function|async) ${name}\\(`));
});

test("every promise has a mutation that breaks it", () => {
  const promises = new Set(MUTATIONS.map(({ promise }) => promise));
  for (const promise of ["P1", "P2", "P3", "P4", "P5", "P6", "P7", "P8", "P9"])
    expect(promises).toContain(promise);
});
