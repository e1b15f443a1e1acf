import type { CallRecord, Context, EngineEvent, ErrorShape, Run, RunStatus, StepRecord } from "./model";

/** `waiting`: started, nothing in flight, and a wake-up or an event to come. */
export type ViewStatus = RunStatus | "waiting";

/** In the order of a run's life. */
export const VIEW_STATUSES: readonly ViewStatus[] = [
  "queued",
  "running",
  "waiting",
  "completed",
  "failed",
  "cancelled",
  "skipped",
];

/** A run as tests, the JSON API and the pages see it; a snapshot. Instants are epoch milliseconds. */
export type RunView = {
  id: string;
  functionId: string;
  status: ViewStatus;
  event: EngineEvent;
  createdAtMs: number;
  startedAtMs: number | null;
  endedAtMs: number | null;
  /** Of the call that is queued or in flight, else of the last one; from 0. */
  attempt: number;
  /** When the engine next acts on the run by itself. */
  nextWakeAtMs: number | null;
  output: unknown;
  error: ErrorShape | null;
  steps: StepRecord[];
  calls: CallRecord[];
  rerunOf: string | null;
  rerunAs: string | null;
};

/** The run as it stands at this moment. */
export function viewRun(context: Context, run: Run): RunView {
  return {
    id: run.id,
    functionId: run.fn.id,
    status: viewStatus(context, run),
    event: run.event,
    createdAtMs: run.createdAtMs,
    startedAtMs: run.startedAtMs,
    endedAtMs: run.endedAtMs,
    attempt: attemptOf(run),
    nextWakeAtMs: nextWakeAtMs(run),
    output: run.output ?? null,
    error: run.error ?? null,
    steps: [...run.steps.values()].map((step) => ({ ...step })),
    calls: run.calls.map((call) => ({ ...call })),
    rerunOf: run.rerunOf,
    rerunAs: run.rerunAs,
  };
}

/** The status as the pages show it. */
export function viewStatus(context: Context, run: Run): ViewStatus {
  if (run.status !== "running" || run.callsInFlight > 0) return run.status;
  const wakeAtMs = nextWakeAtMs(run);
  return wakeAtMs === null || wakeAtMs > context.clock.nowMs() ? "waiting" : "running";
}

function nextWakeAtMs(run: Run): number | null {
  const instants = [...run.items].map((item) => item.atMs);
  for (const wait of run.waits) if (wait.appointment) instants.push(wait.appointment.atMs);
  return instants.length > 0 ? Math.min(...instants) : null;
}

function attemptOf(run: Run): number {
  for (const item of run.items) return item.attempt;
  return run.calls.at(-1)?.attempt ?? 0;
}
