import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { readCpu } from "../cpu";
import { drain, PROVIDER_BURST } from "../drain";
import { accepted, countTransactions, untilAccepted } from "../evidence";
import { type Drop, floorSeconds } from "../figures";
import type { Stage } from "../stage";
import { PEERS } from "./all";
import type { PeerSettings } from "./peer";
import type { RedisServer } from "./redis";

const WORKER = fileURLToPath(new URL("./worker.ts", import.meta.url));

/** What is asked of every system. */
export interface Workload {
  title: string;
  ratePerSecond: number;
  deliveries: number;
  drop?: Drop;
}

/** What came of one run. */
export interface Run {
  system: string;
  workload: string;
  drainOverFloor: number;
  throttledPerThousand: number;
  duplicates: number;
  missing: number;
  transactionsPerDelivery: number;
  /** Of the processes that send and of their store, per delivery. */
  cpuMsPerDelivery: number;
}

/** How many times the floor a system may take before it is told as not having finished. */
const PATIENCE = 3;

/** Lets one peer drain a backlog through the stand-in, from the instant at which its worker begins. */
export async function measurePeer(
  stage: Stage,
  redis: RedisServer | null,
  name: string,
  workload: Workload,
): Promise<Run | null> {
  const peer = PEERS[name];
  if (peer === undefined || (peer.store === "redis" && redis === null)) return null;
  const { ratePerSecond, deliveries, drop } = workload;
  await stage.sql`drop schema if exists pgboss cascade`;
  await stage.sql`drop schema if exists graphile_worker cascade`;
  await stage.clearCalls();
  await stage.control("resend", { ratePerSecond, burst: PROVIDER_BURST, receipts: "absent" });
  const settings: PeerSettings = {
    databaseUrl: stage.databaseUrl,
    redisUrl: redis?.url ?? "",
    providerUrl: `${stage.standins}/resend`,
    ratePerSecond,
  };
  const keys = Array.from({ length: deliveries }, (_, index) => `${name}-${Date.now()}-${index}`);
  await peer.fill(settings, keys);
  const worker = fork(WORKER, [name, JSON.stringify(settings)], {
    execArgv: ["--import", "tsx"],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  try {
    await once(worker, "message");
    const before = await countTransactions(stage);
    const storeBefore = storeSeconds(stage, redis, peer.store);
    const beganMs = Date.now();
    worker.send("begin");
    const dropped = drop === undefined ? null : dropLimit(stage, ratePerSecond, drop);
    const leastSeconds = floorSeconds(deliveries, ratePerSecond, PROVIDER_BURST, drop);
    await untilAccepted(stage, "resend", deliveries, leastSeconds * PATIENCE * 1000);
    await dropped;
    const transactions = (await countTransactions(stage)) - before;
    const cpuSeconds = (await usedBy(worker)) + storeSeconds(stage, redis, peer.store) - storeBefore;
    const summary = await stage.summary("resend");
    const seconds = ((accepted(await stage.calls("resend")).at(-1)?.at ?? Number.NaN) - beganMs) / 1000;
    return {
      system: peer.title,
      workload: workload.title,
      drainOverFloor: summary.accepted < deliveries ? Number.NaN : seconds / leastSeconds,
      throttledPerThousand: (summary.throttled / summary.accepted) * 1000,
      duplicates: summary.duplicates,
      missing: deliveries - summary.accepted,
      transactionsPerDelivery: peer.store === "redis" ? 0 : transactions / deliveries,
      cpuMsPerDelivery: (cpuSeconds * 1000) / deliveries,
    };
  } finally {
    worker.kill("SIGKILL");
    await sleep(500);
  }
}

/** The same of Punctual: the real app, engine and ledger, from the instant at which the reminders are due. */
export async function measureOurselves(stage: Stage, workload: Workload): Promise<Run> {
  const { ratePerSecond, deliveries, drop } = workload;
  const before = ownSeconds(stage);
  const parameters = { ratePerSecond, deliveries, burst: PROVIDER_BURST };
  const figures = await drain(stage, parameters, drop === undefined ? {} : { drop });
  const { drainOverFloor = Number.NaN, throttledPerThousand = Number.NaN, duplicates = Number.NaN } = figures;
  const { missing = Number.NaN, transactionsPerDelivery = Number.NaN } = figures;
  return {
    system: "Punctual",
    workload: workload.title,
    drainOverFloor,
    throttledPerThousand,
    duplicates,
    missing,
    transactionsPerDelivery,
    // Its warm-up and the opening of the reminders are in it; those of the peers are not.
    cpuMsPerDelivery: ((ownSeconds(stage) - before) * 1000) / deliveries,
  };
}

function ownSeconds(stage: Stage): number {
  const { app = 0, postgres = 0, engine = 0 } = stage.cpu()?.programs ?? {};
  return app + postgres + engine;
}

function storeSeconds(stage: Stage, redis: RedisServer | null, store: "redis" | "postgres"): number {
  if (store === "postgres") return stage.cpu()?.programs.postgres ?? 0;
  return readCpu({ redis: redis?.pid ?? null })?.programs.redis ?? 0;
}

async function usedBy(worker: ChildProcess): Promise<number> {
  worker.send("used");
  const [told] = (await once(worker, "message")) as [{ cpuSeconds: number }];
  return told.cpuSeconds;
}

async function dropLimit(stage: Stage, ratePerSecond: number, drop: Drop): Promise<void> {
  await sleep(drop.afterSeconds * 1000);
  await stage.control("resend", { ratePerSecond: ratePerSecond * drop.share });
  await sleep(drop.seconds * 1000);
  await stage.control("resend", { ratePerSecond });
}
