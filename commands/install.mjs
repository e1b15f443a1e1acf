// Plain JavaScript on Node's built-ins alone: this runs before anything is installed.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The project's folder. */
export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** Older majors lack what the test runner and the web server ask for. */
const NODE_MAJOR_MIN = 20;

/** An installation takes a minute or two; a second command that waits longer than this waits for a dead one. */
const LOCK_WAIT_MS = 10 * 60_000;

const LOCK_POLL_MS = 250;

/** How soon a command notices that npm was ended. */
const ORPHAN_POLL_MS = 500;

const STAMP = join(ROOT, "node_modules", ".punctual-lock");

/**
 * Makes node_modules agree with package-lock.json, and does nothing when it does already. Two commands that start
 * together install once. Ends the process with a sentence when Node is too old or npm fails.
 */
export function ensureInstalled() {
  const major = Number.parseInt(process.versions.node, 10);
  if (major < NODE_MAJOR_MIN) {
    quit(`Punctual needs Node ${NODE_MAJOR_MIN} or newer; this is ${process.version}.`);
  }
  if (isInstalled()) return;
  const release = takeLock();
  let failure = null;
  try {
    if (!isInstalled()) failure = install();
  } finally {
    release();
  }
  if (failure !== null) quit(failure);
}

/** Runs a TypeScript command of ours in this terminal, passes signals on and ends as it ends. */
export function handOver(script, args) {
  const command = ["--import", "tsx", join(ROOT, "commands", script), ...args];
  // The channel's end tells the command that this process is gone, even if it was killed with -9.
  const child = spawn(process.execPath, command, {
    cwd: ROOT,
    stdio: ["inherit", "inherit", "inherit", "ipc"],
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  if (process.env.npm_lifecycle_event !== undefined) onOrphaned(() => child.kill("SIGTERM"));
  child.on("error", (error) => quit(`${script} cannot be started: ${error.message}`));
  child.on("exit", (code) => process.exit(code ?? 1));
}

/**
 * npm passes a signal to the shell between it and us, and that shell ends without passing it on. All we can see of it
 * is that our parent is another one.
 */
export function onOrphaned(react) {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    react();
  }, ORPHAN_POLL_MS);
  timer.unref();
}

/** Compares what npm noted down at its last run with the lock file; the stamp saves that work the next time. */
function isInstalled() {
  const wanted = fingerprint();
  if (existsSync(STAMP) && readFileSync(STAMP, "utf8") === wanted) return true;
  if (!lockIsFulfilled()) return false;
  writeFileSync(STAMP, wanted);
  return true;
}

function fingerprint() {
  const hash = createHash("sha256");
  for (const file of ["package.json", "package-lock.json"]) {
    const path = join(ROOT, file);
    hash.update(existsSync(path) ? readFileSync(path) : "absent");
  }
  // Packages with programs for one platform, or built for one Node, serve no other.
  return `${hash.digest("hex")} ${process.platform} ${process.arch} ${process.versions.modules}\n`;
}

/** Whether npm installed every package that the lock file demands, in its version. */
function lockIsFulfilled() {
  const wanted = packagesIn(join(ROOT, "package-lock.json"));
  const present = packagesIn(join(ROOT, "node_modules", ".package-lock.json"));
  if (wanted === null || present === null) return false;
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === "" || entry.link) return true;
    if (present[path] === undefined) return Boolean(entry.optional || entry.devOptional || entry.peer);
    return present[path].version === entry.version;
  });
}

function packagesIn(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8")).packages ?? null;
  } catch {
    return null;
  }
}

/** Answers null, or the sentence with which to give up. */
function install() {
  const command = existsSync(join(ROOT, "package-lock.json")) ? "ci" : "install";
  console.log(`Installing the packages (npm ${command}) …`);
  // Development and platform packages are part of every command here, whatever NODE_ENV or npm's settings leave out.
  const args = [command, "--include=dev", "--include=optional", "--no-audit", "--no-fund"];
  const npm = process.env.npm_execpath;
  const viaNode = npm !== undefined && /\.c?js$/.test(npm);
  const program = viaNode ? process.execPath : "npm";
  const ended = spawnSync(program, viaNode ? [npm, ...args] : args, {
    cwd: ROOT,
    stdio: "inherit",
    shell: !viaNode && process.platform === "win32",
  });
  if (ended.error) return `npm cannot be started: ${ended.error.message}`;
  if (ended.status !== 0) {
    return `npm ${command} failed (exit ${ended.status ?? ended.signal}); its reason is above.`;
  }
  // npm makes no folder for a project without dependencies.
  mkdirSync(dirname(STAMP), { recursive: true });
  writeFileSync(STAMP, fingerprint());
  return null;
}

/** One installer at a time: the folder can only be made by one, and names its process. */
function takeLock() {
  const lock = join(ROOT, ".local", "installing");
  mkdirSync(dirname(lock), { recursive: true });
  for (let waitedMs = 0; ; waitedMs += LOCK_POLL_MS) {
    try {
      mkdirSync(lock);
      writeFileSync(join(lock, "process"), String(process.pid));
      return () => rmSync(lock, { recursive: true, force: true });
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
    if (waitedMs >= LOCK_WAIT_MS || (waitedMs > 0 && !holderIsAlive(lock))) {
      rmSync(lock, { recursive: true, force: true });
    } else {
      if (waitedMs === 0) console.log("Waiting for another command of this folder to finish installing …");
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOCK_POLL_MS);
    }
  }
}

function holderIsAlive(lock) {
  try {
    process.kill(Number(readFileSync(join(lock, "process"), "utf8")), 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

function quit(sentence) {
  console.error(sentence);
  process.exit(1);
}
