import type { Appointment } from "./agenda";
import { evaluate, keyText } from "./expressions";
import { forgetIdleKeys, gcra } from "./limits";
import type { ConcurrencyRule, Context, EngineEvent, RegisteredFunction, Run } from "./model";
import { expiryMs } from "./timing";

/** An event id starts a function once in this time (FunctionIdempotencyPeriod). */
const REMEMBERED_MS = 24 * 3_600_000;

/** Priority moves a run by at most 12 h (PriorityFactorMax). */
const MOST_PRIORITY_SECONDS = 12 * 3600;

/** A cancel rule without timeout listens for a year. */
const CANCEL_LISTENS_MS = 365 * 86_400_000;

/** Idle keys of limits are swept away once in this many starts. */
const SWEEP_EVERY = 1000;

export type StartOptions = {
  /** The instant of the first call; default: the event's `ts` if that is ahead, else now. */
  atMs?: number;
  /** The identity under which the start is remembered; null starts whatever was started before (rerun, invoke). */
  rememberAs: string | null;
  rerunOf?: Run;
  invokedBy?: Run["invokedBy"];
};

/**
 * Makes a run of the function for the event, in the engine's order: remembered id, rate limit, singleton, keys of
 * concurrency and throttle, then cancel rules and the start timeout. Null if the event starts nothing.
 */
export function createRun(
  context: Context,
  fn: RegisteredFunction,
  event: EngineEvent,
  options: StartOptions,
): Run | null {
  const nowMs = context.clock.nowMs();
  const scope = { event };
  const id = context.newId();
  const memoryKey = options.rememberAs === null ? null : `${fn.id} ${options.rememberAs}`;
  if (memoryKey !== null && (context.remembered.get(memoryKey)?.untilMs ?? 0) > nowMs) return null;
  if (fn.rateLimit && !options.rerunOf) {
    const key = fn.rateLimit.key ? keyText(fn.rateLimit.key, scope) : "";
    if (gcra(context.rateLimits, `${fn.id} ${key}`, fn.rateLimit, nowMs, true) !== null) return null;
  }
  const run = newRun(id, fn, event, nowMs);
  run.rerunOf = options.rerunOf?.id ?? null;
  run.invokedBy = options.invokedBy ?? null;
  run.priorityMs = priorityMs(fn, event);
  for (const rule of fn.concurrency) {
    if (rule.key) run.concurrencyKeys.set(ruleIdentity(rule), keyText(rule.key, scope));
  }
  if (fn.throttle?.key) run.throttleKeys.set(fn.throttle.key, keyText(fn.throttle.key, scope));
  context.runs.set(id, run);
  if (options.rerunOf) options.rerunOf.rerunAs = id;
  if (!enterSingleton(context, run)) {
    context.endRun(run, { status: "skipped" });
    return run;
  }
  if (memoryKey !== null) remember(context, memoryKey, id, nowMs);
  listenForCancels(context, run);
  armStartTimeout(context, run, nowMs);
  const atMs = Math.max(options.atMs ?? event.ts, nowMs);
  context.enqueue({
    run,
    kind: "start",
    stepId: null,
    fromStepId: null,
    raceMode: false,
    attempt: 0,
    atMs: atMs > nowMs ? atMs : nowMs + context.queueDelayMs,
  });
  return run;
}

/** What makes two concurrency rules the same: a changed expression is another rule, and releases what waits. */
export function ruleIdentity(rule: ConcurrencyRule): string {
  return `${rule.scope} ${rule.key}`;
}

function newRun(id: string, fn: RegisteredFunction, event: EngineEvent, nowMs: number): Run {
  return {
    id,
    fn,
    event,
    status: "queued",
    createdAtMs: nowMs,
    startedAtMs: null,
    endedAtMs: null,
    priorityMs: 0,
    concurrencyKeys: new Map(),
    throttleKeys: new Map(),
    throttlePassedAtMs: null,
    singletonKey: null,
    requestVersion: -1,
    memory: new Map(),
    stateBytes: 0,
    stack: [],
    pending: new Set(),
    opened: new Set(),
    planOnly: false,
    callsInFlight: 0,
    items: new Set(),
    waits: new Set(),
    appointments: new Set<Appointment>(),
    steps: new Map(),
    calls: [],
    rerunOf: null,
    rerunAs: null,
    invokedBy: null,
  };
}

function remember(context: Context, key: string, runId: string, nowMs: number): void {
  // Deleted first, so that the map stays in order of expiry.
  context.remembered.delete(key);
  context.remembered.set(key, { untilMs: nowMs + REMEMBERED_MS, runId });
  for (const [oldKey, old] of context.remembered) {
    if (old.untilMs > nowMs) break;
    context.remembered.delete(oldKey);
  }
  if (context.remembered.size % SWEEP_EVERY === 0) {
    forgetIdleKeys(context.rateLimits, nowMs);
    forgetIdleKeys(context.throttles, nowMs);
  }
}

/** Seconds by which the run goes before others; an expression without a number counts as none. */
function priorityMs(fn: RegisteredFunction, event: EngineEvent): number {
  if (!fn.priority) return 0;
  const seconds = evaluate(fn.priority, { event });
  if (typeof seconds !== "number" || !Number.isFinite(seconds)) return 0;
  return Math.max(-MOST_PRIORITY_SECONDS, Math.min(MOST_PRIORITY_SECONDS, Math.trunc(seconds))) * 1000;
}

function enterSingleton(context: Context, run: Run): boolean {
  const rule = run.fn.singleton;
  if (!rule) return true;
  const key = `${run.fn.id} ${rule.key ? keyText(rule.key, { event: run.event }) : ""}`;
  const holder = context.singletons.get(key);
  if (holder && rule.mode === "skip") return false;
  if (holder) context.endRun(holder, { status: "cancelled" });
  run.singletonKey = key;
  context.singletons.set(key, run);
  return true;
}

function listenForCancels(context: Context, run: Run): void {
  for (const rule of run.fn.cancel) {
    const runs = context.cancellable.get(rule.event) ?? new Set<Run>();
    context.cancellable.set(rule.event, runs.add(run));
  }
}

/** Until when a cancel rule of a run listens. */
export function cancelListensUntilMs(run: Run, timeout: string | null): number {
  return (timeout ? expiryMs(timeout, run.createdAtMs) : null) ?? run.createdAtMs + CANCEL_LISTENS_MS;
}

function armStartTimeout(context: Context, run: Run, nowMs: number): void {
  const { startMs } = run.fn.timeouts;
  if (startMs === null) return;
  run.appointments.add(
    context.agenda.at(nowMs + startMs, () => {
      if (run.startedAtMs === null) context.endRun(run, { status: "cancelled" });
    }),
  );
}

/** Starts a function for a step that invokes it, or for whoever asks: its event is known by the function alone. */
export function startInvoked(
  context: Context,
  fn: RegisteredFunction,
  call: { data: Record<string, unknown>; v?: string; invokedBy?: NonNullable<Run["invokedBy"]> },
): EngineEvent {
  const nowMs = context.clock.nowMs();
  const internalId = context.newId();
  const { invokedBy } = call;
  const by = invokedBy ? { correlation_id: `${invokedBy.run.id}.${invokedBy.stepId}` } : {};
  const event: EngineEvent = {
    internalId,
    id: internalId,
    name: "inngest/function.invoked",
    data: { ...call.data, _inngest: { fn_id: fn.id, ...by } },
    ts: nowMs,
    ...(call.v ? { v: call.v } : {}),
    receivedAtMs: nowMs,
  };
  context.events.push(event);
  createRun(context, fn, event, { rememberAs: null, ...(invokedBy ? { invokedBy } : {}) });
  return event;
}
