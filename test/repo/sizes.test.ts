import { expect, test } from "vitest";
import { sizeFindings } from "./sizes";
import { codeFiles, listed } from "./source-files";

test("files and functions stay short enough to be read at once", () => {
  expect(listed(codeFiles().flatMap(sizeFindings))).toBe("");
});

const lines = (count: number) => "one();\n".repeat(count);

test("a file of 301 lines is found, one of 300 is not; a test file may have 400", () => {
  expect(listed(sizeFindings({ path: "db/a.ts", text: lines(301) }))).toMatch(
    /has 301 lines; 300 is the most/,
  );
  expect(sizeFindings({ path: "db/a.ts", text: lines(300) })).toEqual([]);
  expect(sizeFindings({ path: "test/db/a.test.ts", text: lines(400) })).toEqual([]);
});

test("a function of 71 lines is found, at its line; a component may have 120 and a group of tests any number", () => {
  const text = `one();\nfunction two() {\n${lines(69)}}\n`;
  expect(listed(sizeFindings({ path: "db/a.ts", text }))).toBe(
    "db/a.ts:2 has a function of 71 lines; 70 is the most.",
  );
  expect(sizeFindings({ path: "app/a.tsx", text })).toEqual([]);
  const group = `describe.runIf(true)("x", () => {\n${lines(90)}});\n`;
  expect(sizeFindings({ path: "test/db/a.test.ts", text: group })).toEqual([]);
});
