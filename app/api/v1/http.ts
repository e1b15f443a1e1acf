import { createHash } from "node:crypto";
import type { z } from "zod";
import { findApiKey, noteUse } from "../../../db/api-keys";
import type { IdempotencyClaim } from "../../../db/idempotency";
import { takeFrequentTurn } from "../../../db/rate-limits";
import type { ApiScope } from "../../../db/rules/api-scopes";
import {
  fail,
  invalid,
  ok,
  type Problem,
  problemStatus,
  type Result,
  toProblemJson,
} from "../../../db/rules/errors";
import { parseBody } from "../../../db/rules/parse-body";
import { answered } from "../../_shell/answered";
import { readText } from "./body";

/** As long as a database column of it; longer keys are a mistake. */
export const IDEMPOTENCY_KEY_MAX_CHARACTERS = 255;

/**
 * What is told here is about one person and true now: nobody between us and the caller keeps it. Nor is it worth being
 * compressed: that took a sixth of the process's time at a hundred requests a second.
 */
const NOT_KEPT = { "cache-control": "no-store, no-transform" };

export interface ApiCaller {
  /** Scope of idempotency keys: one caller never sees another's answers. */
  scope: string;
}

/** An answer to a caller: JSON, or RFC 9457 problem+json. */
export function answer<T>(result: Result<T>, status = 200): Response {
  if (!result.ok) return problemAnswer(result.problem);
  return Response.json(result.value, { status, headers: NOT_KEPT });
}

/** A problem as `application/problem+json`, with `Retry-After` and `WWW-Authenticate` where they belong. */
export function problemAnswer(problem: Problem): Response {
  const headers: Record<string, string> = { ...NOT_KEPT, "content-type": "application/problem+json" };
  if (problem.code === "rate_limited") headers["retry-after"] = String(problem.retryAfterSeconds);
  if (problem.code === "unauthorised") headers["www-authenticate"] = 'Bearer realm="punctual"';
  return new Response(JSON.stringify(toProblemJson(problem)), { status: problemStatus(problem), headers });
}

/** Says of an answer that it repeats the one given to an earlier request with the same `Idempotency-Key`. */
export function markReplayed(response: Response, replayed: boolean): Response {
  if (replayed) response.headers.set("idempotent-replayed", "true");
  return response;
}

/**
 * Who calls, by `Authorization: Bearer <API key>`, and whether the key opens this. An empty, "undefined" or unknown key is
 * nobody. A key that asks too often is told when to come again.
 */
export async function authenticate(request: Request, scope: ApiScope): Promise<Result<ApiCaller>> {
  const header = request.headers.get("authorization") ?? "";
  const secret = /^Bearer (\S+)$/i.exec(header)?.[1];
  const key = secret === undefined ? null : await findApiKey(secret);
  if (key === null) {
    return fail({ code: "unauthorised", why: "Send a valid API key as `Authorization: Bearer …`." });
  }
  const why = "This API key asks too often.";
  const turn = await takeFrequentTurn({ limit: "apiKey", subject: key.id, why });
  if (!turn.ok) return turn;
  if (!key.scopes.includes(scope))
    return fail({ code: "forbidden", why: `This API key is not made for ${scope}.` });
  // Not worth a refusal: a database that takes no writes still answers questions.
  if (!key.usedLately) await noteUse(key.id).catch(() => {});
  return ok({ scope: `api:${key.id}` });
}

/** Runs a handler for an authenticated caller; what goes wrong unexpectedly is logged and told without details. */
export function handle(
  request: Request,
  scope: ApiScope,
  work: (caller: ApiCaller) => Promise<Response>,
): Promise<Response> {
  return guard(request, async () => {
    const caller = await authenticate(request, scope);
    return caller.ok ? work(caller.value) : problemAnswer(caller.problem);
  });
}

/** Runs a handler that finds out by itself who calls. */
export function guard(request: Request, work: () => Promise<Response>): Promise<Response> {
  return answered(`${request.method} ${new URL(request.url).pathname.split("/")[3]}`, work);
}

export interface ReadBody<T> {
  value: T;
  /** Hash of the body as sent, for idempotency. */
  hash: string;
}

/** Reads and checks a JSON body; errors name the field, what was given and what is accepted. */
export async function readBody<T>(request: Request, schema: z.ZodType<T>): Promise<Result<ReadBody<T>>> {
  const text = await readText(request);
  if (!text.ok) return text;
  const json = parseJson(text.value);
  if (!json.ok) return json;
  const parsed = parseBody(schema, json.value);
  return parsed.ok
    ? ok({ value: parsed.value, hash: createHash("sha256").update(text.value).digest("hex") })
    : parsed;
}

/** Reads the text of a body as JSON. */
export function parseJson(text: string): Result<unknown> {
  try {
    return ok(JSON.parse(text));
  } catch {
    return invalid("body", text.slice(0, 40), "a JSON object");
  }
}

/** The caller's `Idempotency-Key`, if there is one, scoped to caller and route. */
export function readIdempotency(
  request: Request,
  caller: ApiCaller,
  route: string,
  bodyHash: string,
): Result<IdempotencyClaim | null> {
  const key = request.headers.get("idempotency-key");
  if (key === null) return ok(null);
  if (key.trim() === "" || key.length > IDEMPOTENCY_KEY_MAX_CHARACTERS) {
    return invalid("Idempotency-Key", key, `1 to ${IDEMPOTENCY_KEY_MAX_CHARACTERS} characters`);
  }
  return ok({ scope: `${caller.scope}:${route}`, key, bodyHash });
}
