import { z } from "zod";
import { type FieldError, fail, fieldError, fieldPath, ok, printable, type Result } from "./errors";

/** One of our checks: takes the name of the value and the value, returns its normalised form or says what is wrong. */
export type Check<T> = (field: string, value: unknown) => Result<T>;

/** Values that an error never repeats: whoever has a push endpoint and its keys can write on that device's screen. */
const SECRET_KEYS: readonly PropertyKey[] = ["pushSubscriptions"];

/** A body with more mistakes than this is not the body that was meant; the answer stays a page long. */
const MOST_FIELD_ERRORS = 50;

/**
 * A schema whose value goes through one of our checks. A schema does not know the name under which its value is used:
 * the check runs once more in `parseBody`, with the real name, to produce the error.
 */
export function checked<Input, Output>(schema: z.ZodType<Input>, check: Check<Output>) {
  return schema.transform((value, ctx): Output => {
    const result = check("value", value);
    if (result.ok) return result.value;
    addCheckIssue(ctx, [], (field) => check(field, value));
    return z.NEVER;
  });
}

/** Reports a failed check from a refinement. `check` gets the name of the value at `path` and must fail again. */
export function addCheckIssue(
  ctx: z.core.$RefinementCtx<unknown>,
  path: PropertyKey[],
  check: (field: string) => Result<unknown>,
): void {
  ctx.addIssue({ code: "custom", path, message: "not accepted", params: { check } });
}

/** An object that refuses, by name, every key it does not know. */
export function closedObject<Shape extends z.ZodRawShape>(shape: Shape) {
  const keys = Object.keys(shape).join(", ");
  return z.strictObject(shape, {
    error: (issue) => (issue.code === "unrecognized_keys" ? keys : `an object with ${keys}`),
  });
}

/**
 * Parses a request body (or a query read by `readQuery`) with a schema. Every value that is wrong is named by its
 * path, with what was given and what is accepted; unknown keys are refused by name. Schemas state what they accept as
 * zod's `error`, as a noun phrase. Never throws for values that came from JSON.
 */
export function parseBody<T>(schema: z.ZodType<T>, body: unknown): Result<T> {
  const parsed = schema.safeParse(body);
  if (parsed.success) return ok(parsed.data);
  const fields = parsed.error.issues.flatMap((issue) => errorsOfIssue(issue, body));
  return fail({ code: "invalid_input", fields: fields.slice(0, MOST_FIELD_ERRORS) });
}

/** The parameters of a query as an object for `parseBody`. A parameter given twice becomes an array and is refused. */
export function readQuery(parameters: URLSearchParams): Record<string, string | string[]> {
  const entries = [...new Set(parameters.keys())].map((key): [string, string | string[]] => {
    const [first = "", ...more] = parameters.getAll(key);
    return [key, more.length === 0 ? first : [first, ...more]];
  });
  return Object.fromEntries(entries);
}

function errorsOfIssue(issue: z.core.$ZodIssue, body: unknown): FieldError[] {
  const errors = describeIssue(issue, body);
  const secret = SECRET_KEYS.some((key) => key === issue.path[0]);
  return secret ? errors.map(withoutValue) : errors;
}

function withoutValue(error: FieldError): FieldError {
  if (error.given === printable(undefined)) return error;
  const given = printable("(not shown)");
  return { ...error, given, message: error.message.replaceAll(error.given, given) };
}

function describeIssue(issue: z.core.$ZodIssue, body: unknown): FieldError[] {
  const field = fieldPath(issue.path);
  const given = valueAt(body, issue.path);
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => unknownKey([...issue.path, key], valueAt(given, [key]), issue.message));
  }
  const check = issue.code === "custom" ? issue.params?.check : undefined;
  if (typeof check === "function") {
    const result = check(field) as Result<unknown>;
    if (!result.ok && result.problem.code === "invalid_input") return result.problem.fields;
  }
  return [fieldError(field, given, issue.message)];
}

function unknownKey(path: PropertyKey[], given: unknown, knownKeys: string): FieldError {
  const field = fieldPath(path);
  return fieldError(field, given, "left out", `${field} is not known here. Known: ${knownKeys}.`);
}

function valueAt(body: unknown, path: readonly PropertyKey[]): unknown {
  let value = body;
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value;
}
