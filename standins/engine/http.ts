import { json, missing } from "./answers";
import { answerApi } from "./api";
import type { Engine } from "./core";
import { takeIn } from "./intake";
import type { Context } from "./model";
import { answerPage } from "./pages/routes";
import { RegistrationError, register } from "./registry";
import { bearerOf } from "./signature";

/** Version by which the dev API names itself. */
const VERSION = "punctual-standin";

/** The connection ended before the answer: what a sender sees whose post was accepted but not acknowledged. */
export class ConnectionLost extends TypeError {
  override name = "ConnectionLost";
}

/** Answers one request. @throws ConnectionLost where a fault loses the answer; over HTTP the socket is closed. */
export async function answerRequest(context: Context, engine: Engine, request: Request): Promise<Response> {
  const url = new URL(request.url);
  const [first = "", second = ""] = url.pathname.split("/").slice(1);
  if (context.agenda.isFrozen()) return json({ error: "the engine is suspended" }, 503);
  if (first === "e" && request.method === "POST") return receiveEvents(context, request);
  if (first === "fn" && second === "register" && request.method === "POST")
    return receiveFunctions(context, request);
  if (first === "health") return json({ status: 200, message: "OK" });
  if (first === "dev" && request.method === "GET")
    return context.signingKey ? missing("page") : describeDev(context);
  if (isForeign(request, url)) return json({ error: "Posts from other sites are refused." }, 403);
  if (first === "control") return control(context, engine, request, second);
  return (
    (await answerApi(context, engine, request, url)) ??
    (await answerPage(context, engine, request, url)) ??
    missing("page")
  );
}

async function receiveEvents(context: Context, request: Request): Promise<Response> {
  if (context.faults.refuseEvents) return json({ error: "the engine refuses events", status: 500 }, 500);
  let body: unknown;
  try {
    body = JSON.parse(await request.text());
  } catch {
    return json({ ids: [], status: 400, error: "the body is not JSON" }, 400);
  }
  const { ids, error } = takeIn(context, body, request.headers.get("x-inngest-event-id-seed"));
  if (context.faults.loseEventAcks > 0) {
    context.faults.loseEventAcks -= 1;
    throw new ConnectionLost("The connection ended before the answer.");
  }
  return error === null ? json({ ids, status: 200 }) : json({ ids, status: 400, error }, 400);
}

async function receiveFunctions(context: Context, request: Request): Promise<Response> {
  if (
    context.signingKey &&
    request.headers.get("authorization") !== `Bearer ${bearerOf(context.signingKey)}`
  ) {
    return json({ error: "The signing key does not match.", status: 401 }, 401);
  }
  try {
    const { appId, modified } = register(context, JSON.parse(await request.text()));
    if (modified) context.log(`${appId} registered ${context.functions.size} functions.`);
    return json({ ok: true, modified, sync_id: context.newId(), app_id: appId });
  } catch (error) {
    if (!(error instanceof RegistrationError) && !(error instanceof SyntaxError)) throw error;
    context.log(`A registration was refused. ${error.message}`);
    return json({ ok: false, error: error.message, status: 400 }, 400);
  }
}

function describeDev(context: Context): Response {
  const functions = [...context.functions.values()].map(({ id, name, url }) => ({ id, name, slug: id, url }));
  return json({
    version: VERSION,
    startOpts: {},
    functions,
    handlers: [],
    isSingleNodeService: true,
    features: {},
  });
}

async function control(context: Context, engine: Engine, request: Request, verb: string): Promise<Response> {
  if (verb === "forget" && request.method === "POST") {
    engine.forgetEverything();
    return json({ ok: true });
  }
  if (verb !== "" || request.method !== "PUT") return missing("page");
  const wish = JSON.parse((await request.text()) || "{}") as Record<string, unknown>;
  const { faults } = context;
  if (typeof wish.refuseEvents === "boolean") faults.refuseEvents = wish.refuseEvents;
  for (const count of ["dropResponses", "loseEventAcks", "duplicateEvents", "delayEventsMs"] as const) {
    const value = wish[count];
    if (typeof value === "number") faults[count] = value;
  }
  const { refuseEvents, dropResponses, loseEventAcks, duplicateEvents, delayEventsMs } = faults;
  return json({ refuseEvents, dropResponses, loseEventAcks, duplicateEvents, delayEventsMs });
}

/** A page of another site that a developer has open must not rerun or cancel anything here. */
function isForeign(request: Request, url: URL): boolean {
  const origin = request.headers.get("origin");
  if (request.method === "GET" || origin === null) return false;
  return origin === "null" || new URL(origin).host !== (request.headers.get("host") ?? url.host);
}
