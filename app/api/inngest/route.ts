import { serve } from "inngest/next";
import { after, NextRequest } from "next/server";
import { functions, inngest } from "../../../inngest";
import { log } from "../../../inngest/log";
import { sweep } from "../../../inngest/sweep";
import { readText } from "../v1/body";

/** Longest request of one step: a parcel with its waits. At least 60 s (DESIGN: limits). */
export const maxDuration = 300;

/** A step's request carries its run's state; the engine keeps that under four megabytes (inngest.com/docs/usage-limits). */
const BODY_BYTES_MAX = 5 * 1024 * 1024;

/**
 * Where the engine is told to call us: a setting, and never the `Host` of whoever asks for a registration, which needs no
 * signature. Otherwise a stranger could have our functions registered at an address of theirs, and be sent every event.
 */
const serveOrigin = process.env.INNGEST_SERVE_ORIGIN ?? process.env.APP_URL;

const handler = serve({ client: inngest, functions, ...(serveOrigin === undefined ? {} : { serveOrigin }) });

export const { GET } = handler;

/** Runs a step, if the engine has signed the request. */
export const POST: typeof handler.POST = async (request, context) => {
  const bounded = await boundedRequest(request);
  return bounded instanceof Response ? bounded : handler.POST(bounded, context);
};

/**
 * Registers the functions. An engine that says "modified" did not know us as we are: it may have forgotten every run and
 * has had no crons, so the ledger is swept and every pump rung anew.
 */
export const PUT: typeof handler.PUT = async (request, context) => {
  const bounded = await boundedRequest(request);
  if (bounded instanceof Response) return bounded;
  const response = await handler.PUT(bounded, context);
  const body = (await response
    .clone()
    .json()
    .catch(() => null)) as { modified?: unknown } | null;
  if (body?.modified === true) {
    after(() => sweep("sync").catch((error: unknown) => log.error("sweep failed", { error })));
  }
  return response;
};

/**
 * The request, if its body is none, or JSON of no more than an engine sends. A signature covers the body, so it is read
 * before anybody knows who sends it. The usual one, JSON of a known length, is handed on as it is.
 */
async function boundedRequest(request: NextRequest): Promise<NextRequest | Response> {
  const length = Number(request.headers.get("content-length") ?? Number.NaN);
  const signed = request.headers.has("x-inngest-signature");
  if (signed && length <= BODY_BYTES_MAX) return request;
  const body = await readText(request, BODY_BYTES_MAX);
  if (!body.ok) return new Response("No engine sends as much as this.\n", { status: 413 });
  if (!isJson(body.value)) return new Response("An engine sends JSON.\n", { status: 400 });
  const { url, method, headers } = request;
  return new NextRequest(url, { method, headers, ...(body.value === "" ? {} : { body: body.value }) });
}

function isJson(text: string): boolean {
  try {
    return text === "" || JSON.parse(text) !== undefined;
  } catch {
    return false;
  }
}
