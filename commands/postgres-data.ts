import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chown, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { type Binaries, makeFolderFor, type RunAs, WITHOUT_BINARIES } from "./postgres-binaries";
import { markProcess, type ProcessMark, stillRuns } from "./processes";

/**
 * One owner at a time: a second `npm run dev` in the same folder must not end the first one's server as a leftover.
 * Returns what gives the ownership up.
 */
export async function ownData(dataDir: string): Promise<() => Promise<void>> {
  const file = `${dataDir}.owner`;
  const mark = JSON.stringify(markProcess(process.pid));
  for (;;) {
    try {
      await writeFile(file, mark, { flag: "wx" });
      return () => rm(file, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const holder = await readJson<ProcessMark>(file);
    if (holder !== null && stillRuns(holder)) {
      throw new Error(
        `The database in ${dataDir} is already run by process ${holder.pid}. Stop that one, or set DATABASE_URL to a database of your own.`,
      );
    }
    await rm(file, { force: true });
  }
}

async function readJson<T>(file: string): Promise<T | null> {
  try {
    return JSON.parse(await readFile(file, "utf8")) as T;
  } catch {
    return null;
  }
}

/** Makes the cluster beside its place and renames it when complete: a crash in between leaves no half data. */
export async function makeData(binaries: Binaries, dataDir: string, runAs: RunAs): Promise<void> {
  const staging = `${dataDir}.making-${process.pid}`;
  await removeStaging(dataDir);
  await rm(staging, { recursive: true, force: true });
  await makeFolderFor(runAs, staging);
  const password = randomBytes(24).toString("base64url");
  const passwordFile = `${staging}.password`;
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (runAs !== null) await chown(passwordFile, runAs.uid, runAs.gid);
  try {
    // The built-in provider sorts the same on every machine; a libc locale exists only where it was generated.
    const locale = ["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--encoding=UTF8"];
    const login = ["--username=punctual", "--auth=scram-sha-256", `--pwfile=${passwordFile}`];
    run(binaries.initdb, [`--pgdata=${staging}`, ...login, ...locale, "--no-instructions"], staging, runAs);
    run(
      binaries.postgres,
      ["--single", "-D", staging, "postgres"],
      staging,
      runAs,
      "CREATE DATABASE punctual;\n",
    );
    await writeFile(join(staging, "punctual.password"), password, { mode: 0o600 });
    await rm(dataDir, { recursive: true, force: true });
    await rename(staging, dataDir);
  } finally {
    await rm(passwordFile, { force: true });
    await rm(staging, { recursive: true, force: true });
  }
}

async function removeStaging(dataDir: string): Promise<void> {
  const left = await readdir(dirname(dataDir));
  for (const entry of left.filter((one) => one.startsWith(`${basename(dataDir)}.making-`))) {
    await rm(join(dirname(dataDir), entry), { recursive: true, force: true });
  }
}

function run(program: string, args: string[], cwd: string, runAs: RunAs, input?: string): void {
  const ended = spawnSync(program, args, {
    ...runAs,
    cwd,
    input,
    encoding: "utf8",
    env: serverEnvironment(cwd),
  });
  if (ended.error) throw ended.error;
  if (ended.status === 0) return;
  const said = ended.stderr.trim();
  // Containers are often started with a bare number as their user.
  const nameless = /could not look up effective user/.test(said)
    ? `\nThis process's user id has no name in /etc/passwd, which ${basename(program)} asks for. ${WITHOUT_BINARIES}`
    : "";
  throw new Error(`${basename(program)} ended with ${ended.status ?? ended.signal}:\n${said}${nameless}`);
}

/** The environment of a server or of initdb. Nothing of the caller's environment: PGDATA, PGPORT or a foreign locale there would change the server. */
export function serverEnvironment(home: string): NodeJS.ProcessEnv {
  const kept =
    process.platform === "win32" ? { SystemRoot: process.env.SystemRoot, PATH: process.env.PATH } : {};
  return { ...kept, NODE_ENV: process.env.NODE_ENV, HOME: home, LC_ALL: "C", TZ: "UTC" } as NodeJS.ProcessEnv;
}

/** Throws when the data was made by another major version, which this server could not open. */
export async function checkVersion(binaries: Binaries, dataDir: string): Promise<void> {
  const made = (await readFile(join(dataDir, "PG_VERSION"), "utf8")).trim();
  const here = binaries.version.split(".")[0];
  if (made === here) return;
  throw new Error(
    `The data in ${dataDir} was made by Postgres ${made}; this is ${here}. Move that folder away to start afresh.`,
  );
}
