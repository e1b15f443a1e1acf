import "../support/environment";
import { parseArgs } from "node:util";
import { createClone, dropDatabase, type TestDatabases } from "../support/clones";
import { startTestServer } from "../support/postgres.global";
import { shortWay } from "../support/short-way";
import { connectTestClock, disconnectTestClock } from "../support/test-clock";
import { installMutation, MUTATIONS } from "./mutations";
import type { Mutation } from "./mutations/mutation";
import { emptySummary, processesFor, runInProcesses, type Summary, timed } from "./processes";
import type { SeedResult } from "./simulation";

const USAGE = `npm run simulate -- [--seeds 200] [--from 1] [--seed N[,N]] [--mutation name] [--stop]
                    [--processes N] [--json]

  --seeds     how many seeds, counted from --from
  --seed      one seed, with its whole story; or several, as 4,8,34
  --stop      ends with the first seed that breaks a promise
  --processes how many processes share the work; by default as many as there are cores, for many seeds
  --mutation  breaks the product on purpose: ${MUTATIONS.map(({ name }) => name).join(", ")}`;

/** Lines of a story that are printed with a violation among many seeds; `--seed` prints all. */
const STORY_TAIL = 12;

/** Runs seeds and reports. Answers the exit code: 1 with a violation, 2 for a wrong call. */
export async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      seeds: { type: "string", default: "200" },
      from: { type: "string", default: "1" },
      seed: { type: "string" },
      mutation: { type: "string" },
      stop: { type: "boolean", default: false },
      processes: { type: "string" },
      json: { type: "boolean", default: false },
    },
  });
  const first = Number(values.from);
  const named = values.seed?.split(",").map(Number);
  const count = named?.length ?? Number(values.seeds);
  const seeds = named ?? Array.from({ length: Math.max(count, 0) }, (_, index) => first + index);
  const mutation = MUTATIONS.find(({ name }) => name === values.mutation);
  const isClear = Number.isInteger(count) && seeds.length > 0 && seeds.every(Number.isInteger);
  if (!isClear || (values.mutation && !mutation)) {
    console.error(USAGE);
    return 2;
  }
  const wished = values.processes === undefined ? processesFor(count) : Number(values.processes);
  const processes = named === undefined ? wished : 1;
  const options = { ...values, one: named?.length === 1 };
  const server = await startTestServer();
  try {
    const { adminUrl } = server.databases;
    const summary =
      processes > 1 && !values.stop
        ? await runInProcesses({ first, count }, processes, { adminUrl, mutation: values.mutation })
        : await runHere(seeds, server.databases, mutation, options);
    if (values.json) console.log(JSON.stringify(summary));
    else printSummary(summary, processes > 1 && !values.stop);
    return summary.violations.length === 0 ? 0 : 1;
  } finally {
    await server.stop();
  }
}

async function runHere(
  seeds: readonly number[],
  databases: TestDatabases,
  mutation: Mutation | undefined,
  { stop, json, one }: { stop: boolean; json: boolean; one: boolean },
): Promise<Summary> {
  const name = `${databases.prefix}_simulation`;
  try {
    const url = await createClone(databases, databases.clockTemplate, name);
    process.env.DATABASE_URL = await shortWay(url);
    // The SDK looks through the whole environment at every call, and asking the system for it is slow.
    process.env = { ...process.env };
    await connectTestClock(process.env.DATABASE_URL as string);
    if (mutation) installMutation(mutation);
    const { prepareDatabase, runSeed } = await import("./simulation");
    await prepareDatabase(mutation?.sql);
    return await runSeeds(seeds, stop, async (seed) => {
      const result = await runSeed(seed);
      if (!json) printSeed(result, one, mutation?.name);
      return result;
    });
  } finally {
    const { closeDatabase } = await import("../../db/connection");
    await closeDatabase();
    await disconnectTestClock();
    await dropDatabase(databases.adminUrl, name);
  }
}

async function runSeeds(
  seeds: readonly number[],
  stops: boolean,
  run: (seed: number) => Promise<SeedResult>,
): Promise<Summary> {
  const startMs = performance.now();
  const summary = emptySummary();
  for (const seed of seeds) {
    const result = await run(seed);
    summary.seeds += 1;
    summary.deliveries += result.deliveries;
    for (const { step, promise, key, rule } of result.violations) {
      summary.violations.push({ seed, step, promise, key, rule });
    }
    for (const [kind, times] of Object.entries(result.faults)) {
      summary.faults[kind] = (summary.faults[kind] ?? 0) + times;
    }
    if (stops && result.violations.length > 0) break;
  }
  return timed(summary, startMs);
}

function printSeed(result: SeedResult, whole: boolean, mutation: string | undefined): void {
  if (whole) {
    for (const line of result.lines) console.log(line);
    const { digest, deliveries, virtualSeconds } = result;
    console.log(
      `seed ${result.seed}: ${deliveries} deliveries in ${virtualSeconds} s of its own time, digest ${digest}`,
    );
  }
  for (const { seed, step, promise, rule, key, facts } of result.violations) {
    console.log(`\nseed ${seed}, ${step}: ${promise} broken: ${rule}\n  ${key}`);
    for (const line of whole ? [] : result.lines.slice(-STORY_TAIL)) console.log(`  ${line}`);
    for (const line of facts) console.log(`  ${line}`);
    console.log(`  repeat: npm run simulate -- --seed ${seed}${mutation ? ` --mutation ${mutation}` : ""}`);
  }
}

function printSummary(summary: Summary, withViolations: boolean): void {
  const { seeds, deliveries, violations, faults, wallSeconds, deliveriesPerSecond } = summary;
  for (const { seed, step, promise, rule, key } of withViolations ? violations : []) {
    console.log(`\nseed ${seed}, ${step}: ${promise} broken: ${rule}\n  ${key}`);
    console.log(`  repeat: npm run simulate -- --seed ${seed}`);
  }
  const kinds = Object.entries(faults).sort(([one], [other]) => one.localeCompare(other));
  console.log("");
  for (const [kind, times] of kinds) console.log(`${String(times).padStart(7)}  ${kind}`);
  console.log(
    `\n${seeds} seeds, ${deliveries} deliveries, ${violations.length} violations, ${wallSeconds} s (${deliveriesPerSecond} deliveries/s)`,
  );
}
