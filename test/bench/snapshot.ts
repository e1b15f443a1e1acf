import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { rename } from "node:fs/promises";
import { promisify } from "node:util";
import { type PostgresServer, startPostgres } from "../../commands/postgres";

/** The server of the moment; another one takes its place with every start. */
export type RunningDatabase = { server: PostgresServer };

const copyOf = (dataDir: string) => `${dataDir}-snapshot`;

async function startAgain({ server }: RunningDatabase): Promise<PostgresServer> {
  const { dataDir, port } = server;
  return startPostgres({ dataDir, port, exactPort: true, log: () => {} });
}

/** kill -9 of the server, which then starts again on the same data and port. */
async function killDatabase(database: RunningDatabase): Promise<void> {
  process.kill(database.server.pid, "SIGKILL");
  await database.server.exited;
  database.server = await startAgain(database);
}

/** Copies the data of a stopped server, as a snapshot of its disk would, and starts it again. The time of the copy. */
async function snapshotDatabase(database: RunningDatabase): Promise<number> {
  await database.server.stop();
  const atMs = Date.now();
  // Owner and rights stay: the server may be another user.
  await promisify(execFile)("cp", ["-a", database.server.dataDir, copyOf(database.server.dataDir)]);
  database.server = await startAgain(database);
  return atMs;
}

/** Stops the server, calls `meanwhile`, and starts it with the copied data; what came after the copy is put aside. */
async function restoreDatabase(database: RunningDatabase, meanwhile: () => void): Promise<void> {
  const { dataDir } = database.server;
  await database.server.stop();
  meanwhile();
  await rename(dataDir, `${dataDir}-later`);
  await rename(copyOf(dataDir), dataDir);
  database.server = await startAgain(database);
}

/** What can happen to a stage's database; `restartApp` starts the app anew with other settings. */
export function disasters(database: RunningDatabase, restartApp: (env: Record<string, string>) => void) {
  return {
    killDatabase: () => killDatabase(database),
    snapshotDatabase: () => snapshotDatabase(database),
    restoreDatabase: (env: Record<string, string>) => restoreDatabase(database, () => restartApp(env)),
  };
}

/** `npm run ops -- <words>` as a process with these settings: its exit code, and what it said. */
export async function runOps(
  root: string,
  env: NodeJS.ProcessEnv,
  words: readonly string[],
): Promise<{ code: number | null; said: string }> {
  const args = ["--import", "tsx", "commands/ops.ts", ...words];
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  child.stdout.on("data", (data) => (said += String(data)));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, said };
}
