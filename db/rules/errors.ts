/** One value that was not accepted: which, what was given, and what would be. All four are safe to print. */
export interface FieldError {
  /** Path of the value as the caller wrote it, such as `title` or `dueAt.timeZone`; `body` for the whole. */
  field: string;
  /** The value as text: shortened, with everything invisible escaped. Not HTML-escaped. */
  given: string;
  /** What would have been accepted, as a noun phrase. */
  accepted: string;
  /** One sentence for a person. */
  message: string;
}

/**
 * Why a verb did not do what was asked. The list is closed; every caller switches over all of it.
 *
 * - `invalid_input`: a value is wrong; repeating the same request never helps.
 * - `not_found`: it does not exist, or belongs to somebody else (never told apart).
 * - `unauthorised`: nobody is signed in, or the key is unknown; `forbidden`: known, but not allowed.
 * - `conflict`: somebody else changed it first; read again, then repeat.
 * - `idempotency_mismatch`: this Idempotency-Key was used with another body.
 * - `too_late`: the moment for it has passed (already sending or sent); repeating never helps.
 * - `rate_limited`: the same request will be accepted after `retryAfterSeconds`.
 * - `unavailable`: something on our side does not answer; nothing was done, and the same request helps later.
 */
export type Problem =
  | { code: "invalid_input"; fields: FieldError[] }
  | { code: "not_found"; what: string }
  | { code: "forbidden"; why: string }
  | { code: "unauthorised"; why: string }
  | { code: "conflict"; why: string }
  | { code: "idempotency_mismatch"; why: string }
  | { code: "too_late"; why: string }
  | { code: "rate_limited"; retryAfterSeconds: number; why: string }
  | { code: "unavailable"; why: string };

export type ProblemCode = Problem["code"];

/** What a verb returns: its value, or the problem. Verbs do not throw for anything a caller can cause. */
export type Result<T> = { ok: true; value: T } | { ok: false; problem: Problem };

export type Failure = Extract<Result<never>, { ok: false }>;

/** Wraps a value as a success. */
export function ok<T>(value: T): { ok: true; value: T } {
  return { ok: true, value };
}

/** Wraps a problem as a failure. */
export function fail(problem: Problem): Failure {
  return { ok: false, problem };
}

/** Builds the error of one field. Without `message` the sentence is made of the other three. */
export function fieldError(field: string, given: unknown, accepted: string, message?: string): FieldError {
  const shown = printable(given);
  return {
    field,
    given: shown,
    accepted,
    message: message ?? `${field} must be ${accepted}; given: ${shown}.`,
  };
}

/** A failure that names one field. `given` is the raw value: it is made printable here. */
export function invalid(field: string, given: unknown, accepted: string, message?: string): Failure {
  return fail({ code: "invalid_input", fields: [fieldError(field, given, accepted, message)] });
}

/** The name of a value from its path: `dueAt.timeZone`, `channels.1`, `body`. A key that is not plain is quoted. */
export function fieldPath(path: readonly PropertyKey[]): string {
  if (path.length === 0) return "body";
  return path
    .map((key) => (/^[\w-]{1,64}$/.test(String(key)) ? String(key) : printable(String(key))))
    .join(".");
}

/** Long enough to recognise the value, short enough that a whole list of errors still fits on a screen. */
const GIVEN_MAX_CODE_POINTS = 80;

/**
 * Shows any value as one line of visible text. Strings are quoted; controls, format characters (bidi, zero width),
 * lone surrogates and line separators become `\u{...}`, so that an error can be read, logged and stored anywhere.
 * Never throws.
 */
export function printable(value: unknown): string {
  const text = describe(value);
  // Twice the limit in UTF-16 units is never fewer than the limit in code points.
  const start = [...text.slice(0, GIVEN_MAX_CODE_POINTS * 2 + 2)];
  const shown =
    start.length > GIVEN_MAX_CODE_POINTS ? `${start.slice(0, GIVEN_MAX_CODE_POINTS).join("")}…` : text;
  return shown.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu, escapeCodePoint);
}

function describe(value: unknown): string {
  if (value === undefined) return "nothing";
  if (typeof value === "string") {
    const part = value.slice(0, GIVEN_MAX_CODE_POINTS * 2 + 2);
    return part.length < value.length ? `"${part}` : `"${part}"`;
  }
  if (typeof value === "bigint" || typeof value === "number" || typeof value === "boolean")
    return String(value);
  if (typeof value === "object") {
    try {
      return JSON.stringify(value) ?? "an object";
    } catch {
      return "an object";
    }
  }
  return `a ${typeof value}`;
}

function escapeCodePoint(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

/** HTTP status of a problem (RFC 9110; 422 as in RFC 9110 section 15.5.21, 429 as in RFC 6585). */
export function problemStatus(problem: Problem): number {
  switch (problem.code) {
    case "invalid_input":
    case "idempotency_mismatch":
      return 422;
    case "not_found":
      return 404;
    case "forbidden":
      return 403;
    case "unauthorised":
      return 401;
    case "conflict":
    case "too_late":
      return 409;
    case "rate_limited":
      return 429;
    case "unavailable":
      return 503;
  }
}

const TITLES: Record<ProblemCode, string> = {
  invalid_input: "The request has values that are not accepted",
  not_found: "Not found",
  forbidden: "Not allowed",
  unauthorised: "Sign-in or an API key is needed",
  conflict: "Changed by somebody else meanwhile",
  idempotency_mismatch: "The idempotency key was used for another request",
  too_late: "Too late for that",
  rate_limited: "Too many requests",
  unavailable: "Not available at the moment",
};

/** A problem as RFC 9457 `application/problem+json`. `code`, `errors` and `retryAfterSeconds` are extension members. */
export interface ProblemJson {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: ProblemCode;
  errors?: FieldError[];
  retryAfterSeconds?: number;
}

/** Renders a problem for an HTTP answer. The route adds `Retry-After` for `rate_limited`. */
export function toProblemJson(problem: Problem): ProblemJson {
  return {
    type: `urn:punctual:problem:${problem.code}`,
    title: TITLES[problem.code],
    status: problemStatus(problem),
    detail: problemDetail(problem),
    code: problem.code,
    ...(problem.code === "invalid_input" ? { errors: problem.fields } : {}),
    ...(problem.code === "rate_limited" ? { retryAfterSeconds: problem.retryAfterSeconds } : {}),
  };
}

/** The problem in one or a few sentences, for a person: the `detail` of the HTTP answer and the line of a form. */
export function problemDetail(problem: Problem): string {
  switch (problem.code) {
    case "invalid_input":
      return problem.fields.map((error) => error.message).join(" ");
    case "not_found":
      return `There is no such ${problem.what}.`;
    case "forbidden":
    case "unauthorised":
    case "conflict":
    case "idempotency_mismatch":
    case "too_late":
    case "rate_limited":
    case "unavailable":
      return problem.why;
  }
}
