import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { FAULT_KINDS } from "./faults/kinds";

/** What a number of seeds came to; what `simulate --json` prints. */
export interface Summary {
  seeds: number;
  deliveries: number;
  violations: { seed: number; step: string; promise: string; key: string; rule: string }[];
  /** How often each kind struck; a kind that never did is there with 0. */
  faults: Record<string, number>;
  wallSeconds: number;
  /** Simulated deliveries per second of wall time. */
  deliveriesPerSecond: number;
}

const COMMAND = fileURLToPath(new URL("../../commands/simulate.ts", import.meta.url));

/** Starting a process costs as much as some seeds; fewer are not worth one. */
const SEEDS_PER_PROCESS_MIN = 20;

/** Megabytes for what lives only for an effect: a story makes much of it, and the default is emptied too often. */
const YOUNG_MEMORY = "--max-semi-space-size=32";

/** How many processes these seeds are worth on this machine. */
export function processesFor(seeds: number): number {
  return Math.max(1, Math.min(availableParallelism(), Math.floor(seeds / SEEDS_PER_PROCESS_MIN)));
}

/** Deals the seeds out to processes that share one database server, and adds up what they report. */
export async function runInProcesses(
  seeds: { first: number; count: number },
  processes: number,
  options: { adminUrl: string; mutation?: string },
): Promise<Summary> {
  const startMs = performance.now();
  const share = Math.ceil(seeds.count / processes);
  const parts = Array.from({ length: processes }, (_, index) => ({
    first: seeds.first + index * share,
    count: Math.min(share, seeds.count - index * share),
  })).filter(({ count }) => count > 0);
  const summaries = await Promise.all(parts.map((part) => runPart(part, options)));
  const total = summaries.reduce(add, emptySummary());
  return timed(total, startMs);
}

export function emptySummary(): Summary {
  const faults = Object.fromEntries(FAULT_KINDS.map((kind) => [kind, 0]));
  return { seeds: 0, deliveries: 0, violations: [], faults, wallSeconds: 0, deliveriesPerSecond: 0 };
}

/** The summary with what it took since then. */
export function timed(summary: Summary, startMs: number): Summary {
  const wallSeconds = Math.round(performance.now() - startMs) / 1000;
  const deliveriesPerSecond = Math.round((summary.deliveries / wallSeconds) * 10) / 10;
  return { ...summary, wallSeconds, deliveriesPerSecond };
}

function add(sum: Summary, part: Summary): Summary {
  for (const [kind, times] of Object.entries(part.faults)) sum.faults[kind] = (sum.faults[kind] ?? 0) + times;
  sum.seeds += part.seeds;
  sum.deliveries += part.deliveries;
  sum.violations.push(...part.violations);
  return sum;
}

function runPart(
  part: { first: number; count: number },
  { adminUrl, mutation }: { adminUrl: string; mutation?: string },
): Promise<Summary> {
  const args = [
    ...[YOUNG_MEMORY, "--import", "tsx", COMMAND, "--json", "--processes", "1"],
    ...["--from", String(part.first), "--seeds", String(part.count)],
    ...(mutation === undefined ? [] : ["--mutation", mutation]),
  ];
  const env = { ...process.env, TEST_DATABASE_URL: adminUrl };
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      if (output.trim() === "")
        reject(new Error(`Seeds from ${part.first} ended with ${code} and no report.`));
      else resolve(JSON.parse(output) as Summary);
    });
  });
}
