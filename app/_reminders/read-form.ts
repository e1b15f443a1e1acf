import "server-only";
import { createHash } from "node:crypto";
import { createReminderBody, parseBody } from "../../db/rules/api-schemas";
import { type FieldError, fail, fieldError, ok, type Result } from "../../db/rules/errors";
import { type FieldNames, textOf, textsOf } from "../_forms/form-state";
import { readWhen, type WhenInput, wallTimeOfFields } from "./due-input";

/** What the shop says and a shopper may not: whose reminder it is comes from the session. */
const body = createReminderBody.omit({ subscriber: true });

export type ReminderBody = ReturnType<(typeof body)["parse"]>;

export const REMINDER_FIELDS: FieldNames = {
  title: { name: "title", label: "What" },
  note: { name: "note", label: "The note" },
  url: { name: "url", label: "The link" },
  dueAt: { name: "when", label: "The time" },
  channels: { name: "channels", label: "The channel" },
};

const KEPT = ["title", "note", "url", "choice", "date", "time", "timeZone", "intention"];

/** What was typed, for the form to show again. */
export function typedIn(form: FormData): Record<string, string> {
  return { ...textsOf(form, KEPT), channels: channelsOf(form).join(",") };
}

function channelsOf(form: FormData): string[] {
  return form.getAll("channels").filter((value) => typeof value === "string");
}

/** The fields of a form that say when. */
export function whenOf(form: FormData): WhenInput {
  return {
    choice: textOf(form, "choice"),
    date: textOf(form, "date"),
    time: textOf(form, "time"),
    timeZone: textOf(form, "timeZone"),
  };
}

/**
 * Reads a reminder from its form: every mistake at once, each in words for a person. With `unchangedWhen`, the fields
 * that the form was shown with, an untouched time is left out, so that a sent reminder's note can be changed.
 */
export function readReminderForm(
  form: FormData,
  nowMs: number,
  unchangedWhen: WhenInput | null = null,
): Result<Omit<ReminderBody, "dueAt"> & { dueAt: ReminderBody["dueAt"] | null }> {
  const input = whenOf(form);
  const untouched = unchangedWhen !== null && isSame(input, unchangedWhen);
  const when = readWhen(input, nowMs);
  const parsed = parseBody(body, {
    title: textOf(form, "title"),
    note: textOf(form, "note") === "" ? null : textOf(form, "note"),
    url: withScheme(textOf(form, "url")),
    // A stand-in where the fields were refused already, so that the other fields are looked at all the same.
    dueAt: when.ok ? { local: when.local, timeZone: when.timeZone } : "2000-01-01T00:00:00Z",
    channels: channelsOf(form),
  });
  const problems: FieldError[] = [];
  if (!when.ok && !untouched) problems.push(fieldError("dueAt", "", "a time to come", when.error));
  if (!parsed.ok && parsed.problem.code === "invalid_input")
    problems.push(...parsed.problem.fields.map(inOwnWords));
  if (problems.length > 0) return fail({ code: "invalid_input", fields: problems });
  if (!parsed.ok) return parsed;
  return ok({ ...parsed.value, dueAt: untouched ? null : parsed.value.dueAt });
}

function isSame(one: WhenInput, other: WhenInput): boolean {
  return one.timeZone === other.timeZone && wallTimeOfFields(one) === wallTimeOfFields(other);
}

/** People type `example.com/sale`. */
function withScheme(typed: string): string | null {
  const text = typed.trim();
  if (text === "") return null;
  return /^[\w-]+(\.[\w-]+)+([/?#:]|$)/.test(text) ? `https://${text}` : text;
}

/** The mistakes that everybody makes, without the grammar of the API. */
function inOwnWords(error: FieldError): FieldError {
  if (error.field === "title" && error.given === '""') return { ...error, message: "Say what it is about." };
  if (error.field === "channels" && error.given === "[]")
    return { ...error, message: "Choose at least one channel." };
  if (error.field === "url")
    return { ...error, message: "Enter a link to a page, such as https://example.com." };
  return error;
}

/** Tells two bodies of one intention apart. */
export function hashOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("base64url");
}
