import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { migrate } from "../db/migrate";
import { keepSecrets, PORT_VARIABLES, type Ports, readPorts, stackEnvironment } from "./dev-settings";
import { chooseEngine, type EngineKind } from "./engine";
import { isPortFree } from "./ports";
import { type PostgresServer, startPostgres } from "./postgres";
import { printer } from "./printer";
import { claimFolder } from "./run-record";
import { seed } from "./seed";
import { type Child, type ChildPlan, supervise } from "./supervisor";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const LOCAL = join(ROOT, ".local");

/** The database's usual port here; another free one is taken when it is in use. Not 5432, where a real one may be. */
const POSTGRES_PORT = 54_329;

/** The first page is compiled at its first request, which on a slow machine takes a minute. */
const READY_TIMEOUT_MS = 180_000;
const READY_POLL_MS = 250;

/** A request that compiles a page is answered late; a new one every second would only queue up behind it. */
const READY_REQUEST_TIMEOUT_MS = 60_000;

/** As long as the database's port may still be held by what was killed. */
const DATABASE_RESTART_MS = 1_000;

type Seeded = Awaited<ReturnType<typeof seed>>;
type Stack = { children: Child[]; database: PostgresServer | null; stopping: boolean };

const print = printer();
const say = (line: string) => print("punctual", line);
const stack: Stack = { children: [], database: null, stopping: false };

/** Gives the folder up for the next run; nothing as long as it is not ours. */
let releaseFolder = async () => {};

/** What .local/dev.json says besides the process ids; null until everything answers. */
let facts: Record<string, unknown> | null = null;
let writing = Promise.resolve();

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => void stop(0));
// The other end of the channel is commands/dev.mjs; when that was killed, nobody is there to press Ctrl-C.
if (process.channel) process.on("disconnect", () => void stop(0));

main().catch(async (error: unknown) => {
  if (stack.stopping) return;
  console.error(`\n${error instanceof Error ? error.message : String(error)}`);
  if (process.env.DEBUG) console.error(error);
  await stop(1);
});

async function main(): Promise<void> {
  const ports = readPorts(process.env);
  const folder = await claimFolder(join(LOCAL, "run.json"), say);
  releaseFolder = async () => {
    await rm(join(LOCAL, "dev.json"), { force: true });
    await folder.release();
  };
  await rm(join(LOCAL, "dev.json"), { force: true });
  await assertPortsFree(ports);

  const databaseUrl = await provideDatabase();
  const secrets = await keepSecrets(join(LOCAL, "secrets.json"));
  // The stand-ins and the engine are told everything by these; nothing of a production shell must reach them.
  for (const name of ["INNGEST_EVENT_KEY", "INNGEST_SIGNING_KEY", "NODE_ENV"]) delete process.env[name];
  Object.assign(process.env, stackEnvironment(ports, databaseUrl, secrets));
  say("migrating and seeding the database");
  await migrate(databaseUrl);
  const seeded = await seed(databaseUrl);

  const appUrl = `http://127.0.0.1:${ports.app}`;
  const engine = await chooseEngine(ROOT, ports.engine, appUrl);
  const watch = {
    print,
    started: (plan: ChildPlan, pid: number) => {
      void folder.note(plan.name, pid);
      void writeFacts();
    },
  };
  for (const plan of [standinsPlan(ports), engine.plan, appPlan(ports)]) {
    if (stack.stopping) return;
    stack.children.push(supervise(plan, watch));
  }
  await Promise.all([
    answers(`http://127.0.0.1:${ports.standins}/`),
    answers(`http://127.0.0.1:${ports.engine}/`),
    answers(`${appUrl}/api/health`),
  ]);
  await announce(ports, engine.kind, databaseUrl, seeded);
}

async function assertPortsFree(ports: Ports): Promise<void> {
  for (const part of ["app", "standins", "engine"] as const) {
    const port = ports[part];
    if (await isPortFree(port)) continue;
    const name = PORT_VARIABLES[part];
    throw new Error(
      `Port ${port} is in use. Set ${name} to a free one, for example: ${name}=${port + 100} npm run dev`,
    );
  }
}

/** The database of DATABASE_URL, else one of our own that is kept running. */
async function provideDatabase(): Promise<string> {
  const given = process.env.DATABASE_URL?.trim();
  if (given) {
    say("using the database of DATABASE_URL");
    return given;
  }
  const dataDir = join(LOCAL, "postgres");
  await mkdir(LOCAL, { recursive: true });
  const first = await startPostgres({ dataDir, port: POSTGRES_PORT, log: say });
  stack.database = first;
  void keepDatabase(first, dataDir);
  return first.url;
}

/** Starts the server again at the same address whenever it ends without being told to. */
async function keepDatabase(first: PostgresServer, dataDir: string): Promise<void> {
  const { port } = first;
  let server: PostgresServer | null = first;
  while (!stack.stopping) {
    await server?.exited;
    if (stack.stopping) return;
    if (server !== null) say("postgres ended; starting it again");
    stack.database = null;
    server = await startPostgres({ dataDir, port, exactPort: true, log: say }).catch(async (error: Error) => {
      say(`postgres does not start: ${error.message}`);
      await sleep(DATABASE_RESTART_MS);
      return null;
    });
    stack.database = server;
    void writeFacts();
    if (server !== null && stack.stopping) await server.stop();
  }
}

function standinsPlan(ports: Ports): ChildPlan {
  const args = ["--import", "tsx", join(ROOT, "standins/providers/main.ts")];
  return { name: "standins", command: process.execPath, args, env: { ...process.env }, port: ports.standins };
}

function appPlan(ports: Ports): ChildPlan {
  const next = join(ROOT, "node_modules/next/dist/bin/next");
  const args = [next, "dev", "--port", String(ports.app), "--hostname", "127.0.0.1"];
  const env: NodeJS.ProcessEnv = { ...process.env, NEXT_TELEMETRY_DISABLED: "1" };
  return { name: "app", command: process.execPath, args, env, port: ports.app };
}

/** Waits for an answer that is no server error. */
async function answers(url: string): Promise<void> {
  const start = performance.now();
  let last = "nobody listens there";
  while (!stack.stopping && performance.now() - start < READY_TIMEOUT_MS) {
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(READY_REQUEST_TIMEOUT_MS) });
      await response.arrayBuffer();
      if (response.status < 500) return;
      last = `it answers ${response.status}`;
    } catch (error) {
      last = error instanceof Error ? error.message : String(error);
    }
    await sleep(READY_POLL_MS);
  }
  if (!stack.stopping) throw new Error(`${url} did not come up: ${last}. What it printed is above.`);
}

async function announce(
  ports: Ports,
  engineKind: EngineKind,
  databaseUrl: string,
  seeded: Seeded,
): Promise<void> {
  const at = (port: number) => `http://127.0.0.1:${port}`;
  const addresses = {
    app: at(ports.app),
    engine: at(ports.engine),
    engineKind,
    standins: at(ports.standins),
  };
  facts = { ...addresses, databaseUrl, ...seeded };
  await writeFacts();
  const engineName = engineKind === "stand-in" ? "stand-in engine" : "Inngest dev server";
  console.log(`
  Punctual is up. One Ctrl-C ends all of it.

    app        ${addresses.app}
    inbox      ${addresses.standins}   every email, SMS and push as its reader sees it; provider limits and faults
    engine     ${addresses.engine}   ${engineName}: runs, steps, rerun

  Sign in: enter ${seeded.shopper} (shopper) or ${seeded.operator} (operator), then read the code in the inbox.

  A reminder from the shop's backend, due in a minute:

    curl ${addresses.app}/api/v1/reminders \\
      -H 'Authorization: Bearer ${seeded.apiKey}' -H 'Content-Type: application/json' \\
      -d '{"subscriber":"demo","title":"Water the plants","dueAt":"${new Date(Date.now() + 60_000).toISOString()}","channels":["email"]}'

  The same in .local/dev.json, for other programs.
`);
}

/**
 * Writes .local/dev.json for other programs, once everything answers and again after each restart. The file is
 * replaced at once: whoever reads it reads all of it.
 */
function writeFacts(): Promise<void> {
  writing = writing.then(writeFactsNow);
  return writing;
}

async function writeFactsNow(): Promise<void> {
  if (facts === null) return;
  const pids: Record<string, number | null> = {
    supervisor: process.pid,
    postgres: stack.database?.pid ?? null,
  };
  for (const child of stack.children) pids[child.plan.name] = child.pid();
  const file = join(LOCAL, "dev.json");
  await writeFile(`${file}.new`, `${JSON.stringify({ ...facts, pids }, null, 2)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
}

/** Ends the programs, then the database they use. Asked twice, it goes on with the first. */
async function stop(code: number): Promise<void> {
  if (stack.stopping) return;
  stack.stopping = true;
  facts = null;
  if (stack.database !== null || stack.children.length > 0) say("stopping");
  await Promise.all(stack.children.map((child) => child.stop()));
  await stack.database?.stop();
  await writing;
  await releaseFolder();
  process.exit(code);
}
