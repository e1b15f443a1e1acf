import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { Agent, type Dispatcher, request, fetch as undiciFetch } from "undici";

/** The head of an HTTP answer, and its body as it comes in. */
export interface WireResponse {
  status: number;
  /** Names in lower case; a repeated header is joined by commas. */
  headers: Record<string, string>;
  body: AsyncIterable<Uint8Array>;
}

/** What a call to a provider is made of. */
export interface WireRequest {
  method?: string | undefined;
  headers?: RequestInit["headers"] | undefined;
  body?: string | Uint8Array<ArrayBuffer> | undefined;
}

/**
 * Everything that reaches out of the process's own computation, in one place, so that a simulation or a test can own
 * it. App, inngest and db code takes ids, time, waiting, randomness and HTTP from here only (a repository test holds
 * them to it).
 */
export interface Effects {
  /** A new UUID. Every id that leaves the database is made here, never by a sequence. */
  newId(): string;
  /** Milliseconds on a clock that never goes back; its zero means nothing. For measuring and waiting. */
  monotonicMs(): number;
  /** The host's clock as epoch milliseconds. For logs only: decisions read the ledger's clock. */
  wallMs(): number;
  /**
   * Waits at least `ms`, however long that is, or until `unless` is aborted; 0, negative numbers and NaN wait for nothing.
   */
  sleep(ms: number, unless?: AbortSignal): Promise<void>;
  /**
   * Lets timers and answers that are due go first. A long computation calls it between its parts: whatever waits in this
   * process for an exact instant would be late by the whole of it.
   */
  breathe(): Promise<void>;
  /** A number in [0, 1). Not for secrets, not for jitter (`db/rules/jitter.ts`). */
  random(): number;
  /** HTTP. Rejects like the platform's `fetch`; follows redirects unless told otherwise. */
  fetch(url: string | URL, init?: RequestInit): Promise<Response>;
  /**
   * One HTTP request and the head of its answer, for calls to providers: no redirect is followed, nothing is sent twice,
   * nothing is unpacked. Rejects like `fetch`. A replacement of `fetch` stands in for it as well.
   */
  request(url: string | URL, request: WireRequest, signal: AbortSignal): Promise<WireResponse>;
  /** A signal that aborts `ms` from now with a `TimeoutError`. */
  deadline(ms: number): AbortSignal;
  /** Wraps every database statement: a simulation may delay, reorder or break it there. */
  statement<T>(run: () => Promise<T>): Promise<T>;
}

/**
 * A connection that is not made within 4 s will not be made. It is under every call deadline, so that "never
 * connected" (certainly not sent) is told apart from "no answer" (perhaps sent).
 */
const CONNECT_TIMEOUT_MS = 4000;

/** The longest wait one timer holds; above it Node's timers fire after 1 ms. */
const TIMER_MS_MAX = 2 ** 31 - 1;

let dispatcher: Dispatcher | undefined;

function agent(): Dispatcher {
  dispatcher ??= new Agent({ connect: { timeout: CONNECT_TIMEOUT_MS } });
  return dispatcher;
}

/** The package's own fetch and not the global one: Next replaces that, and the connect timeout needs a dispatcher. */
async function fetchOverNetwork(url: string | URL, init?: RequestInit): Promise<Response> {
  // The package's types are those of the platform under other names.
  const options = { ...init, dispatcher: agent() } as Parameters<typeof undiciFetch>[1];
  return (await undiciFetch(url, options)) as unknown as Response;
}

/** Not by way of `fetch`, whose streams cost four times the processor's time of the call itself. */
async function requestOverNetwork(
  url: string | URL,
  { method, headers, body }: WireRequest,
  signal: AbortSignal,
): Promise<WireResponse> {
  const answer = await request(url, {
    method: (method ?? "GET") as Dispatcher.HttpMethod,
    headers: Object.fromEntries(new Headers(headers)),
    body: body ?? null,
    signal,
    dispatcher: agent(),
  });
  const joined = Object.entries(answer.headers).map(([name, value]) => [
    name,
    [value ?? []].flat().join(", "),
  ]);
  return { status: answer.statusCode, headers: Object.fromEntries(joined), body: answer.body };
}

function requestBy(fetch: Effects["fetch"]): Effects["request"] {
  return async (url, { method = "GET", headers = {}, body = null }, signal) => {
    const response = await fetch(url, { method, headers, body, signal, redirect: "manual" });
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers.entries()),
      body: response.body ?? Readable.from([]),
    };
  };
}

async function sleepOnTimers(ms: number, unless?: AbortSignal): Promise<void> {
  const startMs = performance.now();
  for (;;) {
    const leftMs = ms - (performance.now() - startMs);
    if (!(leftMs > 0) || unless?.aborted) return;
    // Rounded up, and looked at again: a timer may fire a little early, a wait must not end early.
    const stepMs = Math.min(Math.ceil(leftMs), TIMER_MS_MAX);
    await new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer);
        unless?.removeEventListener("abort", end);
        resolve();
      };
      const timer = setTimeout(end, stepMs);
      unless?.addEventListener("abort", end);
    });
  }
}

const REAL: Effects = {
  newId: () => randomUUID(),
  monotonicMs: () => performance.now(),
  wallMs: () => Date.now(),
  breathe: () => new Promise((resolve) => setImmediate(resolve)),
  sleep: sleepOnTimers,
  random: () => Math.random(),
  fetch: fetchOverNetwork,
  request: requestOverNetwork,
  deadline: (ms) => AbortSignal.timeout(ms),
  statement: (run) => run(),
};

// Next bundles route handlers and instrumentation apart; a replacement must reach every copy, so it is on globalThis.
const holder = globalThis as unknown as { punctualEffects?: Effects };

function current(): Effects {
  return holder.punctualEffects ?? REAL;
}

/** The process's effects. Functions read the replacement of the moment, so the object may be kept. */
export const effects: Effects = {
  newId: () => current().newId(),
  monotonicMs: () => current().monotonicMs(),
  wallMs: () => current().wallMs(),
  breathe: () => current().breathe(),
  sleep: (ms, unless) => current().sleep(ms, unless),
  random: () => current().random(),
  fetch: (url, init) => current().fetch(url, init),
  request: (url, request, signal) => current().request(url, request, signal),
  deadline: (ms) => current().deadline(ms),
  statement: (run) => current().statement(run),
};

/**
 * Puts other functions in place of some effects, for tests and the simulation. Returns the function that puts back
 * what was there; replacements nest and are undone in reverse order.
 */
export function replaceEffects(replacement: Partial<Effects>): () => void {
  const before = holder.punctualEffects;
  const derived = replacement.fetch === undefined ? {} : { request: requestBy(replacement.fetch) };
  holder.punctualEffects = { ...current(), ...derived, ...replacement };
  return () => {
    if (before === undefined) delete holder.punctualEffects;
    else holder.punctualEffects = before;
  };
}
