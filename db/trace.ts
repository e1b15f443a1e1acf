import { context, isSpanContextValid, type SpanContext, TraceFlags, trace } from "@opentelemetry/api";

// Next bundles route handlers and instrumentation apart; whether spans are exported is a fact of the process.
const holder = globalThis as unknown as { punctualTracing?: boolean };

/** Says that this process exports spans, from now on. */
export function noteTracing(on: boolean): void {
  holder.punctualTracing = on;
}

/** Whether this process exports spans. Asked before anything is done for them, so that without an exporter they cost nothing. */
export function isTracing(): boolean {
  return holder.punctualTracing === true;
}

/**
 * The trace of the request for which the caller works, as it is stored beside the fact that the request leaves: ids only,
 * as a W3C `traceparent` (W3C Trace Context, 3.2). Null without an exporter, outside of a request and in a request that is
 * not sampled.
 */
export function currentTrace(): string | null {
  if (!isTracing()) return null;
  const found = trace.getSpanContext(context.active());
  const isSampled = found !== undefined && (found.traceFlags & TraceFlags.SAMPLED) !== 0;
  return isSampled && isSpanContextValid(found) ? toTraceparent(found) : null;
}

/** A span's name in storage. */
export function toTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;
}

/** What was stored as a span that others can continue; null when nothing was. */
export function fromTraceparent(traceparent: string | null): SpanContext | null {
  const [, traceId = "", spanId = "", flags = ""] =
    /^00-(\w{32})-(\w{16})-(\w{2})$/.exec(traceparent ?? "") ?? [];
  const found = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return isSpanContextValid(found) ? found : null;
}
