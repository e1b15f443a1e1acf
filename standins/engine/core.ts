import { createAgenda } from "./agenda";
import { endRun } from "./ending";
import { execute } from "./executor";
import { type Faults, noFaults } from "./faults";
import { answerRequest } from "./http";
import { ulid } from "./ids";
import { acceptEvent } from "./intake";
import type { Context, EngineEvent, EngineOptions } from "./model";
import { forgetEverything, rerun, sync } from "./operate";
import { createQueue } from "./queue";
import { type RunView, viewRun } from "./views";

/** A small engine that speaks the Inngest SDK's wire protocol. Development and tests only: all state is in memory. */
export type Engine = {
  /** Event API, registration, dev API, REST API, control and pages. */
  fetch(request: Request): Promise<Response>;
  /** Asks the app at this URL (its `/api/inngest`) to register its functions; true if it did. */
  sync(appUrl: string): Promise<boolean>;
  /** Runs in the order they were made, living and ended. */
  runs(): RunView[];
  /** Accepted events in the order of arrival, the engine's own included. */
  events(): EngineEvent[];
  /** Starts the run again from nothing under a new id; null if the run is not known. */
  rerun(runId: string): string | null;
  /** Ends a living run; false if there is none of this id. */
  cancel(runId: string): boolean;
  /** Loses runs, ids, limits, functions and crons, as an engine without storage does. Registering brings crons back. */
  forgetEverything(): void;
  /** Calls to the app in flight. */
  busyCount(): number;
  /** Resolves when no call to the app is in flight. */
  idle(): Promise<void>;
  faults: Faults;
};

/** What travels takes a few milliseconds, so that nothing happens in the same instant as its cause. */
const DEFAULT_QUEUE_DELAY_MS = 3;

/** Longer than any call the app makes to a provider (30 s), shorter than a developer's patience. */
const DEFAULT_REQUEST_TIMEOUT_MS = 60_000;

/** The dev server's number of queue workers. */
const DEFAULT_WORKERS = 100;

const DEFAULT_HISTORY = 5000;

/** Makes an engine. With a virtual clock nothing waits for real time, and ids and chance decide everything else. */
export function createEngine(options: EngineOptions): Engine {
  const { clock } = options;
  const random = options.random ?? Math.random;
  const agenda = createAgenda(clock, () => context.lookForWork());
  const context: Context = {
    clock,
    random,
    agenda,
    call: options.call,
    newId: options.newId ?? (() => ulid(clock.nowMs(), random)),
    queueDelayMs: options.queueDelayMs ?? DEFAULT_QUEUE_DELAY_MS,
    requestTimeoutMs: options.requestTimeoutMs ?? DEFAULT_REQUEST_TIMEOUT_MS,
    workers: options.workers ?? DEFAULT_WORKERS,
    signingKey: options.signingKey ?? null,
    historyLimit: options.historyLimit ?? DEFAULT_HISTORY,
    log: unlessRepeated(options.log ?? (() => {})),
    faults: noFaults(agenda),
    epoch: 0,
    functions: new Map(),
    cronTicks: new Map(),
    runs: new Map(),
    endedRunIds: [],
    events: [],
    seeds: new Map(),
    remembered: new Map(),
    throttles: new Map(),
    rateLimits: new Map(),
    slots: new Map(),
    singletons: new Map(),
    waits: new Map(),
    cancellable: new Map(),
    busy: 0,
    enqueue: (item) => queue.enqueue(item),
    emit: (event) => acceptEvent(context, event),
    endRun: (run, end) => endRun(context, queue.remove, run, end),
    lookForWork: () => {
      if (!agenda.isFrozen()) queue.lookForWork();
      if (context.busy === 0) for (const resolve of waiting.splice(0)) resolve();
    },
  };
  const queue = createQueue(context, (item, slots) => execute(context, item, slots));
  const waiting: (() => void)[] = [];

  const engine: Engine = {
    fetch: (request) => answerRequest(context, engine, request),
    sync: (appUrl) => sync(context, appUrl),
    runs: () => [...context.runs.values()].map((run) => viewRun(context, run)),
    events: () => [...context.events],
    rerun: (runId) => rerun(context, runId),
    cancel(runId) {
      const run = context.runs.get(runId);
      if (!run || run.endedAtMs !== null) return false;
      context.endRun(run, { status: "cancelled" });
      return true;
    },
    forgetEverything: () => forgetEverything(context, () => queue.clear()),
    busyCount: () => context.busy,
    idle: () => (context.busy === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
    faults: context.faults,
  };
  return engine;
}

/** An app is asked to register every few seconds: what it answers each time is worth one line. */
function unlessRepeated(log: (line: string) => void): (line: string) => void {
  let last = "";
  return (line) => {
    if (line !== last) log(line);
    last = line;
  };
}
