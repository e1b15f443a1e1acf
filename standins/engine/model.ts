import type { Clock } from "../clock";
import type { Agenda, Appointment } from "./agenda";
import type { Faults } from "./faults";
import type { GcraStore } from "./limits";

/** An event as it is kept: what the sender wrote, and what the engine knows about its arrival. */
export type EngineEvent = {
  /** The engine's own id, answered to the sender. */
  internalId: string;
  /** The sender's id, or the engine's where the sender gave none. Remembered 24 h per function. */
  id: string;
  name: string;
  data: Record<string, unknown>;
  ts: number;
  v?: string;
  user?: Record<string, unknown>;
  meta?: Record<string, unknown>;
  receivedAtMs: number;
};

/** The part of a registered `concurrency` entry that is in force. */
export type ConcurrencyRule = { limit: number; key: string | null; scope: "fn" | "env" | "account" };

/** A registered `throttle`, `rateLimit` or `idempotency`, with the number of starts let through at once. */
export type RateRule = { limit: number; atOnce: number; periodMs: number; key: string | null };

/** One function as its app registered it. */
export type RegisteredFunction = {
  id: string;
  name: string;
  appId: string;
  url: string;
  /** Attempts are one more. */
  retries: number;
  /** No longer served by its app: starts nothing, but its living runs still call. */
  removed: boolean;
  triggers: { event: string; expression: string | null }[];
  crons: { cron: string; jitterMs: number }[];
  concurrency: ConcurrencyRule[];
  throttle: RateRule | null;
  rateLimit: RateRule | null;
  priority: string | null;
  singleton: { key: string | null; mode: "skip" | "cancel" } | null;
  timeouts: { startMs: number | null; finishMs: number | null };
  cancel: { event: string; expression: string | null; timeout: string | null }[];
};

/** An error as it travels: in step memory, in failure events and on the page. */
export type ErrorShape = { name: string; message: string; stack?: string; [field: string]: unknown };

export type RunStatus = "queued" | "running" | "completed" | "failed" | "cancelled" | "skipped";

export type StepStatus =
  | "planned"
  | "retrying"
  | "sleeping"
  | "waiting"
  | "invoking"
  | "completed"
  | "failed"
  | "cancelled";

/** What a step has been through. `attempts` counts the calls that tried to execute it. */
export type StepRecord = {
  id: string;
  name: string;
  op: string;
  status: StepStatus;
  attempts: number;
  startedAtMs: number;
  endedAtMs: number | null;
  wakeAtMs: number | null;
  output?: unknown;
  error?: ErrorShape;
};

/** One request to the app. */
export type CallRecord = {
  stepId: string | null;
  attempt: number;
  startedAtMs: number;
  endedAtMs: number | null;
  outcome: string;
};

/** One thing to do for a run: call the app now or, after a sleep, at `atMs`. */
export type QueueItem = {
  id: string;
  run: Run;
  kind: "start" | "edge" | "sleep";
  /** The planned step this call is for; null asks what comes next. */
  stepId: string | null;
  /** The step that led here; its place in the run's stack is the stack pointer. */
  fromStepId: string | null;
  raceMode: boolean;
  attempt: number;
  atMs: number;
  appointment: Appointment | null;
};

export type Run = {
  id: string;
  fn: RegisteredFunction;
  event: EngineEvent;
  status: RunStatus;
  createdAtMs: number;
  startedAtMs: number | null;
  endedAtMs: number | null;
  priorityMs: number;
  /** Evaluated key by rule identity (scope and expression), fixed when the run was made. */
  concurrencyKeys: Map<string, string>;
  throttleKeys: Map<string, string>;
  throttlePassedAtMs: number | null;
  singletonKey: string | null;
  requestVersion: number;
  /** What finished steps left, in the shape the SDK reads. */
  memory: Map<string, unknown>;
  /** Of what its steps have answered, as JSON. */
  stateBytes: number;
  stack: string[];
  /** Steps planned together that have not finished. */
  pending: Set<string>;
  /** Steps already planned, put to sleep, waited for or invoked. */
  opened: Set<string>;
  planOnly: boolean;
  callsInFlight: number;
  items: Set<QueueItem>;
  waits: Set<Wait>;
  appointments: Set<Appointment>;
  steps: Map<string, StepRecord>;
  calls: CallRecord[];
  output?: unknown;
  error?: ErrorShape;
  rerunOf: string | null;
  rerunAs: string | null;
  invokedBy: { run: Run; stepId: string; raceMode: boolean } | null;
};

/** A run waiting for an event, or for a run it invoked. */
export type Wait = {
  run: Run;
  stepId: string;
  eventName: string | null;
  expression: string | null;
  raceMode: boolean;
  createdAtMs: number;
  appointment: Appointment | null;
};

export type EngineOptions = {
  clock: Clock;
  /** How the app is reached: `fetch`, or the SDK's handler in this process. */
  call: (url: string, init: RequestInit) => Promise<Response>;
  /** Ids of runs, events and queue items. Default: ULIDs from clock and `random`. */
  newId?: () => string;
  /** In [0, 1). Jitter of backoff and cron. Default Math.random. */
  random?: () => number;
  /** What an event and a queue item take to travel. Default 3. */
  queueDelayMs?: number;
  /** After this the call counts as failed although the app may still be working. Default 60 000. */
  requestTimeoutMs?: number;
  /** Calls in flight at once over all functions. Default 100, as the dev server's queue workers. */
  workers?: number;
  /** Signs calls and checks registrations, as a self-hosted engine would. Default: dev mode. */
  signingKey?: string | null;
  /** Ended runs kept for the page. Default 5 000. */
  historyLimit?: number;
  log?: (line: string) => void;
};

/** The engine's whole state and the verbs its parts call on each other. */
export type Context = {
  clock: Clock;
  call: EngineOptions["call"];
  newId: () => string;
  random: () => number;
  queueDelayMs: number;
  requestTimeoutMs: number;
  workers: number;
  signingKey: string | null;
  historyLimit: number;
  log: (line: string) => void;
  agenda: Agenda;
  faults: Faults;
  /** Grows each time everything is forgotten, so that late answers of before find nothing to change. */
  epoch: number;
  functions: Map<string, RegisteredFunction>;
  cronTicks: Map<string, { fn: RegisteredFunction; cron: string; nextMs: number; appointment: Appointment }>;
  runs: Map<string, Run>;
  endedRunIds: string[];
  events: EngineEvent[];
  seeds: Map<string, string[]>;
  remembered: Map<string, { untilMs: number; runId: string }>;
  throttles: GcraStore;
  rateLimits: GcraStore;
  /** Calls in flight by concurrency key. */
  slots: Map<string, number>;
  singletons: Map<string, Run>;
  waits: Map<string, Set<Wait>>;
  cancellable: Map<string, Set<Run>>;
  busy: number;
  enqueue: (item: Omit<QueueItem, "id" | "appointment">) => void;
  /** Takes an event in as if it had been posted; it is acted on after the queue delay. */
  emit: (event: EngineEvent) => void;
  endRun: (run: Run, end: { status: RunStatus; output?: unknown; error?: ErrorShape }) => void;
  /** Looks through the queue for work that may go now. */
  lookForWork: () => void;
};

/** True while a run can still change. */
export function isLive(run: Run): boolean {
  return run.endedAtMs === null;
}
