import type { CallRecord, Context, ErrorShape, QueueItem, Run } from "./model";
import { isLive } from "./model";
import { recordStep, remembers, stepEnded } from "./progress";
import { type Answer, bytesOf, type Op } from "./response";
import { startInvoked } from "./start";
import { backoffMs, expiryMs, LONGEST_SLEEP_MS, sleepMs } from "./timing";
import { waitForEvent, waitForInvoked } from "./waits";

/** An invoked run is waited for this long unless the step says otherwise (the engine's one year). */
const INVOKE_WAIT_MS = 365 * 86_400_000;

/** What the steps of a run may answer together (DefaultMaxStateSizeLimit); more fails it. */
const LARGEST_STATE_BYTES = 32 * 1024 * 1024;

type OpsAnswer = Extract<Answer, { kind: "ops" }>;

/** Changes the run as an answer of the app asks for. The run is live. */
export function applyAnswer(context: Context, item: QueueItem, answer: Answer, call: CallRecord): void {
  switch (answer.kind) {
    case "result":
      context.endRun(item.run, { status: "completed", output: answer.output });
      return;
    case "error":
      failCall(context, item, answer);
      return;
    case "ops":
      applyOps(context, item, answer, call);
      return;
  }
}

/** Function errors, and calls that reached nobody: again with one attempt less, then the run fails. */
function failCall(context: Context, item: QueueItem, answer: Extract<Answer, { kind: "error" }>): void {
  const step = item.stepId ? item.run.steps.get(item.stepId) : undefined;
  if (step) {
    step.attempts += 1;
    step.error = answer.error;
  }
  if (answer.noRetry || !again(context, item, answer.retryAtMs)) {
    if (step) step.status = "failed";
    context.endRun(item.run, { status: "failed", error: answer.error });
  } else if (step) step.status = "retrying";
}

/** Puts the same call into the queue once more; false if its attempts are used up. */
function again(context: Context, item: QueueItem, retryAtMs: number | null): boolean {
  if (item.attempt >= item.run.fn.retries) return false;
  const atMs = retryAtMs ?? context.clock.nowMs() + backoffMs(item.attempt, context.random);
  const { id: _, appointment: __, ...fields } = item;
  context.enqueue({ ...fields, attempt: item.attempt + 1, atMs });
  return true;
}

function applyOps(context: Context, item: QueueItem, answer: OpsAnswer, call: CallRecord): void {
  const { run } = item;
  run.requestVersion = answer.requestVersion;
  const counted = answer.ops.filter(({ op }) => op !== "None" && op !== "RunComplete");
  if (answer.ops.every(({ op }) => op === "None")) {
    stepEnded(context, run, item.fromStepId ?? "", false);
    return;
  }
  if (counted.length > 1) {
    run.planOnly = true;
    const planned = counted.some(({ op }) => op === "StepPlanned");
    // Only the second execution version lets steps planned together wait for each other.
    if (planned && answer.requestVersion >= 2) {
      for (const { id } of counted) if (!run.memory.has(id)) run.pending.add(id);
    }
  }
  for (const op of answer.ops) {
    if (!isLive(run)) return;
    applyOp(context, item, op, answer, call);
  }
}

function applyOp(context: Context, item: QueueItem, op: Op, answer: OpsAnswer, call: CallRecord): void {
  const { run } = item;
  switch (op.op) {
    case "Step":
    case "StepRun":
      if (run.memory.has(op.id) || !fits(context, run, op)) return;
      attempted(run, op, call).status = "completed";
      remembers(context, run, op.id, { data: op.data ?? null }, { output: op.data ?? null });
      stepEnded(context, run, op.id, racing(op));
      return;
    case "StepError":
    case "StepFailed":
      failStep(context, item, op, answer, call);
      return;
    case "RunComplete":
      context.endRun(run, { status: "completed", output: op.data ?? null });
      return;
    case "DiscoveryRequest":
      stepEnded(context, run, op.id, true);
      return;
    case "None":
      return;
    case "StepPlanned":
    case "Sleep":
    case "WaitForEvent":
    case "InvokeFunction":
      if (run.opened.has(op.id) || run.memory.has(op.id)) return;
      run.opened.add(op.id);
      open(context, item, op);
      return;
    default:
      failRun(context, run, "UnsupportedOperation", `This engine does not know the operation "${op.op}".`);
  }
}

/** Counts what a step has answered; fails the run that keeps too much. */
function fits(context: Context, run: Run, op: Op): boolean {
  run.stateBytes += bytesOf(op.data);
  if (run.stateBytes <= LARGEST_STATE_BYTES) return true;
  const message = `The function run exceeded the state size limit of ${LARGEST_STATE_BYTES} bytes.`;
  failRun(context, run, "InngestErrStateOverflowed", message);
  return false;
}

function failStep(context: Context, item: QueueItem, op: Op, answer: OpsAnswer, call: CallRecord): void {
  const { run } = item;
  const error: ErrorShape = op.error ?? { name: "Error", message: "Step execution error" };
  const record = attempted(run, op, call);
  record.error = error;
  if (op.op === "StepError" && !answer.noRetry && again(context, item, answer.retryAtMs)) {
    record.status = "retrying";
    return;
  }
  if (run.memory.has(op.id)) return;
  remembers(context, run, op.id, { error }, { error });
  stepEnded(context, run, op.id, item.raceMode || racing(op));
}

function open(context: Context, item: QueueItem, op: Op): void {
  switch (op.op) {
    case "StepPlanned":
      recordStep(item.run, { ...named(op), status: "planned" }, context.clock.nowMs());
      context.enqueue({
        run: item.run,
        kind: "edge",
        stepId: op.id,
        fromStepId: item.fromStepId,
        raceMode: racing(op),
        attempt: 0,
        atMs: context.clock.nowMs() + context.queueDelayMs,
      });
      return;
    case "Sleep":
      openSleep(context, item, op);
      return;
    case "WaitForEvent":
      openWait(context, item, op);
      return;
    case "InvokeFunction":
      openInvoke(context, item, op);
      return;
  }
}

function openSleep(context: Context, item: QueueItem, op: Op): void {
  const { run } = item;
  const nowMs = context.clock.nowMs();
  const asked = String(op.opts?.duration ?? op.name ?? "");
  const durationMs = sleepMs(asked, nowMs);
  if (durationMs === null) {
    failRun(context, run, "Error", `"${asked}" is neither a duration nor a date.`);
    return;
  }
  if (durationMs > LONGEST_SLEEP_MS) {
    const message = `The sleep "${asked}" ends more than one year in the future; sleeps may last at most one year.`;
    failRun(context, run, "InngestErrTimeoutTooLong", message);
    return;
  }
  const record = recordStep(run, { ...named(op), status: "sleeping" }, nowMs);
  record.wakeAtMs = nowMs + durationMs;
  context.enqueue({
    run,
    kind: "sleep",
    stepId: null,
    fromStepId: op.id,
    raceMode: racing(op),
    attempt: 0,
    atMs: nowMs + durationMs,
  });
}

function openWait(context: Context, item: QueueItem, op: Op): void {
  const { run } = item;
  const nowMs = context.clock.nowMs();
  const timeout = String(op.opts?.timeout ?? "");
  const expiresAtMs = expiryMs(timeout, nowMs);
  if (expiresAtMs === null) {
    failRun(context, run, "Error", `"${timeout}" is neither a duration nor a date.`);
    return;
  }
  const record = recordStep(run, { ...named(op), status: "waiting" }, nowMs);
  record.wakeAtMs = expiresAtMs;
  const expression = typeof op.opts?.if === "string" ? op.opts.if : null;
  const eventName = String(op.opts?.event ?? op.name);
  waitForEvent(context, { run, stepId: op.id, eventName, expression, raceMode: racing(op) }, expiresAtMs);
}

function openInvoke(context: Context, item: QueueItem, op: Op): void {
  const { run } = item;
  const nowMs = context.clock.nowMs();
  recordStep(run, { ...named(op), status: "invoking" }, nowMs);
  const functionId = String(op.opts?.function_id);
  const timeout = typeof op.opts?.timeout === "string" ? expiryMs(op.opts.timeout, nowMs) : null;
  const raceMode = racing(op);
  const fn = context.functions.get(functionId);
  if (!fn || fn.removed) {
    const error = { name: "Error", message: `could not find function with ID: ${functionId}` };
    remembers(context, run, op.id, { error }, { error });
    stepEnded(context, run, op.id, raceMode);
    return;
  }
  waitForInvoked(context, run, op.id, raceMode, timeout ?? nowMs + INVOKE_WAIT_MS);
  const payload = (op.opts?.payload ?? {}) as { data?: Record<string, unknown>; v?: string; meta?: unknown };
  startInvoked(context, fn, {
    data: payload.data ?? {},
    ...(payload.v ? { v: payload.v } : {}),
    invokedBy: { run, stepId: op.id, raceMode },
  });
}

function attempted(run: Run, op: Op, call: CallRecord) {
  const record = recordStep(run, { ...named(op), status: "planned" }, call.startedAtMs);
  record.attempts += 1;
  record.endedAtMs = call.endedAtMs;
  return record;
}

function named(op: Op): { id: string; name: string; op: string } {
  const type = typeof op.opts?.type === "string" ? op.opts.type.replace(/^step\./, "") : null;
  const kind = op.op === "StepError" || op.op === "StepFailed" || op.op === "StepPlanned" ? "StepRun" : op.op;
  return { id: op.id, name: op.displayName ?? op.name ?? op.id, op: type ?? kind };
}

function racing(op: Op): boolean {
  return op.opts?.parallelMode === "race";
}

function failRun(context: Context, run: Run, name: string, message: string): void {
  context.endRun(run, { status: "failed", error: { name, message } });
}
