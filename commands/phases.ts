import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** How many checks ended how. A phase that could not be carried out is one failed check. */
export type Tally = { passed: number; failed: number; skipped: number };

/** What programs said, held back until it can be printed in one piece; null where they print by themselves. */
type Held = Buffer[] | null;

/** One part of the checks, as it is named on the command line. */
export type Phase = { name: string; run: (held: Held) => Promise<Tally> };

/** Phases that run side by side. */
export type Stage = Phase[];

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

/** The programs of the moment; they are told when we are. */
const running = new Set<ChildProcess>();

/** The signal that told this run to end. */
let endedBy: NodeJS.Signals | null = null;

/** Format, lint, types and repository rules: seconds, no database. */
export const VERIFY: Stage[] = [
  [
    {
      name: "format and lint",
      run: (held) => check("@biomejs/biome/bin/biome", ["check", "--error-on-warnings", "."], held),
    },
  ],
  [{ name: "types", run: checkTypes }],
  [{ name: "repository rules", run: (held) => vitest("repo", held) }],
];

/** Everything of `npm test`, the quick and telling first. Live tests mostly wait, so the browser works meanwhile. */
export const ALL: Stage[] = [
  [{ name: "verify", run: () => runPhases(VERIFY) }],
  [{ name: "unit", run: (held) => vitest("unit", held) }],
  [{ name: "database", run: (held) => vitest("database", held) }],
  [{ name: "flow", run: (held) => vitest("flow", held) }],
  [{ name: "simulation", run: (held) => vitest("simulation", held) }],
  [
    { name: "live", run: (held) => checkBuilt("live", held) },
    { name: "browser", run: (held) => checkBuilt("browser", held) },
  ],
];

/** Runs the stages one after the other, whatever becomes of each; prints what each phase took. */
export async function runPhases(stages: readonly Stage[]): Promise<Tally> {
  const sum: Tally = { passed: 0, failed: 0, skipped: 0 };
  for (const stage of stages) {
    const isAlone = stage.length === 1;
    if (!isAlone) console.log(`\n── side by side: ${stage.map((phase) => phase.name).join(", ")}`);
    const tallies = await Promise.all(stage.map((phase) => runPhase(phase, isAlone ? null : [])));
    for (const tally of tallies) {
      sum.passed += tally.passed;
      sum.failed += tally.failed;
      sum.skipped += tally.skipped;
    }
  }
  return sum;
}

async function runPhase({ name, run }: Phase, held: Held): Promise<Tally> {
  if (endedBy !== null) {
    console.log(`── ${name}: not run, the run was ended by ${endedBy}`);
    return FAILED;
  }
  if (held === null) console.log(`\n── ${name}`);
  const start = performance.now();
  const tally = await run(held).catch((error: unknown) => {
    console.error(error);
    return FAILED;
  });
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  if (held !== null) process.stdout.write(`\n── ${name}\n${Buffer.concat(held)}`);
  console.log(`── ${name}: ${tally.failed === 0 ? "good" : "FAILED"}, ${seconds} s`);
  return tally;
}

/** The one line that other programs read, alone on its line. */
export function summaryLine({ passed, failed, skipped }: Tally): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}

/** Route types are generated first: they are no part of the repository, and pages are checked against them. */
async function checkTypes(held: Held): Promise<Tally> {
  if (existsSync(join(ROOT, "app"))) {
    const generated = await run("next/dist/bin/next", ["typegen"], held);
    if (generated !== 0) return FAILED;
  }
  return check("typescript/bin/tsc", ["--noEmit"], held);
}

let built: Promise<number> | null = null;

/** Tests that meet what production serves, so it is built first, once for all of them. */
async function checkBuilt(project: "live" | "browser", held: Held): Promise<Tally> {
  built ??= run("next/dist/bin/next", ["build"], null);
  if ((await built) === 0) return vitest(project, held);
  console.error(`The ${project} tests were not started: the production build failed, see above.`);
  return FAILED;
}

async function check(program: string, args: string[], held: Held): Promise<Tally> {
  return (await run(program, args, held)) === 0 ? PASSED : FAILED;
}

/** Runs one project of vitest.config.ts. No test at all is a failure: something was to be proved. */
async function vitest(project: string, held: Held): Promise<Tally> {
  const folder = await mkdtemp(join(tmpdir(), "punctual-report-"));
  const file = join(folder, "report.json");
  try {
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
    const code = await run("vitest/vitest.mjs", ["run", "--project", project, ...reporters], held);
    const report = await readFile(file, "utf8").then(
      (text) => JSON.parse(text) as Report,
      () => null,
    );
    if (report === null) {
      console.error(
        `The ${project} tests could not be carried out (vitest ended with ${code}); its reason is beside this.`,
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

/** Runs a JavaScript program of node_modules in this terminal, or holds what it prints; answers its exit code. */
function run(program: string, args: string[], held: Held): Promise<number> {
  if (endedBy !== null) return Promise.resolve(1);
  const output = held === null ? "inherit" : "pipe";
  const child = spawn(process.execPath, [join(ROOT, "node_modules", program), ...args], {
    cwd: ROOT,
    env: { ...process.env, NEXT_TELEMETRY_DISABLED: "1" },
    stdio: ["inherit", output, output],
  });
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (data: Buffer) => held?.push(data));
  running.add(child);
  return new Promise((resolve) => {
    const end = (code: number) => {
      running.delete(child);
      resolve(code);
    };
    child.once("error", (error) => {
      console.error(`${program} cannot be started: ${error.message}`);
      end(1);
    });
    child.once("close", (code) => end(code ?? 1));
  });
}

/**
 * Ends with what is running when this process is told to: the programs end first, with the time to stop what they have
 * started, and whatever was left to do counts as failed.
 */
export function obeySignals(): void {
  const interrupt = (signal: NodeJS.Signals) => {
    endedBy = signal;
    for (const child of running) child.kill(signal);
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => interrupt(signal));
  // The other end of the channel is commands/test.mjs.
  if (process.channel) process.on("disconnect", () => interrupt("SIGTERM"));
}
