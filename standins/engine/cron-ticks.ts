import { nextTickMs, parseCron } from "./cron";
import type { Context, EngineEvent, RegisteredFunction } from "./model";
import { createRun } from "./start";

/** The least jitter the engine applies where a trigger asks for any. */
const LEAST_JITTER_MS = 1000;

/** Plans the first tick of every cron the function has and does not yet follow; ends those it no longer has. */
export function startCrons(context: Context, fn: RegisteredFunction): void {
  for (const [key, tick] of context.cronTicks) {
    if (tick.fn.id !== fn.id || fn.crons.some(({ cron }) => tick.cron === cron)) continue;
    context.agenda.cancel(tick.appointment);
    context.cronTicks.delete(key);
  }
  for (const { cron } of fn.crons) {
    if (!context.cronTicks.has(tickKey(fn, cron))) planNext(context, fn, cron, context.clock.nowMs());
  }
}

/** Ends all crons of a function. */
export function stopCrons(context: Context, fn: RegisteredFunction): void {
  for (const { cron } of fn.crons) {
    context.agenda.cancel(context.cronTicks.get(tickKey(fn, cron))?.appointment ?? null);
    context.cronTicks.delete(tickKey(fn, cron));
  }
}

/**
 * The tick after the previous tick, not after now: an engine that was held up makes up for every tick it missed, all
 * at once, each with its own `scheduledAt`.
 */
function planNext(context: Context, fn: RegisteredFunction, cron: string, previousMs: number): void {
  const nextMs = nextTickMs(parseCron(cron), previousMs);
  if (nextMs === null) {
    context.cronTicks.delete(tickKey(fn, cron));
    return;
  }
  const appointment = context.agenda.at(nextMs, () => {
    startTick(context, fn, cron, nextMs);
    planNext(context, fn, cron, nextMs);
  });
  context.cronTicks.set(tickKey(fn, cron), { fn, cron, nextMs, appointment });
}

function startTick(context: Context, fn: RegisteredFunction, cron: string, tickMs: number): void {
  const jitterMs = fn.crons.find((trigger) => trigger.cron === cron)?.jitterMs ?? 0;
  const delayMs =
    jitterMs > 0 ? LEAST_JITTER_MS + Math.floor(context.random() * (jitterMs - LEAST_JITTER_MS)) : 0;
  const event: EngineEvent = {
    internalId: context.newId(),
    id: toSecond(tickMs),
    name: "inngest/scheduled.timer",
    data: { cron, scheduledAt: toSecond(tickMs), fireAt: toSecond(tickMs + delayMs) },
    ts: tickMs + delayMs,
    receivedAtMs: context.clock.nowMs(),
  };
  createRun(context, fn, event, { atMs: tickMs + delayMs, rememberAs: `${cron} ${event.id}` });
}

/** RFC 3339 to the second, as the engine writes cron instants. */
function toSecond(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d{3}Z$/, "Z");
}

function tickKey(fn: RegisteredFunction, cron: string): string {
  return `${fn.id} ${cron}`;
}
