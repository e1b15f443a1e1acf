import { holds } from "./expressions";
import { fateOf } from "./faults";
import type { Context, EngineEvent, RegisteredFunction, Run } from "./model";
import { isLive } from "./model";
import { bytesOf } from "./response";
import { cancelListensUntilMs, createRun } from "./start";
import { resumeWait } from "./waits";

/** Events a post may carry (MaxEvents). */
const MOST_EVENTS = 5000;

/** An event may be this large, as JSON (AbsoluteMaxEventSize). */
const LARGEST_EVENT_BYTES = 3 * 1024 * 1024;

/** An event name may be this long (the engine's trigger limit is one less). */
const LONGEST_NAME = 256;

const EARLIEST_TS = Date.UTC(1980, 0, 1);
const LATEST_TS = Date.UTC(2100, 0, 1);

/** Events kept for the API and the page. */
const EVENTS_KEPT = 10_000;

/** Seeds kept: a sender repeats a lost post within seconds. */
const SEEDS_KEPT = 10_000;

/** Names the engine keeps for itself. */
const RESERVED_PREFIX = "inngest/";

/** What a post of events comes to: the ids so far, and why the rest was refused. */
export type Intake = { ids: string[]; error: string | null };

/**
 * Takes in the events of one post, one by one: those before an invalid one are accepted all the same. A repeated post
 * with the same seed has the same ids, so a sender that lost the answer starts nothing twice.
 */
export function takeIn(context: Context, body: unknown, seed: string | null): Intake {
  const payloads = Array.isArray(body) ? body : [body];
  const ids: string[] = [];
  if (payloads.length > MOST_EVENTS)
    return { ids, error: `at most ${MOST_EVENTS} events, got ${payloads.length}` };
  const seeded = seed ? (context.seeds.get(seed) ?? []) : [];
  if (seed) keepSeed(context, seed, seeded);
  for (const [index, payload] of payloads.entries()) {
    const internalId = seeded[index] ?? context.newId();
    seeded[index] = internalId;
    const event = readEvent(payload, internalId, seededAtMs(seed), context.clock.nowMs());
    if (typeof event === "string") return { ids, error: event };
    ids.push(event.internalId);
    acceptEvent(context, event);
  }
  return { ids, error: null };
}

/** Keeps an event and acts on it after the queue delay, or as the faults will have it. */
export function acceptEvent(context: Context, event: EngineEvent): void {
  context.events.push(event);
  if (context.events.length > EVENTS_KEPT) context.events.splice(0, context.events.length - EVENTS_KEPT);
  for (const extraMs of fateOf(context.faults, event)) {
    const atMs = event.receivedAtMs + context.queueDelayMs + extraMs;
    context.agenda.at(atMs, () => actOn(context, event));
  }
}

/** Wakes waits, cancels runs and starts functions, in this order; an event never cancels the run it starts. */
function actOn(context: Context, event: EngineEvent): void {
  for (const wait of [...(context.waits.get(event.name) ?? [])]) {
    if (wait.createdAtMs > event.receivedAtMs) continue;
    const scope = { event: wait.run.event, async: event };
    if (wait.expression === null || holds(wait.expression, scope))
      resumeWait(context, wait, wireEvent(event));
  }
  for (const run of [...(context.cancellable.get(event.name) ?? [])]) {
    if (isLive(run) && cancels(event, run)) context.endRun(run, { status: "cancelled" });
  }
  for (const fn of context.functions.values()) {
    if (!fn.removed && starts(fn, event)) createRun(context, fn, event, { rememberAs: event.id });
  }
}

function starts(fn: RegisteredFunction, event: EngineEvent): boolean {
  return fn.triggers.some((trigger) => {
    const named = trigger.event.endsWith("*")
      ? event.name.startsWith(trigger.event.slice(0, -1))
      : event.name === trigger.event;
    return named && (trigger.expression === null || holds(trigger.expression, { event }));
  });
}

/**
 * A cancel counts only if it arrived after the run was made, which is some milliseconds after its trigger arrived: one
 * sent before, with or right after the trigger is lost.
 */
function cancels(event: EngineEvent, run: Run): boolean {
  if (event.receivedAtMs <= run.createdAtMs) return false;
  return run.fn.cancel.some((rule) => {
    if (rule.event !== event.name || cancelListensUntilMs(run, rule.timeout) < event.receivedAtMs)
      return false;
    return rule.expression === null || holds(rule.expression, { event: run.event, async: event });
  });
}

/** The event as functions and waiting steps receive it. */
export function wireEvent(event: EngineEvent): Record<string, unknown> {
  const { id, name, data, ts, v, meta } = event;
  return { id, name, data, user: event.user ?? {}, ts, ...(v ? { v } : {}), ...(meta ? { meta } : {}) };
}

/**
 * The event of a payload, or why it is refused. The SDK fills in `ts` from its own clock, the same as its seed's: such
 * a time was not asked for and becomes the engine's, so that a clock that is ahead does not delay the start.
 */
function readEvent(
  payload: unknown,
  internalId: string,
  seededMs: number | null,
  nowMs: number,
): EngineEvent | string {
  if (typeof payload !== "object" || payload === null || Array.isArray(payload))
    return "an event must be an object";
  const { id, name, data, ts, v, user, meta } = payload as Record<string, unknown>;
  const bytes = bytesOf(payload);
  if (bytes > LARGEST_EVENT_BYTES)
    return `Event is over the max size: Max ${LARGEST_EVENT_BYTES} bytes / Size ${bytes} bytes`;
  if (typeof name !== "string" || name === "") return "event name is empty";
  if (name.length > LONGEST_NAME) return `event name is longer than ${LONGEST_NAME} characters`;
  if (name.toLowerCase().startsWith(RESERVED_PREFIX))
    return `event name is reserved for internal use: ${name}`;
  if (data !== undefined && data !== null && (typeof data !== "object" || Array.isArray(data))) {
    return "event data must be an object";
  }
  if (ts !== undefined && ts !== null && ts !== 0) {
    if (typeof ts !== "number" || !Number.isFinite(ts)) return "timestamp must be a number of milliseconds";
    if (ts < EARLIEST_TS) return "timestamp is before Jan 1, 1980";
    if (ts > LATEST_TS) return "timestamp is after Jan 1, 2100";
  }
  const asked = typeof ts === "number" && ts !== 0 && ts !== seededMs ? ts : nowMs;
  return {
    internalId,
    id: typeof id === "string" && id !== "" ? id : internalId,
    name,
    data: (data ?? {}) as Record<string, unknown>,
    ts: asked,
    ...(typeof v === "string" && v !== "" ? { v } : {}),
    ...(user ? { user: user as Record<string, unknown> } : {}),
    ...(meta ? { meta: meta as Record<string, unknown> } : {}),
    receivedAtMs: nowMs,
  };
}

function seededAtMs(seed: string | null): number | null {
  const millis = Number(seed?.split(",")[0]);
  return seed && Number.isFinite(millis) ? millis : null;
}

function keepSeed(context: Context, seed: string, ids: string[]): void {
  context.seeds.set(seed, ids);
  for (const old of context.seeds.keys()) {
    if (context.seeds.size <= SEEDS_KEPT) break;
    context.seeds.delete(old);
  }
}
