import type { ErrorShape } from "./model";
import { retryAtMs } from "./timing";

/** What a step may answer (MaxStepOutputSize). */
const LARGEST_OUTPUT_BYTES = 4 * 1024 * 1024;

/** One instruction of the SDK. */
export type Op = {
  id: string;
  op: string;
  name?: string;
  displayName?: string;
  opts?: Record<string, unknown> | null;
  data?: unknown;
  error?: ErrorShape;
};

/** What a call to the app came to. */
export type Answer =
  | { kind: "ops"; ops: Op[]; requestVersion: number; noRetry: boolean; retryAtMs: number | null }
  | { kind: "result"; output: unknown }
  | { kind: "error"; error: ErrorShape; noRetry: boolean; retryAtMs: number | null };

/**
 * Reads an answer. Whatever does not come from the SDK (a proxy's 502, a login page, a 200 without `x-inngest-sdk`) is
 * an error to be retried; a 4xx of the SDK is one too unless it says `x-inngest-no-retry: true`.
 */
export function readAnswer(status: number, headers: Headers, body: string, nowMs: number): Answer {
  if (status === 201) {
    const envelope = readEnvelope(headers, body);
    if (envelope) return readAnswer(envelope.status, envelope.headers, envelope.body, nowMs);
  }
  const noRetry = headers.get("x-inngest-no-retry") === "true";
  const askedMs = retryAtMs(headers.get("retry-after"), nowMs);
  if (!headers.get("x-inngest-sdk")) {
    const message = `The app answered ${status} without the SDK: ${body.slice(0, 200) || "(empty body)"}`;
    return { kind: "error", error: { name: "NotSDK", message }, noRetry: false, retryAtMs: askedMs };
  }
  if (status === 206) {
    const ops = readOps(body);
    if (typeof ops === "string") {
      return { kind: "error", error: { name: "InvalidResponse", message: ops }, noRetry, retryAtMs: askedMs };
    }
    const requestVersion = Number(headers.get("x-inngest-req-version") ?? 2);
    return { kind: "ops", ops, requestVersion, noRetry, retryAtMs: askedMs };
  }
  if (status >= 200 && status <= 299) return { kind: "result", output: parse(body) ?? null };
  return { kind: "error", error: asError(parse(body), status), noRetry, retryAtMs: askedMs };
}

/** An error of any origin in the shape step memory and failure events carry. */
export function asError(value: unknown, status?: number): ErrorShape {
  if (value instanceof Error) return { name: value.name, message: value.message, ...(causeOf(value) ?? {}) };
  if (typeof value !== "object" || value === null) {
    return { name: "Error", message: value ? String(value) : `The app answered ${status ?? "nothing"}.` };
  }
  const { name, message, error, ...rest } = value as Record<string, unknown>;
  return { ...rest, name: String(name ?? "Error"), message: String(message ?? error ?? `HTTP ${status}`) };
}

function causeOf(error: Error): { cause: string } | null {
  const cause = error.cause as { code?: string; message?: string } | undefined;
  return cause?.code || cause?.message ? { cause: cause.code ?? String(cause.message) } : null;
}

function readOps(body: string): Op[] | string {
  const value = parse(body);
  const ops = Array.isArray(value) ? value : [value];
  if (ops.some((op) => typeof op !== "object" || op === null || typeof op.op !== "string")) {
    return `The SDK answered 206 without operations: ${body.slice(0, 200)}`;
  }
  // A body that is small as a whole has no large part; most are.
  const large =
    body.length > LARGEST_OUTPUT_BYTES / 3 && ops.find((op) => bytesOf(op.data) > LARGEST_OUTPUT_BYTES);
  return large
    ? `error validating generator opcode ${large.id}: step output size is greater than the limit`
    : (ops as Op[]);
}

/** Bytes of a value as JSON. */
export function bytesOf(value: unknown): number {
  return value === undefined ? 0 : Buffer.byteLength(JSON.stringify(value));
}

/** A streamed answer ends with its real status, headers and body in one object. */
function readEnvelope(
  outer: Headers,
  text: string,
): { status: number; headers: Headers; body: string } | null {
  const envelope = parse(text.trim()) as {
    status?: number;
    headers?: Record<string, string>;
    body?: unknown;
  } | null;
  if (typeof envelope !== "object" || !envelope?.status) return null;
  const headers = new Headers(outer);
  for (const [name, value] of Object.entries(envelope.headers ?? {})) headers.set(name, value);
  const body = typeof envelope.body === "string" ? envelope.body : JSON.stringify(envelope.body ?? null);
  return { status: envelope.status, headers, body };
}

function parse(body: string): unknown {
  if (body === "") return null;
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}
