import { parseCron } from "./cron";
import { startCrons, stopCrons } from "./cron-ticks";
import { checkExpression } from "./expressions";
import type { ConcurrencyRule, Context, RateRule, RegisteredFunction } from "./model";
import { parseDurationMs } from "./timing";

/** Retries of a function that names none (the engine's DefaultRetryCount; the SDK's comment says 3). */
const DEFAULT_RETRIES = 4;

/** `idempotency` is compiled to one start per key and day, and replaces `rateLimit`. */
const IDEMPOTENCY_PERIOD_MS = 24 * 3_600_000;

const MOST_TRIGGERS = 10;
const MOST_CONCURRENCY_RULES = 2;
const MOST_CANCEL_RULES = 5;
const MOST_RETRIES = 20;

/** A registration this engine refuses; the message names function, option and way out. */
export class RegistrationError extends Error {
  override name = "RegistrationError";
}

/**
 * Keeps the functions an app registers and answers whether anything changed. Limits are in force at once, for waiting
 * runs too. A function the app no longer names starts nothing more and has no crons; its living runs go on.
 *
 * @throws RegistrationError and nothing is kept.
 */
export function register(context: Context, body: unknown): { appId: string; modified: boolean } {
  const app = record(body, "the registration");
  const appId = text(app.appName) ?? "";
  if (appId === "") throw new RegistrationError("The registration has no appName.");
  if (!Array.isArray(app.functions))
    throw new RegistrationError(`App "${appId}" registers no list of functions.`);
  const functions = app.functions.map((config) => readFunction(appId, config));

  let modified = false;
  const named = new Set(functions.map((fn) => fn.id));
  for (const known of context.functions.values()) {
    if (known.appId !== appId || named.has(known.id) || known.removed) continue;
    known.removed = true;
    stopCrons(context, known);
    modified = true;
  }
  for (const fn of functions) {
    const known = context.functions.get(fn.id);
    modified ||= !known || JSON.stringify(known) !== JSON.stringify(fn);
    const kept = known ? Object.assign(known, fn) : fn;
    context.functions.set(fn.id, kept);
    startCrons(context, kept);
  }
  context.lookForWork();
  return { appId, modified };
}

function readFunction(appId: string, value: unknown): RegisteredFunction {
  const config = record(value, "a function");
  const id = text(config.id) ?? "";
  if (id === "") throw new RegistrationError(`App "${appId}" registers a function without id.`);
  try {
    return readConfig(appId, id, config);
  } catch (error) {
    throw new RegistrationError(
      `Function "${id}": ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

function readConfig(appId: string, id: string, config: Record<string, unknown>): RegisteredFunction {
  for (const option of ["debounce", "batchEvents"]) {
    if (config[option])
      throw new Error(`"${option}" is not implemented by this engine; use the Inngest dev server.`);
  }
  const step = Object.values(record(config.steps, "steps"))[0];
  const { runtime, retries } = record(step, "its step") as {
    runtime?: unknown;
    retries?: { attempts?: number };
  };
  const url = text(record(runtime, "its runtime").url);
  if (!url) throw new Error("its step has no URL.");
  const attempts = retries?.attempts ?? DEFAULT_RETRIES;
  if (attempts < 0 || attempts > MOST_RETRIES)
    throw new Error(`retries must be 0–${MOST_RETRIES}, got ${attempts}.`);

  const triggers = list(config.triggers);
  if (triggers.length > MOST_TRIGGERS)
    throw new Error(`at most ${MOST_TRIGGERS} triggers, got ${triggers.length}.`);
  const fn: RegisteredFunction = {
    id,
    appId,
    url,
    name: text(config.name) ?? id,
    retries: attempts,
    removed: false,
    triggers: triggers
      .filter((trigger) => typeof trigger.event === "string")
      .map((trigger) => ({ event: trigger.event as string, expression: expression(trigger.expression) })),
    crons: triggers.filter((trigger) => typeof trigger.cron === "string").map(readCron),
    concurrency: readConcurrency(config.concurrency),
    throttle: readRate(config.throttle, "throttle"),
    rateLimit: readRate(config.rateLimit, "rateLimit"),
    priority: config.priority ? expression(record(config.priority, "priority").run) : null,
    singleton: readSingleton(config.singleton),
    timeouts: readTimeouts(config.timeouts),
    cancel: list(config.cancel).map((rule) => ({
      event: String(rule.event),
      expression: expression(rule.if),
      timeout: text(rule.timeout),
    })),
  };
  if (fn.cancel.length > MOST_CANCEL_RULES) throw new Error(`at most ${MOST_CANCEL_RULES} cancelOn rules.`);
  if (config.idempotency) {
    const key = expression(config.idempotency);
    fn.rateLimit = { limit: 1, atOnce: 1, periodMs: IDEMPOTENCY_PERIOD_MS, key };
  }
  return fn;
}

function readCron(trigger: Record<string, unknown>): { cron: string; jitterMs: number } {
  parseCron(trigger.cron as string);
  return { cron: trigger.cron as string, jitterMs: parseDurationMs(text(trigger.jitter) ?? "") ?? 0 };
}

function readConcurrency(value: unknown): ConcurrencyRule[] {
  if (value === undefined || value === null) return [];
  const entries = Array.isArray(value) ? value : [value];
  if (entries.length > MOST_CONCURRENCY_RULES) {
    throw new Error(`at most ${MOST_CONCURRENCY_RULES} concurrency entries, got ${entries.length}.`);
  }
  return entries.map((entry) => {
    const rule = typeof entry === "number" ? { limit: entry } : record(entry, "concurrency");
    const scope = text(rule.scope) ?? "fn";
    if (scope !== "fn" && scope !== "env" && scope !== "account")
      throw new Error(`concurrency scope "${scope}".`);
    const key = expression(rule.key);
    if (scope !== "fn" && !key) throw new Error(`concurrency of scope "${scope}" needs a key.`);
    return { limit: positive(rule.limit, "concurrency.limit"), key, scope };
  });
}

function readRate(value: unknown, option: "throttle" | "rateLimit"): RateRule | null {
  if (!value) return null;
  const rule = record(value, option);
  const limit = positive(rule.limit, `${option}.limit`);
  const periodMs = parseDurationMs(text(rule.period) ?? "");
  if (!periodMs || periodMs < 1000)
    throw new Error(`${option}.period must be at least "1s", got ${rule.period}.`);
  const burst = rule.burst === undefined || rule.burst === null ? 0 : Number(rule.burst);
  // A throttle lets limit + burst through at once; a rate limit a tenth of its limit, and one more.
  const atOnce = option === "throttle" ? limit + burst : Math.floor(limit / 10) + 1;
  // Both count whole seconds.
  return { limit, atOnce, periodMs: Math.floor(periodMs / 1000) * 1000, key: expression(rule.key) };
}

function readSingleton(value: unknown): RegisteredFunction["singleton"] {
  if (!value) return null;
  const rule = record(value, "singleton");
  const mode = text(rule.mode);
  if (mode !== "skip" && mode !== "cancel")
    throw new Error(`singleton.mode must be "skip" or "cancel", got ${mode}.`);
  return { key: expression(rule.key), mode };
}

function readTimeouts(value: unknown): RegisteredFunction["timeouts"] {
  const rule = value ? record(value, "timeouts") : {};
  const read = (name: "start" | "finish") => {
    if (rule[name] === undefined || rule[name] === null) return null;
    const durationMs = parseDurationMs(String(rule[name]));
    if (durationMs === null)
      throw new Error(`timeouts.${name} "${rule[name]}" is not a duration such as "10m".`);
    return durationMs;
  };
  return { startMs: read("start"), finishMs: read("finish") };
}

function record(value: unknown, what: string): Record<string, unknown> {
  if (typeof value === "object" && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  throw new RegistrationError(`expected ${what} to be an object, got ${JSON.stringify(value)}.`);
}

function list(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.map((entry) => record(entry, "each entry")) : [];
}

function text(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function expression(value: unknown): string | null {
  if (typeof value !== "string" || value === "") return null;
  checkExpression(value);
  return value;
}

function positive(value: unknown, what: string): number {
  if (typeof value === "number" && Number.isInteger(value) && value > 0) return value;
  throw new Error(`${what} must be a whole number above 0, got ${JSON.stringify(value)}.`);
}
