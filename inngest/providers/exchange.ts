import { effects, type WireRequest, type WireResponse } from "../../db/effects";
import { parseHttpDate, parseRetryAfter } from "../../db/rules/retry-after";

/** One HTTP answer, read. */
export interface WireAnswer {
  status: number;
  /** Names in lower case; a repeated header is joined by commas. */
  headers: Readonly<Record<string, string>>;
  /** Null when the connection broke before the body was complete. */
  body: string | null;
}

export type Exchange =
  | { kind: "answered"; answer: WireAnswer }
  /** No status arrived; `error` tells whether anything left. */
  | { kind: "failed"; error: unknown }
  | { kind: "not_started" };

/** Providers answer in a few kilobytes. More is a page of something else, and no evidence is looked for in it. */
const BODY_BYTES_MAX = 256 * 1024;

/** Places the two-digit years of obsolete `Date` headers; any instant of this century does. */
const CENTURY_NEAR_MS = Date.UTC(2026, 0);

/**
 * One HTTP call and its whole answer, under one signal that also covers the body. Redirects are not followed: a
 * provider sends none, and a push endpoint must not lead us elsewhere. Never throws, and ends when the signal does even
 * if the transport ignores it.
 */
export async function exchange(
  url: string | URL,
  request: WireRequest,
  signal: AbortSignal,
): Promise<Exchange> {
  if (signal.aborted) return { kind: "not_started" };
  let response: WireResponse;
  try {
    response = await within(signal, effects.request(url, request, signal));
  } catch (error) {
    return { kind: "failed", error };
  }
  const { status, headers } = response;
  return { kind: "answered", answer: { status, headers, body: await readBody(response.body, signal) } };
}

/** What the provider asks to wait, by the answer's own clock. */
export function retryAfterMsOf(answer: WireAnswer): number | null {
  const dateMs = parseHttpDate(answer.headers.date ?? null, CENTURY_NEAR_MS);
  return parseRetryAfter(answer.headers["retry-after"] ?? null, dateMs);
}

/** The body as a JSON object; null for anything else (HTML, an array, `null`, half a text). */
export function jsonObject(answer: WireAnswer): Record<string, unknown> | null {
  if (answer.body === null) return null;
  try {
    const value: unknown = JSON.parse(answer.body);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

async function readBody(body: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<string | null> {
  const chunks = body[Symbol.asyncIterator]();
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await within(signal, chunks.next());
      if (done) return text + decoder.decode();
      bytes += value.byteLength;
      if (bytes > BODY_BYTES_MAX) break;
      text += decoder.decode(value, { stream: true });
    }
  } catch {
    // Cut off: the status stands, the evidence is lost.
  }
  chunks.return?.().catch(() => undefined);
  return null;
}

/** Settles with the promise, or rejects with the signal's reason, whichever comes first. */
function within<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
