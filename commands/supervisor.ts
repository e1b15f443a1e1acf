import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { answersOn, isPortFree } from "./ports";
import { groupIsAlive, signalGroup, waitUntil } from "./processes";

/** The first restart is quick, so that a killed app is back within seconds; one that cannot live does not spin. */
const BACKOFF_FIRST_MS = 500;
const BACKOFF_MAX_MS = 10_000;

/** A process that lived this long died of something new, and starts again at the first backoff. */
const STEADY_AFTER_MS = 30_000;

/** Next's server keeps its child when only that is killed: then nobody listens although the process lives. */
const LISTEN_POLL_MS = 1_000;
const DEAF_POLLS_MAX = 4;

/** Next and the engine end within a second; what has not by then is forced. */
const STOP_TIMEOUT_MS = 5_000;

/** A killed group frees its port as soon as the kernel has collected it. */
const PORT_TIMEOUT_MS = 5_000;

export type ChildPlan = {
  name: string;
  command: string;
  args: string[];
  env: NodeJS.ProcessEnv;
  /** Where it listens; it counts as up when somebody answers there. */
  port: number;
};

export type Child = {
  plan: ChildPlan;
  /** The process of the moment; null while it is down. Also the id of its process group. */
  pid(): number | null;
  /** Ends it and everything it started, for good. */
  stop(): Promise<void>;
};

export type Watch = {
  print: (name: string, line: string) => void;
  /** Called at every start, restarts included. */
  started: (plan: ChildPlan, pid: number) => void;
  /** Called when somebody first answers on its port, after every start. */
  listening?: (plan: ChildPlan) => void;
};

/**
 * Keeps a program running until `stop`. It has a process group of its own: Ctrl-C reaches the supervisor alone, which
 * ends things in order, and a killed parent leaves no child behind that holds the port.
 */
export function supervise(plan: ChildPlan, watch: Watch): Child {
  let current: ChildProcess | null = null;
  let stopping = false;
  const stopped = new AbortController();

  const live = async () => {
    let backoffMs = BACKOFF_FIRST_MS;
    while (!stopping) {
      const start = performance.now();
      current = launch(plan, watch);
      const why = await endOf(current, plan.port, () => watch.listening?.(plan));
      const { pid } = current;
      current = null;
      if (stopping) return;
      if (pid !== undefined) await clear(pid, plan.port, "SIGKILL");
      if (performance.now() - start >= STEADY_AFTER_MS) backoffMs = BACKOFF_FIRST_MS;
      watch.print("punctual", `${plan.name} ${why}; starting it again`);
      await sleep(backoffMs, undefined, { signal: stopped.signal }).catch(() => undefined);
      backoffMs = Math.min(backoffMs * 2, BACKOFF_MAX_MS);
    }
  };
  const life = live();

  return {
    plan,
    pid: () => current?.pid ?? null,
    async stop() {
      stopping = true;
      stopped.abort();
      if (current?.pid !== undefined) await clear(current.pid, plan.port, "SIGTERM");
      await life;
    },
  };
}

function launch(plan: ChildPlan, watch: Watch): ChildProcess {
  const child = spawn(plan.command, plan.args, {
    env: plan.env,
    stdio: ["ignore", "pipe", "pipe"],
    detached: process.platform !== "win32",
  });
  for (const stream of [child.stdout, child.stderr]) {
    if (stream !== null) printLines(stream, (line) => watch.print(plan.name, line));
  }
  const { pid } = child;
  if (pid !== undefined) {
    // Last resort when the supervisor ends without `stop`: a signal that nobody waits for.
    const atExit = () => signalGroup(pid, "SIGTERM");
    process.once("exit", atExit);
    child.once("exit", () => process.off("exit", atExit));
    watch.started(plan, pid);
  }
  return child;
}

function printLines(stream: Readable, print: (line: string) => void): void {
  createInterface({ input: stream }).on("line", (line) => {
    // A program that ends shows the cursor again, which is no line.
    const text = line.replaceAll("\u001b[?25h", "");
    if (text.trim() !== "") print(text);
  });
}

/** Settles, with what happened, when the process ends or stops listening. */
async function endOf(child: ChildProcess, port: number, listening: () => void): Promise<string> {
  const over = new AbortController();
  const ended = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(`cannot be started (${error.message})`));
    child.once("exit", (code, signal) =>
      resolve(signal ? `was ended by ${signal}` : `ended with code ${code}`),
    );
  });
  const why = await Promise.race([ended, watchListening(port, listening, over.signal)]);
  over.abort();
  return why;
}

/** Settles when a program that listened does so no more; never otherwise. */
async function watchListening(port: number, listening: () => void, over: AbortSignal): Promise<string> {
  let hasListened = false;
  let deafPolls = 0;
  while (deafPolls < DEAF_POLLS_MAX && !over.aborted) {
    await sleep(LISTEN_POLL_MS, undefined, { signal: over }).catch(() => undefined);
    const answers = await answersOn(port);
    if (answers && !hasListened) listening();
    hasListened ||= answers;
    deafPolls = answers || !hasListened ? 0 : deafPolls + 1;
  }
  return over.aborted ? new Promise<never>(() => {}) : `no longer listens on port ${port}`;
}

/** Ends a whole process group and waits until its port can be used again. */
export async function clear(pid: number, port: number, first: "SIGTERM" | "SIGKILL"): Promise<void> {
  signalGroup(pid, first);
  const gone = await waitUntil(() => !groupIsAlive(pid), STOP_TIMEOUT_MS);
  if (!gone) signalGroup(pid, "SIGKILL");
  await waitUntil(() => isPortFree(port), PORT_TIMEOUT_MS);
}
