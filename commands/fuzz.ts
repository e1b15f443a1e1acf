import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

/** About a quarter of an hour of CPU; `npm test` tries a share of it, with one seed. */
const INPUTS = "100000";

/**
 * `npm run fuzz -- [--inputs 100000] [--seed N]`: generated and mutated input for every page, action, handler, parser and
 * template. It ends with 1 when one of them failed, and prints the command that repeats it.
 */
const { values } = parseArgs({
  options: {
    inputs: { type: "string", default: INPUTS },
    seed: { type: "string", default: String(randomInt(1_000_000)) },
  },
});
const root = fileURLToPath(new URL("..", import.meta.url));
const vitest = fileURLToPath(new URL("../node_modules/vitest/vitest.mjs", import.meta.url));
const { status } = spawnSync(
  process.execPath,
  [vitest, "run", "--project", "database", "test/app/fuzz/fuzz.test.ts"],
  {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, FUZZ_INPUTS: values.inputs, FUZZ_SEED: values.seed },
  },
);
process.exit(status ?? 1);
