import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, inject, test } from "vitest";
import "../support/database";

const COMMAND = fileURLToPath(new URL("../../commands/simulate.ts", import.meta.url));

/** What a run with a broken product reports. The product is broken in that process only. */
function simulate(
  mutation: string,
  from: number,
  seeds: number,
): Promise<{ violations: { promise: string; rule: string }[] }> {
  const args = [
    "--import",
    "tsx",
    COMMAND,
    "--json",
    "--stop",
    "--mutation",
    mutation,
    "--from",
    String(from),
    "--seeds",
    String(seeds),
  ];
  const env = { ...process.env, TEST_DATABASE_URL: inject("testDatabases").adminUrl };
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { env }, (error, stdout, stderr) => {
      if (stdout.trim() === "") reject(error ?? new Error(stderr));
      else resolve(JSON.parse(stdout));
    });
  });
}

// All of them are in the table of README.md, each with its seed; these are the quick ones.
test.each([
  ["open-again", "P8", 1, 5],
  ["throttle-costs", "P3", 1, 5],
] as const)("a product with the mutation %s is caught: %s", async (mutation, promise, from, seeds) => {
  const { violations } = await simulate(mutation, from, seeds);
  expect(violations.map((violation) => violation.promise)).toContain(promise);
});

test("a product that is busy without end is told as one: the run goes on, and says what repeats", async () => {
  const { violations } = await simulate("restless-pump", 1, 1);
  expect(violations.map(({ rule }) => rule).join()).toMatch(/does not come to rest/);
});
