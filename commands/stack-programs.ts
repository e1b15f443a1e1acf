import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { nextServer } from "./next-server";
import type { ChildPlan } from "./supervisor";

/** One answer of a server that is starting may take a while on a machine with two busy cores. */
const REQUEST_TIMEOUT_MS = 60_000;

const POLL_MS = 100;

/** What a program of the stack needs of the shell; none of its settings, and not those of whoever starts the stack. */
export function outsideSettings(): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR } = process.env;
  return { PATH, HOME, TMPDIR, NODE_ENV: "production" };
}

/** The provider stand-ins as a program of their own. They read STANDINS_PORT. */
export function standinsPlan(root: string, port: number, env: NodeJS.ProcessEnv): ChildPlan {
  const args = ["--import", "tsx", join(root, "standins/providers/main.ts")];
  return { name: "standins", command: process.execPath, args, env, port };
}

/** The production server of the build in `.next`. */
export function productionAppPlan(root: string, port: number, env: NodeJS.ProcessEnv): ChildPlan {
  const args = nextServer(root, [root, "--port", String(port), "--hostname", "127.0.0.1"]);
  return {
    name: "app",
    command: process.execPath,
    args,
    env: { ...env, NEXT_TELEMETRY_DISABLED: "1" },
    port,
  };
}

/** Waits until somebody answers there with anything but a server error. */
export async function answers(url: string, withinMs: number): Promise<void> {
  const ok = async () => {
    const response = await fetch(url, { signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) }).catch(() => null);
    await response?.arrayBuffer();
    return response !== null && response.status < 500;
  };
  await until(`${url} answers`, withinMs, ok);
}

/** Waits until the condition holds, looking often; throws with what was waited for when it does not come about. */
export async function until(
  what: string,
  withinMs: number,
  condition: () => boolean | Promise<boolean>,
): Promise<void> {
  const start = performance.now();
  while (!(await condition())) {
    if (performance.now() - start > withinMs) throw new Error(`Not within ${withinMs} ms: ${what}`);
    await sleep(POLL_MS);
  }
}
