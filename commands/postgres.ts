import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { closeSync, existsSync, openSync, readFileSync } from "node:fs";
import { readFile, unlink } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort, isPortFree } from "./ports";
import {
  type Binaries,
  chooseRunAs,
  prepareBinaries,
  type RunAs,
  reachableDataDir,
} from "./postgres-binaries";
import { checkVersion, makeData, ownData, serverEnvironment } from "./postgres-data";
import { isAlive, isPostgresOn, waitUntil } from "./processes";

/** Crash recovery of a large development ledger takes seconds; a minute and a half means that something is wrong. */
const START_TIMEOUT_MS = 90_000;

/** A fast shutdown writes a checkpoint; ten seconds let it, and keep one Ctrl-C from looking stuck. */
const STOP_TIMEOUT_MS = 10_000;

/** After a kill -9 of the server its backends leave, and with them the shared memory that blocks the next start. */
const LEFTOVER_TIMEOUT_MS = 10_000;

/** Lines of the server's log that an error repeats: enough for one failed start. */
const LOG_TAIL_LINES = 12;

/** Another program can take a port between the look and the start; more than a few times is no coincidence. */
const PORT_ATTEMPTS_MAX = 5;

export type PostgresOptions = {
  dataDir: string;
  /** The wanted port; without it any free one. */
  port?: number;
  /** True: only that port will do (a restart, when others hold the address). */
  exactPort?: boolean;
  /** False: no fsync, for data that dies with the test. */
  durable?: boolean;
  /** Server settings on top of these, by name. */
  settings?: Record<string, string>;
  log: (line: string) => void;
};

export type PostgresServer = {
  /** Connects as the owner `punctual` to the database `punctual`. */
  url: string;
  port: number;
  pid: number;
  /** Where the data really is: elsewhere than asked when the asked place cannot be reached (see `startPostgres`). */
  dataDir: string;
  /** Settles when the server process has ended, for whatever reason. */
  exited: Promise<void>;
  stop(): Promise<void>;
};

/**
 * Starts a real Postgres from the programs that npm brought and waits until it accepts connections. It listens on
 * 127.0.0.1 alone and asks for a password that is made with the data.
 *
 * As root the server runs as an unprivileged user; if that one cannot enter the folder of `dataDir`, the data lives
 * in a place derived from its path that everybody can enter.
 *
 * Steps: 1 own the folder; 2 make the data if there is none (in a folder beside it, renamed when complete); 3 end a
 * server that an earlier, killed owner left; 4 start. A crash after any step leaves what the next call can take over.
 * Throws with the way out when the programs, the port or the folder will not do.
 */
export async function startPostgres(options: PostgresOptions): Promise<PostgresServer> {
  const wanted = resolve(options.dataDir);
  const runAs = await chooseRunAs(wanted);
  const name = `punctual-${createHash("sha256").update(wanted).digest("hex").slice(0, 12)}`;
  const dataDir = await reachableDataDir(wanted, name, runAs);
  if (dataDir !== wanted)
    options.log(`the database's data is in ${dataDir}: ${dirname(wanted)} is closed to other users`);
  const binaries = await prepareBinaries(runAs, options.log);
  const release = await ownData(dataDir);
  try {
    if (!existsSync(join(dataDir, "PG_VERSION"))) await makeData(binaries, dataDir, runAs);
    await checkVersion(binaries, dataDir);
    await stopLeftover(dataDir, options.log);
    return await startOnSomePort(binaries, dataDir, runAs, options, release);
  } catch (error) {
    await release();
    throw error;
  }
}

/**
 * Ends a server that runs on this data although its owner is gone (killed with -9), and removes the lock file of one
 * that is itself gone. Its clients belonged to the earlier run, so it is stopped, not taken over.
 */
export async function stopLeftover(dataDir: string, log: (line: string) => void): Promise<void> {
  const lockFile = join(dataDir, "postmaster.pid");
  const lines = await readFile(lockFile, "utf8").catch(() => null);
  if (lines === null) return;
  const pid = Number.parseInt(lines, 10);
  if (!isAlive(pid) || !isPostgresOn(pid, dataDir)) {
    // Postgres removes a stale lock by itself, unless its process id is in use again by the same user.
    await unlink(lockFile).catch(() => undefined);
    return;
  }
  log(`stopping the database server that an earlier run left behind (process ${pid})`);
  await endServer(pid);
}

/** Fast shutdown, then immediate, then by force. */
async function endServer(pid: number, first: "SIGINT" | "SIGQUIT" = "SIGINT"): Promise<void> {
  const signals = ["SIGINT", "SIGQUIT", "SIGKILL"] as const;
  for (const signal of signals.slice(signals.indexOf(first))) {
    try {
      process.kill(pid, signal);
    } catch {
      return;
    }
    if (await waitUntil(() => !isAlive(pid), STOP_TIMEOUT_MS)) return;
  }
}

type Attempt = { child: ChildProcess; exited: Promise<void>; failed: string | null };

async function startOnSomePort(
  binaries: Binaries,
  dataDir: string,
  runAs: RunAs,
  options: PostgresOptions,
  release: () => Promise<void>,
): Promise<PostgresServer> {
  const start = performance.now();
  let port = options.port ?? (await freePort());
  for (let attempt = 1; ; attempt += 1) {
    if (options.port !== undefined && !options.exactPort && !(await isPortFree(port)))
      port = await freePort();
    const { child, exited, failed } = await startOnce(binaries, dataDir, runAs, port, options);
    if (failed === null) return serverOf(child, exited, port, dataDir, options, release);

    const blocked = /pre-existing shared memory block|lock file "postmaster.pid" already exists/.test(failed);
    const portTaken = /Address already in use|could not bind|could not create any TCP/.test(failed);
    if (blocked && performance.now() - start < LEFTOVER_TIMEOUT_MS) {
      await sleep(250);
    } else if (portTaken && !options.exactPort && attempt < PORT_ATTEMPTS_MAX) {
      port = await freePort();
    } else if (portTaken) {
      throw new Error(`Postgres cannot listen on 127.0.0.1:${port}: another program holds that port.`);
    } else {
      throw new Error(`Postgres did not start. Its log, ${dataDir}.log, ends with:\n${failed}`);
    }
  }
}

async function startOnce(
  binaries: Binaries,
  dataDir: string,
  runAs: RunAs,
  port: number,
  options: PostgresOptions,
): Promise<Attempt> {
  const logFile = `${dataDir}.log`;
  // A file, not a pipe: a server that outlives its owner must not block or die on writing to nobody.
  const output = openSync(logFile, "w", 0o600);
  const child = spawn(binaries.postgres, serverArguments(dataDir, port, options), {
    ...runAs,
    cwd: dataDir,
    env: serverEnvironment(dataDir),
    stdio: ["ignore", output, output],
    // Its own process group: Ctrl-C in the terminal reaches the owner, which stops the server last.
    detached: true,
  });
  closeSync(output);
  // Last resort when the owner ends without `stop`: a fast shutdown that nobody waits for.
  const atExit = () => child.kill("SIGINT");
  process.once("exit", atExit);
  let ended = false;
  const exited = new Promise<void>((done) => {
    child.once("error", () => done());
    child.once("exit", () => done());
  }).then(() => {
    process.off("exit", atExit);
    ended = true;
  });
  const up = await waitUntil(() => ended || isReady(dataDir, child.pid), START_TIMEOUT_MS);
  if (!ended && up) return { child, exited, failed: null };
  if (!ended && child.pid !== undefined) await endServer(child.pid);
  const tail = readFileSync(logFile, "utf8").trim().split("\n").slice(-LOG_TAIL_LINES).join("\n");
  return { child, exited, failed: tail || "(nothing)" };
}

function serverArguments(dataDir: string, port: number, options: PostgresOptions): string[] {
  const durable = options.durable ?? true;
  const settings: Record<string, string> = {
    listen_addresses: "127.0.0.1",
    port: String(port),
    // A socket file would be one more place to protect, and its path may be too long for the system.
    unix_socket_directories: "",
    timezone: "UTC",
    log_timezone: "UTC",
    fsync: durable ? "on" : "off",
    full_page_writes: durable ? "on" : "off",
    ...options.settings,
  };
  return ["-D", dataDir, ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])];
}

/** The server's own word: line 1 of its lock file is its process id, line 8 its state. */
function isReady(dataDir: string, pid: number | undefined): boolean {
  try {
    const lines = readFileSync(join(dataDir, "postmaster.pid"), "utf8").split("\n");
    return Number(lines[0]) === pid && lines[7]?.trim() === "ready";
  } catch {
    return false;
  }
}

function serverOf(
  child: ChildProcess,
  exited: Promise<void>,
  port: number,
  dataDir: string,
  options: PostgresOptions,
  release: () => Promise<void>,
): PostgresServer {
  const pid = child.pid as number;
  const password = readFileSync(join(dataDir, "punctual.password"), "utf8");
  const over = exited.then(release);
  return {
    url: `postgres://punctual:${password}@127.0.0.1:${port}/punctual`,
    port,
    pid,
    dataDir,
    exited: over,
    async stop() {
      const running = child.exitCode === null && child.signalCode === null;
      if (running) await endServer(pid, options.durable === false ? "SIGQUIT" : "SIGINT");
      await over;
    },
  };
}
