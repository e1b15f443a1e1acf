import { expect, test } from "vitest";
import { effectFindings } from "./effects";
import { codeFiles, listed } from "./source-files";

test("only db/effects.ts reads the clock, draws ids, waits and fetches", () => {
  expect(listed(codeFiles().flatMap(effectFindings))).toBe("");
});

const FORBIDDEN = [
  "const now = Date.now();",
  "const now = new Date();",
  "const text = Date();",
  "const started = performance.now();",
  "const luck = Math.random();",
  "const id = crypto.randomUUID();",
  'import { randomUUID } from "node:crypto";',
  'import { setTimeout as sleep } from "node:timers/promises";',
  "setTimeout(() => {}, 1);",
  "globalThis.setInterval(() => {}, 1);",
  'await fetch("http://127.0.0.1");',
  "const signal = AbortSignal.timeout(5);",
];

test.each(FORBIDDEN)(
  "%s is found in a verb, and is free in a client component, a stand-in and a test",
  (text) => {
    expect(listed(effectFindings({ path: "db/reminders.ts", text }))).toMatch(
      /^db\/reminders\.ts:1 uses .*`effects`/,
    );
    expect(effectFindings({ path: "app/clock.tsx", text: `"use client";\n${text}` })).toEqual([]);
    expect(effectFindings({ path: "standins/providers/inbox.ts", text })).toEqual([]);
    expect(effectFindings({ path: "db/effects.ts", text })).toEqual([]);
  },
);

const ALLOWED = [
  "const due = new Date(dueAtMs);",
  'await effects.fetch("http://127.0.0.1");',
  "const parsed = Date.parse(text);",
  'import { createHash } from "node:crypto";',
  'import { randomBytes } from "node:crypto";',
  "const now = clock.now();",
];

test.each(ALLOWED)("%s is right", (text) => {
  expect(listed(effectFindings({ path: "db/reminders.ts", text }))).toBe("");
});
