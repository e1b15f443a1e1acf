import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** How many checks ended how. A phase that could not be carried out is one failed check. */
export type Tally = { passed: number; failed: number; skipped: number };

/** One part of the checks, as it is named on the command line. */
export type Phase = { name: string; run: () => Promise<Tally> };

/** What vitest's JSON reporter writes, as far as it is counted here. */
type Report = {
  success: boolean;
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  testResults: { status: string; assertionResults: { status: string }[] }[];
};

const PASSED: Tally = { passed: 1, failed: 0, skipped: 0 };
const FAILED: Tally = { passed: 0, failed: 1, skipped: 0 };

/** The program of the moment; it is told when we are. */
let running: ChildProcess | null = null;

/** Format, lint, types and repository rules: seconds, no database. */
export const VERIFY: Phase[] = [
  {
    name: "format and lint",
    run: () => check("@biomejs/biome/bin/biome", ["check", "--error-on-warnings", "."]),
  },
  { name: "types", run: checkTypes },
  { name: "repository rules", run: () => vitest("repo") },
];

/** Everything of `npm test`, the quick and telling first. */
export const ALL: Phase[] = [
  { name: "verify", run: () => runPhases(VERIFY) },
  { name: "unit", run: () => vitest("unit") },
  { name: "database", run: () => vitest("database") },
  { name: "flow", run: () => vitest("flow") },
  { name: "simulation", run: () => vitest("simulation") },
  { name: "live", run: () => checkBuilt("live") },
  { name: "browser", run: () => checkBuilt("browser") },
];

/** Runs the phases one after the other, whatever becomes of each; prints what each took. */
export async function runPhases(phases: Phase[]): Promise<Tally> {
  const sum: Tally = { passed: 0, failed: 0, skipped: 0 };
  for (const phase of phases) {
    console.log(`\n── ${phase.name}`);
    const start = performance.now();
    const tally = await phase.run().catch((error: unknown) => {
      console.error(error);
      return FAILED;
    });
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    console.log(`── ${phase.name}: ${tally.failed === 0 ? "good" : "FAILED"}, ${seconds} s`);
    sum.passed += tally.passed;
    sum.failed += tally.failed;
    sum.skipped += tally.skipped;
  }
  return sum;
}

/** The one line that other programs read, alone on its line. */
export function summaryLine({ passed, failed, skipped }: Tally): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}

/** Route types are generated first: they are no part of the repository, and pages are checked against them. */
async function checkTypes(): Promise<Tally> {
  if (existsSync(join(ROOT, "app"))) {
    const generated = await run("next/dist/bin/next", ["typegen"]);
    if (generated !== 0) return FAILED;
  }
  return check("typescript/bin/tsc", ["--noEmit"]);
}

let built: Promise<number> | null = null;

/** Tests that meet what production serves, so it is built first, once for all of them. */
async function checkBuilt(project: "live" | "browser"): Promise<Tally> {
  built ??= run("next/dist/bin/next", ["build"]);
  if ((await built) === 0) return vitest(project);
  console.error(`The ${project} tests were not started: the production build failed, see above.`);
  return FAILED;
}

async function check(program: string, args: string[]): Promise<Tally> {
  return (await run(program, args)) === 0 ? PASSED : FAILED;
}

/** Runs one project of vitest.config.ts. No test at all is a failure: something was to be proved. */
async function vitest(project: string): Promise<Tally> {
  const folder = await mkdtemp(join(tmpdir(), "punctual-report-"));
  const file = join(folder, "report.json");
  try {
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
    const code = await run("vitest/vitest.mjs", ["run", "--project", project, ...reporters]);
    const report = await readFile(file, "utf8").then(
      (text) => JSON.parse(text) as Report,
      () => null,
    );
    if (report === null) {
      console.error(
        `The ${project} tests could not be carried out (vitest ended with ${code}); its reason is above.`,
      );
      return FAILED;
    }
    return tallyOf(report, code);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A file that could not be loaded has no failed test, and an error between tests belongs to none: both count as one. */
export function tallyOf(report: Report, exitCode: number): Tally {
  const brokenFiles = report.testResults.filter(
    (file) => file.status === "failed" && !file.assertionResults.some((test) => test.status === "failed"),
  );
  const passed = report.numPassedTests;
  const skipped = report.numPendingTests + report.numTodoTests;
  const counted = report.numFailedTests + brokenFiles.length;
  const failed = counted === 0 && (exitCode !== 0 || passed === 0) ? 1 : counted;
  return { passed, failed, skipped };
}

/** Runs a JavaScript program of node_modules in this terminal; answers its exit code. */
function run(program: string, args: string[]): Promise<number> {
  const env = { ...process.env, NEXT_TELEMETRY_DISABLED: "1" };
  const child = spawn(process.execPath, [join(ROOT, "node_modules", program), ...args], {
    cwd: ROOT,
    env,
    stdio: "inherit",
  });
  running = child;
  return new Promise((resolve) => {
    const end = (code: number) => {
      running = null;
      resolve(code);
    };
    child.once("error", (error) => {
      console.error(`${program} cannot be started: ${error.message}`);
      end(1);
    });
    child.once("exit", (code) => end(code ?? 1));
  });
}

/**
 * Ends with what is running when this process is told to. Vitest stops its database server on a signal, and gets the
 * time to.
 */
export function obeySignals(): void {
  const interrupt = (signal: NodeJS.Signals) => {
    const leave = () => process.exit(130);
    if (running === null) leave();
    running?.once("exit", leave);
    running?.kill(signal);
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => interrupt(signal));
  // The other end of the channel is commands/test.mjs.
  if (process.channel) process.on("disconnect", () => interrupt("SIGTERM"));
}
