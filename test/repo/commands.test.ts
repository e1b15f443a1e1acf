import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "./source-files";

const README = join(ROOT, "README.md");

/** Scripts that only tools call. */
const INTERNAL = ["format", "db:generate", "db:migrate"];

/** `npm test` and `npm start` need no `run`. */
function undocumented(scripts: string[], readme: string): string[] {
  return scripts
    .filter((name) => !INTERNAL.includes(name))
    .filter((name) => !new RegExp(`npm (run )?${name}(?![\\w:-])`).test(readme));
}

test.runIf(existsSync(README))("the README tells of every command", () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  expect(undocumented(Object.keys(scripts), readFileSync(README, "utf8"))).toEqual([]);
});

test("a command that the README leaves out is found", () => {
  const readme = "Start it with `npm run dev`, check it with `npm test` and `npm run test:engine`.";
  expect(undocumented(["dev", "test", "test:engine", "ops", "format"], readme)).toEqual(["ops"]);
});
