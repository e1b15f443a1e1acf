import type { Context, ErrorShape, Run, Wait } from "./model";
import { isLive } from "./model";
import { remembers, stepEnded } from "./progress";

/** Lets a step wait for an event until `expiresAtMs`; then it goes on with null. */
export function waitForEvent(
  context: Context,
  wait: Omit<Wait, "appointment" | "createdAtMs">,
  expiresAtMs: number,
): void {
  const kept = keep(context, wait);
  kept.appointment = context.agenda.at(expiresAtMs, () => resumeWait(context, kept, null));
}

/** Lets a step wait for the run it invoked; after `expiresAtMs` it fails. */
export function waitForInvoked(
  context: Context,
  run: Run,
  stepId: string,
  raceMode: boolean,
  expiresAtMs: number,
): void {
  const kept = keep(context, { run, stepId, eventName: null, expression: null, raceMode });
  kept.appointment = context.agenda.at(expiresAtMs, () => {
    const message = "Timed out waiting for invoked function to complete";
    resumeWait(context, kept, { error: { name: "InngestInvokeTimeoutError", message } });
  });
}

/** Ends a wait with what its step is to remember. A wait that is over already stays as it is. */
export function resumeWait(context: Context, wait: Wait, memory: unknown): void {
  if (!drop(context, wait) || !isLive(wait.run) || wait.run.memory.has(wait.stepId)) return;
  const error = (memory as { error?: ErrorShape } | null)?.error;
  remembers(
    context,
    wait.run,
    wait.stepId,
    memory,
    wait.eventName === null && error ? { error } : { output: memory },
  );
  stepEnded(context, wait.run, wait.stepId, wait.raceMode);
}

/** Tells the run that invoked this one how it ended. */
export function answerInvoker(context: Context, run: Run): void {
  const invoker = run.invokedBy;
  if (!invoker) return;
  const wait = [...invoker.run.waits].find((open) => open.stepId === invoker.stepId);
  if (!wait) return;
  const error = run.error ?? { name: "Error", message: `The invoked function was ${run.status}.` };
  resumeWait(context, wait, run.status === "completed" ? { data: run.output ?? null } : { error });
}

/** Forgets everything a run waits for. */
export function dropWaits(context: Context, run: Run): void {
  for (const wait of [...run.waits]) drop(context, wait);
}

function keep(context: Context, wait: Omit<Wait, "appointment" | "createdAtMs">): Wait {
  const kept: Wait = { ...wait, createdAtMs: context.clock.nowMs(), appointment: null };
  wait.run.waits.add(kept);
  if (wait.eventName !== null) {
    const waits = context.waits.get(wait.eventName) ?? new Set<Wait>();
    context.waits.set(wait.eventName, waits.add(kept));
  }
  return kept;
}

function drop(context: Context, wait: Wait): boolean {
  if (!wait.run.waits.delete(wait)) return false;
  context.agenda.cancel(wait.appointment);
  if (wait.eventName !== null) context.waits.get(wait.eventName)?.delete(wait);
  return true;
}
