import { type Link, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { readTracedCalls, storeTraces, type TracedCall } from "../db/ledger/traced-calls";
import type { OutboxRow } from "../db/outbox";
import type { Channel } from "../db/rules/outcome";
import { fromTraceparent, isTracing, toTraceparent } from "../db/trace";
import { log } from "./log";

const tracer = () => trace.getTracer("punctual");

/** Who carries a message, by channel: the conventions' `messaging.system`. */
const SYSTEM: Record<Channel, string> = { email: "resend", sms: "twilio", push: "web_push" };

// OpenTelemetry semantic conventions 1.45, messaging spans, error and HTTP. Their package is a tenth of a second of start.
const ERROR_TYPE = "error.type";
const STATUS_CODE = "http.response.status_code";

/** What the conventions say of an operation on a message. */
function operation(name: string, type: string, message: { system: string; destination: string; id: string }) {
  return {
    "messaging.operation.name": name,
    "messaging.operation.type": type,
    "messaging.system": message.system,
    "messaging.destination.name": message.destination,
    "messaging.message.id": message.id,
  };
}

function under(parent: string | null) {
  const found = fromTraceparent(parent);
  return found === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, found);
}

/** Begins the spans of events on their way to the engine, each in the trace of the request that staged it. */
export function startPublishing(rows: readonly OutboxRow[]): Span[] {
  if (!isTracing()) return [];
  return rows
    .filter((row) => row.trace !== null)
    .map((row) => {
      const message = { system: "inngest", destination: row.eventName, id: row.eventId };
      const attributes = operation("publish", "send", message);
      return tracer().startSpan(
        `publish ${row.eventName}`,
        { kind: SpanKind.PRODUCER, attributes },
        under(row.trace),
      );
    });
}

/** Ends them. */
export function endPublishing(spans: readonly Span[], taken: boolean): void {
  for (const span of spans) {
    if (!taken) span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute(ERROR_TYPE, "refused");
    span.end();
  }
}

/**
 * Tells the spans of these calls once they are settled: the wait before the first one, each admission, and below it the
 * call at the provider. Read back from the ledger in one statement, so that the way to a send carries nothing for them.
 * A delivery that no request made directly (a series' next, a follower's update) gets a trace of its own here, linked to
 * what caused it, and keeps it. Never throws: a trace is no reason to fail. The call of a process that died has no span.
 */
export async function traceCalls(attemptIds: readonly string[]): Promise<void> {
  if (!isTracing() || attemptIds.length === 0) return;
  try {
    const begun = new Map<string, string>();
    for (const call of await readTracedCalls(attemptIds)) {
      const known = call.trace ?? begun.get(call.deliveryId) ?? null;
      const parent = traceCall(call, known);
      if (known === null) begun.set(call.deliveryId, parent);
    }
    await storeTraces([...begun].map(([deliveryId, stored]) => ({ deliveryId, trace: stored })));
  } catch (error) {
    log.warn("spans of settled calls are missing", { error });
  }
}

/** The spans of one call below `parent`, or below a root of their own; the span that stands for the delivery. */
function traceCall(call: TracedCall, parent: string | null): string {
  const message = { system: "punctual", destination: call.partition, id: call.reference };
  const of = {
    "punctual.channel": call.channel,
    "punctual.lane": call.lane,
    "punctual.attempt": call.number,
  };
  let above = parent;
  if (parent === null || call.number === 1) {
    const cause = fromTraceparent(call.causedBy);
    const links: Link[] = cause === null ? [] : [{ context: cause }];
    const wait = tracer().startSpan(
      "wait until due",
      {
        startTime: call.askedAtMs,
        kind: SpanKind.INTERNAL,
        links,
        attributes: { ...operation("create", "create", message), ...of },
      },
      under(parent),
    );
    wait.end(Math.max(call.askedAtMs, call.dueAtMs));
    above ??= toTraceparent(wait.spanContext());
  }
  const admitted = tracer().startSpan(
    `admit ${call.partition}`,
    {
      startTime: call.eligibleAtMs,
      kind: SpanKind.CLIENT,
      attributes: { ...operation("admit", "receive", message), ...of },
    },
    under(above),
  );
  if (call.admittedAtMs !== null && call.admittedAtMs >= call.eligibleAtMs)
    admitted.addEvent("admitted", call.admittedAtMs);
  const send = tracer().startSpan(
    `send ${call.partition}`,
    {
      startTime: call.slotAtMs,
      kind: SpanKind.CLIENT,
      attributes: {
        ...operation("send", "send", { ...message, system: SYSTEM[call.channel] }),
        ...of,
        "punctual.outcome": call.class,
        ...(call.status === null ? {} : { [STATUS_CODE]: call.status }),
      },
    },
    trace.setSpanContext(ROOT_CONTEXT, admitted.spanContext()),
  );
  if (call.class !== "accepted")
    send.setStatus({ code: SpanStatusCode.ERROR }).setAttribute(ERROR_TYPE, call.class);
  send.end(call.slotAtMs + call.callMs);
  admitted.end(Math.max(call.eligibleAtMs, call.slotAtMs));
  return above ?? toTraceparent(admitted.spanContext());
}
