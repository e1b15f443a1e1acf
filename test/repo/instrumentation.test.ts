import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

/**
 * The framework compiles this file for the edge runtime too, which nothing here uses, and warns at every build and start of
 * what that runtime lacks.
 */
test("of the process, instrumentation.ts itself names the environment only: what needs more is a module that it imports", () => {
  const text = readFileSync(new URL("../../instrumentation.ts", import.meta.url), "utf8");
  const named = [...text.matchAll(/\bprocess\.(\w+)/g)].map(([, name]) => name);
  expect(named.filter((name) => name !== "env")).toEqual([]);
  expect(text).not.toContain('from "node:');
});
