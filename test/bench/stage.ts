import { randomBytes } from "node:crypto";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import postgres from "postgres";
import { keepSecrets, type Ports, stackEnvironment } from "../../commands/dev-settings";
import { chooseEngine, type EngineKind } from "../../commands/engine";
import { freePort } from "../../commands/ports";
import { startPostgres } from "../../commands/postgres";
import { signalGroup } from "../../commands/processes";
import {
  answers,
  outsideSettings,
  productionAppPlan,
  standinsPlan,
  until,
} from "../../commands/stack-programs";
import { type Child, type ChildPlan, supervise } from "../../commands/supervisor";
import { migrate } from "../../db/migrate";
import type { Channel } from "../../db/rules/outcome";
import type { LedgerCall, LedgerSummary } from "../../standins/providers/ledger";
import type { Settings } from "../../standins/providers/settings";
import { type CpuTimes, readCpu, residentMiB } from "./cpu";
import { makeApiKey } from "./load";
import { disasters, type RunningDatabase, runOps } from "./snapshot";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Starting everything takes seconds; on a machine with other work a minute may pass. */
const READY_TIMEOUT_MS = 120_000;

/** Of what the programs printed: enough to see why one of them did not come up. */
const TAIL_LINES = 80;

export type Provider = "resend" | "twilio" | "push";

export const PROVIDERS: Record<Channel, Provider> = { email: "resend", sms: "twilio", push: "push" };

/** What a new partition starts with, per second. */
export type Rates = { email?: number; sms?: number; push?: number };

/** The production-like stack of one bench, on ports and in a folder of its own. */
export type Stage = {
  app: string;
  standins: string;
  engine: string;
  engineKind: EngineKind;
  databaseUrl: string;
  sql: postgres.Sql;
  apiKey: string;
  /** Changes how a provider behaves, in part. */
  control(provider: Provider, settings: Partial<Settings>): Promise<void>;
  calls(provider: Provider): Promise<LedgerCall[]>;
  summary(provider: Provider): Promise<LedgerSummary>;
  clearCalls(): Promise<void>;
  /** Starts what runs beside the database and waits for it. Done already, unless the stage was told to wait. */
  startPrograms(): Promise<void>;
  /** kill -9 of the app, children included; the supervisor starts it again. */
  killApp(): void;
  /** Tells the app to end, as a deploy does; the supervisor starts it again. */
  endApp(): void;
  /** kill -9 of the engine: it forgets every run; the supervisor starts it again. */
  killEngine(): void;
  /** kill -9 of the database server, which then starts again on the same data and port. */
  killDatabase(): Promise<void>;
  /** Keeps a copy of the database as it is: its server stops, is copied and starts again. Answers the time of the copy. */
  snapshotDatabase(): Promise<number>;
  /**
   * Puts the copy in the place of the database, whatever became of it since, and starts the app anew with these settings
   * on top of its own.
   */
  restoreDatabase(appEnv: Record<string, string>): Promise<void>;
  /** `npm run ops -- <words>` as a process with the app's settings: its exit code, and what it said. */
  ops(...words: string[]): Promise<{ code: number | null; said: string }>;
  /** CPU time used so far. */
  cpu(): CpuTimes | null;
  /** Memory in use by the app, in MiB. */
  appMemoryMiB(): number;
  /** The last lines that the programs printed. */
  tail(): string;
  stop(): Promise<void>;
};

type StageOptions = {
  rates: Rates;
  appEnv?: Record<string, string>;
  /** Only the database comes up; the rest with `startPrograms`. */
  databaseOnly?: boolean;
  /** Told how to stop it as soon as there is something to stop. */
  onStarting?: (stop: () => Promise<void>) => void;
};

/**
 * Starts Postgres (with fsync), the provider stand-ins, the engine and the production build of the app, and waits until
 * the app has registered its functions. `appEnv` goes to the app alone.
 */
export async function startStage(options: StageOptions): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), "punctual-bench-"));
  // Made for its owner alone; the database server may run as another user, who must get through.
  await chmod(folder, 0o711);
  const database = { server: await startPostgres({ dataDir: join(folder, "data"), log: () => {} }) };
  const children: Child[] = [];
  const stop = async () => {
    await Promise.all(children.map((child) => child.stop()));
    await database.server.stop();
    await rm(folder, { recursive: true, force: true });
  };
  options.onStarting?.(stop);
  try {
    return await raise(folder, database, children, options, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

async function raise(
  folder: string,
  database: RunningDatabase,
  children: Child[],
  options: StageOptions,
  stop: () => Promise<void>,
): Promise<Stage> {
  const [app, standins, engine] = await Promise.all([freePort(), freePort(), freePort()]);
  const ports: Ports = { app, standins, engine };
  const env = {
    ...outsideSettings(),
    ...stackEnvironment(ports, database.server.url, await keepSecrets(join(folder, "secrets.json"))),
    ...ratesEnvironment(options.rates),
    PUNCTUAL_ALLOW_STANDINS: "1",
  };
  await migrate(database.server.url);
  const chosen = await chooseEngine(ROOT, engine, `http://127.0.0.1:${app}`);
  const appPlan = productionAppPlan(ROOT, app, { ...env, ...options.appEnv });
  const plans: ChildPlan[] = [
    standinsPlan(ROOT, standins, env),
    { ...chosen.plan, env: { ...env, DO_NOT_TRACK: "1" } },
    appPlan,
  ];
  const lines: string[] = [];
  const print = (who: string, line: string) => {
    if (process.env.BENCH_VERBOSE) process.stderr.write(`${who}: ${line}\n`);
    lines.push(`${who}: ${line}`);
    lines.splice(0, lines.length - TAIL_LINES);
  };
  const sql = postgres(database.server.url, {
    max: 2,
    onnotice: () => {},
    connection: { application_name: "bench" },
  });
  const apiKey = `pk_${randomBytes(32).toString("base64url")}`;
  await makeApiKey(sql, apiKey);
  const stage: Stage = {
    ...clientOf(ports),
    async startPrograms() {
      children.push(...plans.map((plan) => supervise(plan, { print, started: () => {} })));
      await ready(stage);
    },
    engineKind: chosen.kind,
    databaseUrl: database.server.url,
    sql,
    apiKey,
    cpu: () => readCpu({ postgres: database.server.pid, ...pidsOf(children) }),
    appMemoryMiB: () => residentMiB(pidsOf(children).app ?? null),
    killApp: () => killProgram(children, "app"),
    endApp: () => killProgram(children, "app", "SIGTERM"),
    killEngine: () => killProgram(children, "engine"),
    ...disasters(database, (appEnv) => {
      Object.assign(appPlan.env, appEnv);
      killProgram(children, "app");
    }),
    ops: (...words) => runOps(ROOT, appPlan.env, words),
    tail: () => lines.join("\n"),
    stop: async () => {
      await sql.end({ timeout: 5 });
      await stop();
    },
  };
  try {
    if (options.databaseOnly !== true) await stage.startPrograms();
  } catch (error) {
    await sql.end({ timeout: 5 });
    throw new Error(`The stack did not come up.\n${lines.join("\n")}`, { cause: error });
  }
  return stage;
}

function killProgram(
  children: readonly Child[],
  name: string,
  signal: "SIGKILL" | "SIGTERM" = "SIGKILL",
): void {
  const pid = children.find((child) => child.plan.name === name)?.pid() ?? null;
  if (pid !== null) signalGroup(pid, signal);
}

function pidsOf(children: readonly Child[]): Record<string, number | null> {
  return Object.fromEntries(children.map((child) => [child.plan.name, child.pid()]));
}

function ratesEnvironment(rates: Rates): Record<string, string> {
  const named = {
    EMAIL_RATE_PER_SECOND: rates.email,
    SMS_RATE_PER_SECOND: rates.sms,
    PUSH_RATE_PER_SECOND: rates.push,
  };
  return Object.fromEntries(
    Object.entries(named).flatMap(([name, rate]) => (rate === undefined ? [] : [[name, String(rate)]])),
  );
}

function clientOf(ports: Ports) {
  const at = (port: number) => `http://127.0.0.1:${port}`;
  const [app, standins, engine] = [at(ports.app), at(ports.standins), at(ports.engine)];
  return {
    app,
    standins,
    engine,
    control: async (provider: Provider, settings: Partial<Settings>) => {
      const body = JSON.stringify(settings);
      await json(`${standins}/control/${provider}`, { method: "PUT", body });
    },
    calls: (provider: Provider) => json<LedgerCall[]>(`${standins}/ledger?provider=${provider}`),
    summary: (provider: Provider) => json<LedgerSummary>(`${standins}/ledger/summary?provider=${provider}`),
    clearCalls: async () => {
      await json(`${standins}/ledger`, { method: "DELETE" });
    },
  };
}

async function ready(stage: { app: string; standins: string; engine: string }): Promise<void> {
  const addresses = [stage.standins, stage.engine, `${stage.app}/api/health`];
  await Promise.all(addresses.map((address) => answers(address, READY_TIMEOUT_MS)));
  await until("the app's functions are registered", READY_TIMEOUT_MS, async () => {
    const { functions } = await json<{ functions: unknown[] | null }>(`${stage.engine}/dev`);
    return (functions?.length ?? 0) > 0;
  });
}

/** One request that must succeed, its answer read as JSON. */
export async function json<T>(url: string, init: RequestInit = {}): Promise<T> {
  const response = await fetch(url, init);
  const text = await response.text();
  if (!response.ok) throw new Error(`${init.method ?? "GET"} ${url} answered ${response.status}: ${text}`);
  return JSON.parse(text) as T;
}
