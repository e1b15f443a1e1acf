import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import postgres from "postgres";
import { ensurePartitions } from "../../db/admission/partitions";
import { closeDatabase, database } from "../../db/connection";
import { migrate } from "../../db/migrate";
import { fillLedger } from "./backlog";
import type { Bench } from "./bench";
import { percentile } from "./figures";
import { transactionsPerSecond } from "./isolation";
import type { Turn } from "./ledger-worker";
import type { Stage } from "./stage";

const WORKER = fileURLToPath(new URL("./ledger-worker.ts", import.meta.url));

const PARTITION = "email:resend:bench";

/** The first turns fill the window and plan the statements. */
const WARM_UP_TURNS = 20;

/** Enough waiting rows for every turn, and as many again so that there is always a backlog. */
const ROWS_PER_TURN = 50;

/** The same admission and claim on a small ledger and on one with a hundred times as many finished rows. */
export const bench: Bench = {
  question: "admission and claim under backlog with millions of finished rows ÷ with a hundredth of them",
  floor: "1: what has ended costs nothing; 0 transactions a second while nothing may be sent",
  rates: { email: 100 },
  startsPrograms: true,
  parameters: (scale) => ({
    finishedRows: Math.round(10_000_000 * scale),
    comparedRows: Math.round(100_000 * scale),
    turns: 150,
    waitingRows: Math.round(100_000 * scale),
    idleSeconds: Math.max(10, Math.round(30 * scale)),
  }),
  targets: {
    admissionScaleRatio: {
      atMost: 1.2,
      peer: "graphile-worker: 11.8k to 843 jobs/s behind 100k blocked ones",
    },
    idleTransactionsPerSecond: { atMost: 2 },
  },
  async run(stage, { finishedRows = 0, comparedRows = 0, turns = 0, waitingRows = 0, idleSeconds = 0 }) {
    const startMs = performance.now();
    const smallUrl = await makeSmall(stage);
    const small = await openLedger(stage, smallUrl, comparedRows, turns);
    const large = await openLedger(stage, stage.databaseUrl, finishedRows, turns);
    const fillSeconds = (performance.now() - startMs) / 1000;
    const [smallTurns, largeTurns] = await takeTurns([small.worker, large.worker], turns);
    for (const { worker } of [small, large]) worker.disconnect();
    const times = (done: readonly Turn[], of: (turn: Turn) => number[]) => percentile(done.flatMap(of), 0.5);
    const parts = {
      admit: (turn: Turn) => [turn.admitMs],
      claim: (turn: Turn) => turn.claimMs,
      settle: (turn: Turn) => turn.settleMs,
    };
    const [admitMs, claimMs, settleMs] = [parts.admit, parts.claim, parts.settle].map((of) => ({
      small: times(smallTurns, of),
      large: times(largeTurns, of),
    }));
    const idle = await standstill(stage, waitingRows, idleSeconds);
    return {
      admissionScaleRatio:
        ((admitMs?.large ?? 0) + (claimMs?.large ?? 0)) / ((admitMs?.small ?? 0) + (claimMs?.small ?? 0)),
      admitMs: admitMs?.large ?? Number.NaN,
      admitSmallMs: admitMs?.small ?? Number.NaN,
      claimMs: claimMs?.large ?? Number.NaN,
      claimSmallMs: claimMs?.small ?? Number.NaN,
      settleMs: settleMs?.large ?? Number.NaN,
      settleSmallMs: settleMs?.small ?? Number.NaN,
      idleTransactionsPerSecond: idle,
      fillSeconds,
      databaseGigabytes: await gigabytes(stage),
    };
  },
};

async function makeSmall(stage: Stage): Promise<string> {
  await stage.sql`create database small`;
  const url = new URL(stage.databaseUrl);
  url.pathname = "/small";
  await migrate(url.href);
  return url.href;
}

/** Fills a ledger and starts a process on it. */
async function openLedger(
  stage: Stage,
  url: string,
  finishedRows: number,
  turns: number,
): Promise<{ worker: ChildProcess }> {
  const sql = postgres(url, { max: 1, onnotice: () => {}, connection: { application_name: "bench" } });
  process.env.DATABASE_URL = url;
  try {
    await ensurePartitions(database(), [
      { key: PARTITION, channel: "email", provider: "resend", ceiling: 100, burst: 5, concurrency: 100 },
    ]);
    const rows = { partition: PARTITION, channel: "email", lane: "standard", owners: 1_000 } as const;
    await fillLedger(stage, sql, { ...rows, state: "delivered", count: finishedRows });
    const waiting = (turns + WARM_UP_TURNS) * ROWS_PER_TURN;
    await fillLedger(stage, sql, { ...rows, state: "ready", count: waiting });
  } finally {
    await closeDatabase();
    await sql.end();
  }
  const env = { ...process.env, DATABASE_URL: url, LEDGER_GENERATION: "g1" };
  return { worker: fork(WORKER, { env, execArgv: ["--import", "tsx"] }) };
}

/** The workers go one after the other, again and again. */
async function takeTurns(workers: readonly ChildProcess[], turns: number): Promise<[Turn[], Turn[]]> {
  const done = workers.map((): Turn[] => []);
  for (let count = 0; count < WARM_UP_TURNS + turns; count += 1) {
    for (const [index, worker] of workers.entries()) {
      const turn = await takeTurn(worker);
      if (count >= WARM_UP_TURNS) done[index]?.push(turn);
    }
  }
  return [done[0] ?? [], done[1] ?? []];
}

async function takeTurn(worker: ChildProcess): Promise<Turn> {
  const over = new AbortController();
  const answered = once(worker, "message", { signal: over.signal });
  const ended = once(worker, "exit", { signal: over.signal }).then(() => {
    throw new Error("A worker of the ledger bench failed; its reason is above.");
  });
  ended.catch(() => {});
  worker.send(PARTITION);
  try {
    const [turn] = (await Promise.race([answered, ended])) as [Turn];
    return turn;
  } finally {
    over.abort();
  }
}

/** The app beside the large ledger, with a partition that waits at rate 0. */
async function standstill(stage: Stage, waitingRows: number, seconds: number): Promise<number> {
  await stage.sql`update partitions set ceiling = 0 where key = ${PARTITION}`;
  const rows = { partition: PARTITION, channel: "email", lane: "standard", owners: 1_000 } as const;
  await fillLedger(stage, stage.sql, { ...rows, state: "ready", count: waitingRows });
  await stage.startPrograms();
  return transactionsPerSecond(stage, seconds);
}

async function gigabytes(stage: Stage): Promise<number> {
  const [row] = await stage.sql<{ bytes: number }[]>`
    select pg_database_size(current_database())::float8 as bytes`;
  return (row?.bytes ?? Number.NaN) / 1e9;
}
