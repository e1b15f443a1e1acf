import { execFileSync } from "node:child_process";
import { readFileSync, readlinkSync, realpathSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** How often a condition on another process is looked at: short beside its start, long beside the look. */
const POLL_MS = 25;

/** A process as it can be recognised later, even after its id was given to another one. */
export type ProcessMark = { pid: number; startedAt: string | null };

/** Whether a process with this id exists (a zombie counts as gone). */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  return statFields(pid)?.[0] !== "Z";
}

/** Marks a process by its id and its start, in the kernel's own units. Null start: this system does not tell. */
export function markProcess(pid: number): ProcessMark {
  return { pid, startedAt: startOf(pid) };
}

/** Whether the marked process still runs, and not another one that was given its id. */
export function stillRuns(mark: ProcessMark): boolean {
  return isAlive(mark.pid) && startOf(mark.pid) === mark.startedAt;
}

/** Field 22 of /proc/<pid>/stat where there is one, else what `ps` says. */
function startOf(pid: number): string | null {
  const fields = statFields(pid);
  if (fields !== null) return fields[19] ?? null;
  if (process.platform === "win32") return null;
  return ps(pid, "lstart=");
}

/** The fields of /proc/<pid>/stat after the command name (which may hold spaces): state first. */
function statFields(pid: number): string[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return null;
  }
}

function ps(pid: number, column: string): string | null {
  try {
    const said = execFileSync("ps", ["-o", column, "-p", String(pid)], { encoding: "utf8", stdio: "pipe" });
    return said.trim() || null;
  } catch {
    return null;
  }
}

/** Whether the process is a Postgres server on that data folder (a server's working folder is its data). */
export function isPostgresOn(pid: number, dataDir: string): boolean {
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(dataDir);
  } catch {
    return ps(pid, "command=")?.includes(dataDir) ?? false;
  }
}

/** Sends a signal to a whole process group, or to the process alone where there are no groups. Absent ones are fine. */
export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(process.platform === "win32" ? pid : -pid, signal);
  } catch {
    // It is gone, which is what a signal was to bring about.
  }
}

/** Whether any process of the group is left. */
export function groupIsAlive(pid: number): boolean {
  try {
    process.kill(process.platform === "win32" ? pid : -pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Waits until the condition holds; false when it has not within the time. */
export async function waitUntil(
  condition: () => boolean | Promise<boolean>,
  withinMs: number,
  pollMs = POLL_MS,
): Promise<boolean> {
  const start = performance.now();
  for (;;) {
    if (await condition()) return true;
    if (performance.now() - start >= withinMs) return false;
    await sleep(pollMs);
  }
}
