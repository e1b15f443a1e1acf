import { readdirSync, readFileSync } from "node:fs";
import { cpus } from "node:os";

/** The kernel counts in hundredths of a second on every machine that one meets. */
const TICKS_PER_SECOND = 100;

/** CPU seconds so far: of each program, of the bench itself, and of the whole machine. Null where there is no /proc. */
export type CpuTimes = { programs: Record<string, number>; bench: number; machine: number; atMs: number };

/**
 * Reads what each program has used, by the id of its leader; everything that it started, and what its children were,
 * counts as its own.
 */
export function readCpu(leaders: Record<string, number | null>): CpuTimes | null {
  try {
    const processes = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
    const table = processes.flatMap((name) => readProcess(Number(name)));
    const children = new Map<number, typeof table>();
    for (const entry of table) children.set(entry.parent, [...(children.get(entry.parent) ?? []), entry]);
    const sum = (pid: number): number =>
      (children.get(pid) ?? []).reduce((total, child) => total + child.seconds + sum(child.pid), 0);
    const of = (pid: number) => (table.find((entry) => entry.pid === pid)?.seconds ?? 0) + sum(pid);
    const programs = Object.fromEntries(
      Object.entries(leaders).map(([name, pid]) => [name, pid === null ? 0 : of(pid)]),
    );
    const { user, system } = process.cpuUsage();
    const machine = busySeconds();
    return { programs, bench: (user + system) / 1e6, machine, atMs: performance.now() };
  } catch {
    return null;
  }
}

/** Memory in use by a program and everything that it started, in MiB (`VmRSS` of proc(5)); NaN where there is no /proc. */
export function residentMiB(leader: number | null): number {
  if (leader === null) return Number.NaN;
  try {
    const processes = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
    const table = processes.flatMap((name) => readProcess(Number(name)));
    const sum = (pid: number): number =>
      rssMiB(pid) +
      table.filter(({ parent }) => parent === pid).reduce((total, child) => total + sum(child.pid), 0);
    return sum(leader);
  } catch {
    return Number.NaN;
  }
}

function rssMiB(pid: number): number {
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0;
  return Number(kibibytes) / 1024;
}

/** What share of the machine's CPU others used between two looks. */
export function othersShare(before: CpuTimes, after: CpuTimes): number {
  const ours = (times: CpuTimes) =>
    times.bench + Object.values(times.programs).reduce((total, seconds) => total + seconds, 0);
  const others = after.machine - before.machine - (ours(after) - ours(before));
  const available = ((after.atMs - before.atMs) / 1000) * cpus().length;
  return Math.max(0, others / available);
}

function readProcess(pid: number): { pid: number; parent: number; seconds: number }[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // Its own time and that of children that have ended.
    const ticks = [11, 12, 13, 14].reduce((total, index) => total + Number(fields[index]), 0);
    return [{ pid, parent: Number(fields[1]), seconds: ticks / TICKS_PER_SECOND }];
  } catch {
    return [];
  }
}

function busySeconds(): number {
  const [line = ""] = readFileSync("/proc/stat", "utf8").split("\n");
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = line
    .trim()
    .split(/\s+/)
    .slice(1)
    .map(Number);
  return (user + nice + system + irq + softirq) / TICKS_PER_SECOND;
}
