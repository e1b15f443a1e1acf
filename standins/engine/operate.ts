import { nextTickMs, parseCron } from "./cron";
import type { Context, Run } from "./model";
import { createRun } from "./start";

/** How long an app may take to register; a development server compiles the route first. */
const SYNC_TIMEOUT_MS = 30_000;

/** Reruns of one click. */
export const MOST_RERUNS = 500;

/** Asks an app to register its functions (`PUT`); true if it answered well. Never throws: an app may be down. */
export async function sync(context: Context, appUrl: string): Promise<boolean> {
  const url = new URL(appUrl);
  if (url.pathname === "/") url.pathname = "/api/inngest";
  const controller = new AbortController();
  const timeout = context.clock.setTimer(context.clock.nowMs() + SYNC_TIMEOUT_MS, () => controller.abort());
  try {
    const response = await context.call(url.href, {
      method: "PUT",
      headers: {
        host: url.host,
        "content-type": "application/json",
        "x-inngest-server-kind": context.signingKey ? "cloud" : "dev",
      },
      body: "{}",
      signal: controller.signal,
    });
    const answer = await response.text();
    if (!response.ok) context.log(`${url.href} did not register: ${response.status} ${answer.slice(0, 300)}`);
    return response.ok;
  } catch {
    return false;
  } finally {
    timeout.cancel();
  }
}

/** Starts a run again from nothing, under a new id, with the same event; neither its id nor a rate limit counts. */
export function rerun(context: Context, runId: string): string | null {
  const original = context.runs.get(runId);
  if (!original) return null;
  return createRun(context, original.fn, original.event, { rememberAs: null, rerunOf: original })?.id ?? null;
}

/** Failed runs that nobody has rerun, oldest first. */
export function failedRuns(context: Context, functionId: string | null): Run[] {
  return [...context.runs.values()].filter(
    (run) => run.status === "failed" && run.rerunAs === null && (!functionId || run.fn.id === functionId),
  );
}

/** Reruns failed runs, at most {@link MOST_RERUNS}; answers the new ids. */
export function rerunFailed(context: Context, functionId: string | null): string[] {
  const failed = failedRuns(context, functionId).slice(0, MOST_RERUNS);
  return failed.flatMap((run) => rerun(context, run.id) ?? []);
}

/** Loses everything, as an engine without storage does when it ends. Answers on their way change nothing any more. */
export function forgetEverything(context: Context, clearQueue: () => void): void {
  context.epoch += 1;
  context.agenda.clear();
  clearQueue();
  for (const kept of [
    context.functions,
    context.cronTicks,
    context.runs,
    context.seeds,
    context.remembered,
    context.throttles,
    context.rateLimits,
    context.slots,
    context.singletons,
    context.waits,
    context.cancellable,
  ]) {
    kept.clear();
  }
  context.endedRunIds.length = 0;
  context.events.length = 0;
}

/** The next ticks of a cron that is being followed. */
export function upcomingTicks(context: Context, functionId: string, cron: string, count: number): number[] {
  const ticks: number[] = [];
  let atMs = context.cronTicks.get(`${functionId} ${cron}`)?.nextMs ?? null;
  while (atMs !== null && ticks.length < count) {
    ticks.push(atMs);
    atMs = nextTickMs(parseCron(cron), atMs);
  }
  return ticks;
}
