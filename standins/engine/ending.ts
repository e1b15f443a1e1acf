import { wireEvent } from "./intake";
import type { Context, EngineEvent, ErrorShape, Run, RunStatus } from "./model";
import { isLive } from "./model";
import { answerInvoker, dropWaits } from "./waits";

/** Runs triggered by these report no further ends, so that a failure handler that fails does not call itself. */
const ENDS_UNREPORTED = new Set(["inngest/function.failed", "inngest/function.finished"]);

const REPORTED_STATUS: Partial<Record<RunStatus, string>> = {
  completed: "Completed",
  failed: "Failed",
  cancelled: "Cancelled",
};

/**
 * Ends a run once: everything it still had planned goes, who invoked it hears of it, and `inngest/function.finished`
 * plus `.failed` or `.cancelled` go out (the latter two with the run's id as event id). A call in flight is not
 * interrupted; its answer finds the run ended.
 */
export function endRun(
  context: Context,
  removeItems: (run: Run) => void,
  run: Run,
  end: { status: RunStatus; output?: unknown; error?: ErrorShape },
): void {
  if (!isLive(run)) return;
  run.status = end.status;
  run.endedAtMs = context.clock.nowMs();
  if (end.status === "completed") run.output = end.output;
  if (end.error) run.error = end.error;
  removeItems(run);
  dropWaits(context, run);
  for (const appointment of run.appointments) context.agenda.cancel(appointment);
  run.appointments.clear();
  for (const rule of run.fn.cancel) context.cancellable.get(rule.event)?.delete(run);
  if (run.singletonKey !== null && context.singletons.get(run.singletonKey) === run) {
    context.singletons.delete(run.singletonKey);
  }
  for (const step of run.steps.values()) {
    if (step.endedAtMs !== null && step.status !== "retrying") continue;
    if (step.status === "completed" || step.status === "failed") continue;
    step.status = "cancelled";
    step.endedAtMs = run.endedAtMs;
    step.wakeAtMs = null;
  }
  run.memory.clear();
  report(context, run);
  answerInvoker(context, run);
  keepHistory(context, run);
}

function report(context: Context, run: Run): void {
  const status = REPORTED_STATUS[run.status];
  if (!status || ENDS_UNREPORTED.has(run.event.name)) return;
  const event = wireEvent(run.event);
  const data: Record<string, unknown> = {
    function_id: run.fn.id,
    run_id: run.id,
    event,
    events: [event],
    ...(run.error ? { error: run.error } : {}),
    ...(run.status === "completed" ? { result: run.output ?? null } : {}),
    ...(run.invokedBy ? { correlation_id: `${run.invokedBy.run.id}.${run.invokedBy.stepId}` } : {}),
    _inngest: { status },
  };
  const nowMs = context.clock.nowMs();
  const emit = (name: string, id: string) => {
    // Nobody listens to most ends: they are not worth keeping.
    if (!isHeard(context, name)) return;
    const report: EngineEvent = {
      internalId: context.newId(),
      id,
      name,
      data,
      ts: nowMs,
      receivedAtMs: nowMs,
    };
    context.emit(report);
  };
  emit("inngest/function.finished", `${run.id}.finished`);
  if (run.status === "failed") emit("inngest/function.failed", run.id);
  if (run.status === "cancelled") emit("inngest/function.cancelled", run.id);
}

function isHeard(context: Context, name: string): boolean {
  if (name !== "inngest/function.finished") return true;
  if (context.waits.get(name)?.size || context.cancellable.get(name)?.size) return true;
  return [...context.functions.values()].some((fn) => fn.triggers.some((trigger) => trigger.event === name));
}

/** Of ended runs only the latest are kept. */
function keepHistory(context: Context, run: Run): void {
  context.endedRunIds.push(run.id);
  while (context.endedRunIds.length > context.historyLimit) {
    context.runs.delete(context.endedRunIds.shift() as string);
  }
}
