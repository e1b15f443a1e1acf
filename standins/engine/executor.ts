import { dropsResponse } from "./faults";
import { wireEvent } from "./intake";
import type { CallRecord, Context, QueueItem } from "./model";
import { isLive } from "./model";
import { applyAnswer } from "./ops";
import { type Answer, asError, readAnswer } from "./response";
import { canonicalJson, signBody } from "./signature";

/** Above this the app fetches event and steps itself (MaxSDKRequestBodySize). */
const LARGEST_BODY_BYTES = 4 * 1024 * 1024 - 1024;

/** Steps a run may finish (DefaultMaxStepLimit); one more call fails it. */
const MOST_STEPS = 1000;

/** Calls listed on a run's page. */
const CALLS_KEPT = 200;

/**
 * Calls the app for one queue item and applies its answer.
 *
 * 1. The run counts as started, the item's concurrency slots are taken. 2. The app works. 3. The answer is applied.
 * A call that is lost after 2 (timeout, connection, dropped answer) counts as failed: the item runs again, and so does
 * whatever the app did. An answer that comes after the run ended changes nothing.
 */
export function execute(context: Context, item: QueueItem, slots: string[]): void {
  const { run } = item;
  const nowMs = context.clock.nowMs();
  if (run.memory.size >= MOST_STEPS) {
    const message = `The function run exceeded the step limit of ${MOST_STEPS} steps.`;
    context.endRun(run, { status: "failed", error: { name: "InngestErrFunctionOverflowed", message } });
    return;
  }
  if (run.startedAtMs === null) begin(context, item, nowMs);
  const record: CallRecord = {
    stepId: item.stepId,
    attempt: item.attempt,
    startedAtMs: nowMs,
    endedAtMs: null,
    outcome: "in flight",
  };
  run.calls.push(record);
  if (run.calls.length > CALLS_KEPT) run.calls.shift();
  run.callsInFlight += 1;
  context.busy += 1;
  for (const slot of slots) context.slots.set(slot, (context.slots.get(slot) ?? 0) + 1);

  const { epoch } = context;
  void callApp(context, item).then((answer) => {
    context.busy -= 1;
    run.callsInFlight -= 1;
    if (context.epoch === epoch) {
      for (const slot of slots) freeSlot(context, slot);
      record.endedAtMs = context.clock.nowMs();
      record.outcome = describe(answer);
      if (isLive(run)) applyAnswer(context, item, answer, record);
    }
    context.lookForWork();
  });
}

function begin(context: Context, item: QueueItem, nowMs: number): void {
  const { run } = item;
  run.startedAtMs = nowMs;
  run.status = "running";
  const { finishMs } = run.fn.timeouts;
  if (finishMs === null) return;
  run.appointments.add(
    context.agenda.at(nowMs + finishMs, () => context.endRun(run, { status: "cancelled" })),
  );
}

/** Sends the request and reads the answer; every way it can go wrong is an answer too. */
async function callApp(context: Context, item: QueueItem): Promise<Answer> {
  const { run } = item;
  const url = new URL(run.fn.url);
  url.searchParams.set("stepId", item.stepId ?? "step");
  const body = requestBody(context, item);
  const controller = new AbortController();
  const timeout = deadline(context, controller);
  try {
    const init: RequestInit = {
      method: "POST",
      headers: requestHeaders(context, item, url, body),
      body,
      signal: controller.signal,
    };
    const sent = context.call(url.href, init).then(async (response) => {
      const text = await response.text();
      return { status: response.status, headers: response.headers, text };
    });
    const { status, headers, text } = await Promise.race([sent, timeout.passed]);
    const call = { runId: run.id, functionId: run.fn.id, stepId: item.stepId, attempt: item.attempt };
    if (dropsResponse(context.faults, call))
      throw new Error("The connection ended before the answer arrived.");
    return readAnswer(status, headers, text, context.clock.nowMs());
  } catch (error) {
    const { name, message, ...rest } = asError(error);
    const failure = { ...rest, name, message: `Unable to reach the app at ${url.host}: ${message}` };
    return { kind: "error", error: failure, noRetry: false, retryAtMs: null };
  } finally {
    timeout.cancel();
  }
}

/** On the clock itself: a call has a deadline even when the engine has meanwhile forgotten everything. */
function deadline(context: Context, controller: AbortController): { passed: Promise<never>; cancel(): void } {
  let cancel = () => {};
  const passed = new Promise<never>((_, reject) => {
    const atMs = context.clock.nowMs() + context.requestTimeoutMs;
    const timer = context.clock.setTimer(atMs, () => {
      controller.abort();
      reject(new Error(`no answer within ${context.requestTimeoutMs} ms`));
    });
    cancel = () => timer.cancel();
  });
  passed.catch(() => {});
  return { passed, cancel };
}

function requestHeaders(context: Context, item: QueueItem, url: URL, body: string): Record<string, string> {
  return {
    host: url.host,
    "content-type": "application/json",
    "x-inngest-server-kind": context.signingKey ? "cloud" : "dev",
    "x-run-id": item.run.id,
    "x-request-id": `${item.id}-${item.attempt}`,
    "x-inngest-job-id": item.id,
    "x-inngest-generation-id": String(item.attempt + 1),
    "x-inngest-req-version": String(item.run.requestVersion),
    "x-inngest-step-id": item.stepId ?? "step",
    ...(context.signingKey
      ? { "x-inngest-signature": signBody(body, context.signingKey, context.clock.nowMs()) }
      : {}),
  };
}

/** `ctx.fn_id` is left out: with it the SDK would write checkpoints, which this engine does not take. */
function requestBody(context: Context, item: QueueItem): string {
  const { run } = item;
  const event = wireEvent(run.event);
  const request = {
    version: run.requestVersion,
    use_api: false,
    event,
    events: [event],
    defers: {},
    steps: Object.fromEntries(run.memory),
    ctx: {
      run_id: run.id,
      attempt: item.attempt,
      max_attempts: run.fn.retries + 1,
      job_id: item.id,
      qi_id: item.id,
      request_id: `${item.id}-${item.attempt}`,
      generation_id: item.attempt + 1,
      env: "",
      step_id: item.stepId ?? "step",
      disable_immediate_execution: run.planOnly,
      use_api: false,
      stack: { stack: run.stack, current: item.fromStepId ? run.stack.indexOf(item.fromStepId) + 1 : 0 },
    },
  };
  const write = context.signingKey ? canonicalJson : JSON.stringify;
  const body = write(request);
  if (Buffer.byteLength(body) <= LARGEST_BODY_BYTES) return body;
  return write({ ...request, use_api: true, events: [], steps: {}, ctx: { ...request.ctx, use_api: true } });
}

function freeSlot(context: Context, slot: string): void {
  const left = (context.slots.get(slot) ?? 1) - 1;
  if (left > 0) context.slots.set(slot, left);
  else context.slots.delete(slot);
}

function describe(answer: Answer): string {
  switch (answer.kind) {
    case "ops":
      return (
        answer.ops.map((op) => `${op.op} ${op.displayName ?? op.name ?? ""}`.trim()).join(", ") ||
        "nothing new"
      );
    case "result":
      return "finished";
    case "error":
      return `${answer.error.name}: ${answer.error.message}`;
  }
}
