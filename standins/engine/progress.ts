import type { Context, ErrorShape, Run, StepRecord } from "./model";

/** What a step leaves behind for the run's next call, and for the page. */
export function remembers(
  context: Context,
  run: Run,
  stepId: string,
  memory: unknown,
  end: { output?: unknown; error?: ErrorShape },
): void {
  run.memory.set(stepId, memory);
  run.stack.push(stepId);
  const record = run.steps.get(stepId);
  if (!record) return;
  record.status = end.error ? "failed" : "completed";
  record.endedAtMs = context.clock.nowMs();
  record.wakeAtMs = null;
  if (end.error) record.error = end.error;
  else {
    record.output = end.output;
    delete record.error;
  }
}

/**
 * A finished step leads to one call that asks what comes next, but steps planned together wait for the last of them
 * (unless the app races them).
 */
export function stepEnded(context: Context, run: Run, stepId: string, raceMode: boolean): void {
  run.pending.delete(stepId);
  if (run.pending.size > 0 && !raceMode) return;
  // The SDK may execute a lone step in the call that finds it again.
  if (run.requestVersion >= 2) run.planOnly = false;
  context.enqueue({
    run,
    kind: "edge",
    stepId: null,
    fromStepId: stepId,
    raceMode: false,
    attempt: 0,
    atMs: context.clock.nowMs() + context.queueDelayMs,
  });
}

/** The record of a step, made when it is first heard of. */
export function recordStep(
  run: Run,
  step: Pick<StepRecord, "id" | "name" | "op" | "status">,
  nowMs: number,
): StepRecord {
  const known = run.steps.get(step.id);
  if (known) {
    known.status = step.status;
    return known;
  }
  const record: StepRecord = { ...step, attempts: 0, startedAtMs: nowMs, endedAtMs: null, wakeAtMs: null };
  run.steps.set(step.id, record);
  return record;
}
