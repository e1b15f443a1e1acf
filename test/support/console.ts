import { afterEach, beforeEach, expect } from "vitest";

type Level = "error" | "warn";

const heard: { level: Level; text: string }[] = [];
let expected: RegExp[] = [];

for (const level of ["error", "warn"] as const) {
  const write = console[level].bind(console);
  console[level] = (...values: unknown[]) => {
    heard.push({ level, text: values.map(String).join(" ") });
    write(...values);
  };
}

/** Says that this test makes the code complain; every other line on console.error or console.warn fails a test. */
export function expectConsole(pattern: RegExp): void {
  expected.push(pattern);
}

beforeEach(() => {
  heard.length = 0;
  expected = [];
});

afterEach(() => {
  const unexpected = heard.filter((line) => !expected.some((pattern) => pattern.test(line.text)));
  const unheard = expected.filter((pattern) => !heard.some((line) => pattern.test(line.text)));
  expect(
    unexpected,
    "the test left lines on the console that it did not announce with expectConsole()",
  ).toEqual([]);
  expect(unheard, "the test announced lines on the console that never came").toEqual([]);
});
