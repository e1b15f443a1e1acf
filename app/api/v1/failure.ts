/** Codes by which the driver, the socket or the server says that there is no database at the moment that takes work. */
const UNREACHABLE = new Set([
  "CONNECT_TIMEOUT",
  "DATABASE_SILENT",
  "CONNECTION_CLOSED",
  "CONNECTION_DESTROYED",
  "CONNECTION_ENDED",
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOTFOUND",
  "EPIPE",
  "ETIMEDOUT",
  // admin_shutdown, crash_shutdown, cannot_connect_now, too_many_connections
  "57P01",
  "57P02",
  "57P03",
  "53300",
  // disk_full, out_of_memory, configuration_limit_exceeded; read_only_sql_transaction: a standby, or one that was demoted
  "53100",
  "53200",
  "53400",
  "25006",
]);

/** A database that restarts is back in a few seconds. */
const RETRY_AFTER_SECONDS = 5;

/** Errors nest: the query's error has the socket's as its cause. Deeper chains are somebody's loop. */
const CAUSES_MAX = 5;

/** What is true after any failure: the answer to a commit may have been lost on its way. */
const DETAIL =
  "Whether the request was carried out is not certain. Repeat it: with the same Idempotency-Key that is safe.";

/**
 * The answer to a request that failed for a reason on our side: 503 with `Retry-After` while the database does not
 * answer, else 500. Says nothing of the cause, which is in the log.
 */
export function failureAnswer(error: unknown): Response {
  if (isUnreachable(error)) return unavailableAnswer("unknown");
  return problem(500, "internal", "Something failed on our side", DETAIL);
}

/** 503 with `Retry-After`: `done` says whether the request may have been carried out. */
export function unavailableAnswer(done: "nothing" | "unknown"): Response {
  const detail = done === "unknown" ? DETAIL : "There is too much to do at the moment. Nothing was done.";
  const answer = problem(503, "unavailable", "The service is not available at the moment", detail);
  answer.headers.set("retry-after", String(RETRY_AFTER_SECONDS));
  return answer;
}

function problem(status: number, code: string, title: string, detail: string): Response {
  const body = { type: `urn:punctual:problem:${code}`, title, status, detail, code };
  const headers = {
    "content-type": "application/problem+json",
    "cache-control": "no-store, no-transform",
  };
  return new Response(JSON.stringify(body), { status, headers });
}

function isUnreachable(error: unknown): boolean {
  for (let at = error, depth = 0; at instanceof Error && depth < CAUSES_MAX; at = at.cause, depth += 1) {
    const code = (at as { code?: unknown }).code;
    if (typeof code === "string" && UNREACHABLE.has(code)) return true;
  }
  return false;
}
