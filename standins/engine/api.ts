import { json, missing } from "./answers";
import type { Engine } from "./core";
import { wireEvent } from "./intake";
import type { Context, EngineEvent, Run } from "./model";
import { isLive } from "./model";
import { startInvoked } from "./start";
import { type RunView, viewRun, viewStatus } from "./views";

/** Statuses as the engine's REST API spells them. */
const REST_STATUS: Record<Run["status"], string> = {
  queued: "Queued",
  running: "Running",
  completed: "Completed",
  failed: "Failed",
  cancelled: "Cancelled",
  skipped: "Skipped",
};

/** Runs in one answer of the JSON list. */
const LISTED_RUNS = 1000;

/**
 * The REST API of the engine (`/v0`, `/v1`, `/api/v2`) as far as the SDK and this project use it, and the JSON beside
 * the pages (`/api/runs…`). Null if the path belongs to none of them.
 */
export async function answerApi(
  context: Context,
  engine: Engine,
  request: Request,
  url: URL,
): Promise<Response | null> {
  const route = `${request.method} ${url.pathname}`;
  const events = /^GET \/v1\/events\/([^/]+)(\/runs)?$/.exec(route);
  if (events)
    return events[2] ? runsOfEvent(context, events[1] as string) : oneEvent(context, events[1] as string);
  const run = /^(GET|DELETE) \/v[01]\/runs\/([^/]+)(?:\/(actions|batch|jobs))?$/.exec(route);
  if (run) return runRoute(context, engine, run[1] as string, run[2] as string, run[3] ?? null);
  const rerun = /^POST \/api(?:\/v2)?\/runs\/([^/]+)\/rerun$/.exec(route);
  if (rerun) return rerunRoute(engine, rerun[1] as string);
  const invoked = /^POST \/invoke\/([^/]+)$/.exec(route);
  if (invoked) return invokeRoute(context, decodeURIComponent(invoked[1] as string), await request.text());
  if (route === "GET /api/runs.json") return json(listRuns(context, url));
  const view = /^GET \/api\/runs\/([^/]+)\.json$/.exec(route);
  if (view) {
    const found = context.runs.get(view[1] as string);
    return found ? json(viewRun(context, found)) : missing("run");
  }
  return null;
}

/** Runs of the filter in the URL (`function`, `status`), newest first. */
export function listRuns(context: Context, url: URL, most = LISTED_RUNS): RunView[] {
  const functionId = url.searchParams.get("function") ?? "";
  const status = url.searchParams.get("status") ?? "";
  const listed: RunView[] = [];
  for (const run of [...context.runs.values()].reverse()) {
    if (listed.length >= most) break;
    if (functionId !== "" && run.fn.id !== functionId) continue;
    if (status !== "" && viewStatus(context, run) !== status) continue;
    listed.push(viewRun(context, run));
  }
  return listed;
}

function oneEvent(context: Context, id: string): Response {
  const event = findEvent(context, id);
  if (!event) return missing("event");
  const received = new Date(event.receivedAtMs).toISOString();
  return json({ data: { ...wireEvent(event), internal_id: event.internalId, received_at: received } });
}

function runsOfEvent(context: Context, id: string): Response {
  const event = findEvent(context, id);
  const runs = [...context.runs.values()].filter((run) => run.event === event || run.event.internalId === id);
  return json({ data: runs.map(restRun) });
}

function findEvent(context: Context, id: string): EngineEvent | undefined {
  return context.events.find((event) => event.internalId === id);
}

function runRoute(
  context: Context,
  engine: Engine,
  method: string,
  id: string,
  part: string | null,
): Response {
  const run = context.runs.get(id);
  if (!run) return missing("run");
  if (method === "DELETE") {
    engine.cancel(id);
    return new Response(null, { status: 204 });
  }
  switch (part) {
    case "actions":
      return json(Object.fromEntries(run.memory));
    case "batch":
      return json([wireEvent(run.event)]);
    case "jobs":
      return json(jobsOf(run));
    default:
      return json({ data: restRun(run) });
  }
}

function jobsOf(run: Run): unknown[] {
  return [...run.items].map((item) => ({
    id: item.id,
    run_id: run.id,
    kind: item.kind,
    attempt: item.attempt,
    at: new Date(item.atMs).toISOString(),
  }));
}

function restRun(run: Run): Record<string, unknown> {
  return {
    run_id: run.id,
    function_id: run.fn.id,
    event_id: run.event.internalId,
    status: REST_STATUS[run.status],
    run_started_at: new Date(run.startedAtMs ?? run.createdAtMs).toISOString(),
    ended_at: run.endedAtMs === null ? null : new Date(run.endedAtMs).toISOString(),
    output: isLive(run) ? null : (run.error ?? run.output ?? null),
  };
}

function rerunRoute(engine: Engine, id: string): Response {
  const runId = engine.rerun(id);
  return runId === null ? missing("run") : json({ runId, data: { runId } });
}

/** Starts one function, whatever its triggers; like the engine it answers with the id of the event that stands for it. */
function invokeRoute(context: Context, functionId: string, body: string): Response {
  const fn = context.functions.get(functionId);
  if (!fn || fn.removed) return missing("function");
  const { data } = JSON.parse(body || "{}") as { data?: Record<string, unknown> };
  return json({ id: startInvoked(context, fn, { data: data ?? {} }).internalId, status: 200 });
}
