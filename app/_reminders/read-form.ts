import "server-only";
import { createHash } from "node:crypto";
import { createReminderBody, parseBody } from "../../db/rules/api-schemas";
import { type FieldError, fail, ok, type Result } from "../../db/rules/errors";
import type { Language } from "../../db/rules/languages";
import type { Channel } from "../../db/rules/outcome";
import { fill, type Words } from "../../db/rules/speech";
import { checkTimeZone } from "../../db/rules/time-zone";
import { readTypedWhen } from "../../db/rules/typed-when";
import { allOf, type FieldNames, inOwnWords, textOf, textsOf } from "../_forms/form-state";
import { readWhen, unclear, type WhenInput, wallTimeOfFields } from "./due-input";
import { type RepeatInput, readRepeat } from "./repeat-input";

/** What the shop says and a shopper may not: whose reminder it is comes from the session. */
const body = createReminderBody.omit({ subscriber: true });

export type ReminderBody = ReturnType<(typeof body)["parse"]>;

/** Where the form shows what was wrong, and what it calls it. */
export function reminderFields({ fields }: Words["composer"]): FieldNames {
  return {
    title: { name: "title", label: fields.title },
    note: { name: "note", label: fields.note },
    url: { name: "url", label: fields.url },
    dueAt: { name: "when", label: fields.when },
    channels: { name: "channels", label: fields.channel },
    repeat: { name: "repeat", label: fields.repeat },
    nextChannelAfterMinutes: { name: "channels", label: fields.minutes },
  };
}

const KEPT = [
  "title",
  "note",
  "url",
  "choice",
  "date",
  "time",
  "timeZone",
  "typed",
  "floating",
  "throughQuiet",
  "plan",
  "stepMinutes",
  "repeat",
  "interval",
  "days",
  "ends",
  "until",
  "count",
  "intention",
];

/** What was typed, for the form to show again. */
export function typedIn(form: FormData): Record<string, string> {
  return { ...textsOf(form, KEPT), channels: channelsOf(form).join(",") };
}

function channelsOf(form: FormData): string[] {
  return allOf(form, "channels");
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
  language: Language,
  unchangedWhen: WhenInput | null = null,
): Result<Omit<ReminderBody, "dueAt"> & { dueAt: ReminderBody["dueAt"] | null }> {
  const { input, error, recurrence } = spoken(form, nowMs, language.words.when);
  const untouched = unchangedWhen !== null && isSame(input, unchangedWhen);
  const when = error === null ? readWhen(input, nowMs, language) : { ok: false as const, error };
  const repeat =
    recurrence === null
      ? readRepeat(repeatOf(form), language.words.repeat)
      : { ok: true as const, recurrence };
  const parsed = parseBody(body, {
    title: textOf(form, "title"),
    note: textOf(form, "note") === "" ? null : textOf(form, "note"),
    url: withScheme(textOf(form, "url")),
    // A stand-in where the fields were refused already, so that the other fields are looked at all the same.
    dueAt: when.ok ? { local: when.local, timeZone: when.timeZone } : "2000-01-01T00:00:00Z",
    channels: channelsInOrder(form),
    repeat: repeat.ok ? repeat.recurrence : null,
    floating: textOf(form, "floating") === "on",
    throughQuietHours: textOf(form, "throughQuiet") === "yes",
    nextChannelAfterMinutes: textOf(form, "plan") === "steps" ? Number(textOf(form, "stepMinutes")) : null,
  });
  const problems: FieldError[] = [];
  if (!repeat.ok) problems.push(inOwnWords("repeat", repeat.error));
  if (!when.ok && !untouched) problems.push(inOwnWords("dueAt", when.error));
  if (!parsed.ok && parsed.problem.code === "invalid_input")
    problems.push(...parsed.problem.fields.map((error) => usualMistake(error, language.words.composer)));
  if (problems.length > 0) return fail({ code: "invalid_input", fields: problems });
  if (!parsed.ok) return parsed;
  return ok({ ...parsed.value, dueAt: untouched ? null : parsed.value.dueAt });
}

/**
 * The fields that say when, after reading what was typed in words: with the server's clock, so that "in 10 minutes" is
 * counted from the sending and not from when the page was opened.
 */
function spoken(
  form: FormData,
  nowMs: number,
  words: Words["when"],
): { input: WhenInput; error: string | null; recurrence: string | null } {
  const input = whenOf(form);
  const typed = textOf(form, "typed");
  const zone = checkTimeZone("timeZone", input.timeZone);
  const meant = input.choice === "typed" || (typed !== "" && wallTimeOfFields(input) === null);
  if (!meant || typed === "" || !zone.ok) return { input, error: null, recurrence: null };
  const read = readTypedWhen(typed, nowMs, zone.value);
  if (!read.ok) return { input, error: unclear(typed, words), recurrence: null };
  const [date = "", time = ""] = read.local.split("T");
  // The fields below may have refined what was typed: "every day", and then an end.
  const recurrence = textOf(form, "repeat") === "" ? read.repeat : null;
  return { input: { ...input, choice: "custom", date, time }, error: null, recurrence };
}

function repeatOf(form: FormData): RepeatInput {
  return {
    repeat: textOf(form, "repeat") as RepeatInput["repeat"],
    interval: textOf(form, "interval") || "1",
    days: textOf(form, "days"),
    ends: (textOf(form, "ends") || "never") as RepeatInput["ends"],
    until: textOf(form, "until"),
    count: textOf(form, "count"),
  };
}

/** The order in which one channel follows another: what costs and disturbs least goes first. */
const STEPS: readonly Channel[] = ["push", "email", "sms"];

function channelsInOrder(form: FormData): string[] {
  const chosen = channelsOf(form);
  if (textOf(form, "plan") !== "steps") return chosen;
  const rank = (channel: string) => (STEPS as readonly string[]).indexOf(channel);
  return chosen.toSorted((one, other) => rank(one) - rank(other));
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
function usualMistake(error: FieldError, words: Words["composer"]): FieldError {
  const { field, given } = error;
  if (field === "title" && given === '""') return inOwnWords(field, words.sayWhat);
  if (field === "channels" && given === "[]") return inOwnWords(field, words.chooseChannel);
  if (field === "url") return inOwnWords(field, fill(words.enterLink, { example: "https://example.com" }));
  return error;
}

/** Tells two bodies of one intention apart. */
export function hashOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("base64url");
}
