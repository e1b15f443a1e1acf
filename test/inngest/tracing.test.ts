import { context, ROOT_CONTEXT, SpanStatusCode, trace } from "@opentelemetry/api";
import {
  InMemorySpanExporter,
  SimpleSpanProcessor,
  StackContextManager,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { Outcome } from "../../db/rules/outcome";
import { currentTrace, noteTracing } from "../../db/trace";
import { startPublishing, traceCalls } from "../../inngest/tracing";
import { testClock } from "../support/database";
import { type DeliveryRow, emptyLedger, makeDelivery } from "../support/factories";
import { ACCEPTED, admitRows, begin, readDelivery, settle } from "../support/ledger";

const exporter = new InMemorySpanExporter();
const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });

beforeAll(() => {
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(new StackContextManager().enable());
});
afterAll(() => provider.shutdown());
beforeEach(async () => {
  await emptyLedger();
  exporter.reset();
  noteTracing(true);
});
afterEach(() => noteTracing(false));

/** Begins and settles the next call of a row; its attempt's id. */
async function call(row: DeliveryRow, outcome: Outcome = ACCEPTED): Promise<string> {
  const { nextEligibleAt } = await readDelivery(row.id);
  if (nextEligibleAt !== null) await testClock.set(nextEligibleAt.getTime());
  await admitRows([row.id]);
  const claimed = await begin(row);
  await settle(claimed, outcome);
  return claimed.attemptId;
}

const spans = () => exporter.getFinishedSpans();
const named = (start: string) => spans().filter((span) => span.name.startsWith(start));

/** What runs inside of a request whose span is sampled. */
function inRequest<T>(work: () => T): { value: T; traceId: string } {
  const span = trace.getTracer("test").startSpan("POST /api/v1/reminders", {}, ROOT_CONTEXT);
  const value = context.with(trace.setSpan(ROOT_CONTEXT, span), work);
  span.end();
  return { value, traceId: span.spanContext().traceId };
}

test("without an exporter nothing is read, stored or told", async () => {
  noteTracing(false);
  expect(inRequest(currentTrace).value).toBeNull();
  const row = await makeDelivery();
  await traceCalls([await call(row)]);
  expect((await readDelivery(row.id)).trace).toBeNull();
  expect(startPublishing([])).toEqual([]);
  expect(spans().filter((span) => span.name !== "POST /api/v1/reminders")).toEqual([]);
});

test("all calls of a delivery stand in the trace of its request, with what was refused as an error", async () => {
  const { value, traceId } = inRequest(currentTrace);
  const row = await makeDelivery({ trace: value });
  const ids = [await call(row, { class: "transient" }), await call(row)];
  await traceCalls(ids);
  expect(named("wait")).toHaveLength(1);
  expect(new Set(spans().map((span) => span.spanContext().traceId))).toEqual(new Set([traceId]));
  const [failed, sent] = named("send");
  expect(failed?.status.code).toBe(SpanStatusCode.ERROR);
  expect(failed?.attributes).toMatchObject({ "error.type": "transient", "punctual.attempt": 1 });
  expect(sent?.attributes).toMatchObject({
    "messaging.operation.type": "send",
    "messaging.message.id": row.reference,
    "punctual.outcome": "accepted",
    "punctual.attempt": 2,
  });
  const admissions = named("admit").map((span) => span.spanContext().spanId);
  expect([failed, sent].map((span) => span?.parentSpanContext?.spanId)).toEqual(admissions);
});

test("a delivery that no request made gets a trace of its own, and its later calls continue it", async () => {
  const row = await makeDelivery();
  await traceCalls([await call(row, { class: "transient" })]);
  await traceCalls([await call(row)]);
  expect(named("send")).toHaveLength(2);
  expect(new Set(spans().map((span) => span.spanContext().traceId)).size).toBe(1);
  const [wait] = named("wait");
  expect((await readDelivery(row.id)).trace).toContain(wait?.spanContext().spanId);
});
