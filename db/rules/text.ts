import { invalid, ok, type Result } from "./errors";

export interface TextRule {
  /** Longest accepted, in Unicode code points after normalisation: what Postgres `char_length` counts. */
  maxLength: number;
  /** Whether an absent or empty value is refused. When false, it is the empty string. */
  required: boolean;
  /** Whether line breaks and tabs are allowed. Text that reaches a mail header is never multiline. */
  multiline: boolean;
}

/** Whether a column takes a text: Postgres refuses NUL and half characters. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}

/** Overrides, embeddings and isolates change what the rest of a line reads; the marks U+200E, U+200F and U+061C do not. */
const BIDI_CONTROLS = /[\u202a-\u202e\u2066-\u2069]/g;
/** C0, DEL and C1. Postgres refuses NUL, mail headers and terminals misread the rest. */
const CONTROLS = /\p{Cc}/u;
const CONTROLS_EXCEPT_TAB_AND_LINE_FEED = /[^\P{Cc}\t\n]/u;
const LINE_SEPARATORS = /[\u2028\u2029]/;
/** A braille blank draws nothing although Unicode calls it a symbol. */
const VISIBLE = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\u2800]/u;

/**
 * Checks a text that people will read: a title, a note, a label, a reason.
 *
 * Returns it without bidirectional controls, in NFC, trimmed; multiline text with `\n` line ends only. Refuses other
 * types, controls, half surrogate pairs, line breaks in single-line text, text without a visible character, and text
 * over `maxLength` code points: nothing is shortened silently. Markup is left alone, escaping is for whoever shows it.
 */
export function checkText(field: string, value: unknown, rule: TextRule): Result<string> {
  const accepted = `${rule.multiline ? "text" : "one line of text"} of ${rule.required ? "1 to" : "at most"} ${rule.maxLength} characters`;
  if (value === undefined || value === null) return rule.required ? refuse("is missing") : ok("");
  if (typeof value !== "string") return refuse("must be text");
  if (!value.isWellFormed()) return refuse("contains half of a character (a lone surrogate)");

  const unix = rule.multiline ? value.replace(/\r\n?|[\u2028\u2029]/g, "\n") : value;
  if (!rule.multiline && (/[\r\n]/.test(unix) || LINE_SEPARATORS.test(unix)))
    return refuse("contains a line break");
  const controls = rule.multiline ? CONTROLS_EXCEPT_TAB_AND_LINE_FEED : CONTROLS;
  if (controls.test(unix)) return refuse("contains a control character");

  const text = unix.replace(BIDI_CONTROLS, "").normalize("NFC").trim();
  if (!VISIBLE.test(text)) {
    if (text !== "") return refuse("has no visible character");
    return rule.required ? refuse("is empty") : ok("");
  }
  const length = countCodePoints(text);
  if (length > rule.maxLength) return refuse(`is ${length} characters long`);
  return ok(text);

  function refuse(why: string) {
    return invalid(field, value, accepted, `${field} ${why}. Accepted: ${accepted}.`);
  }
}

/** What browsers, mail clients and the database's own bound all carry. */
export const URL_MAX_CHARACTERS = 2000;

/**
 * Checks a link that goes into messages and mail headers. Returns the normalised form of the WHATWG URL standard,
 * which is ASCII only (host in punycode, the rest percent-encoded), at most 2000 characters.
 *
 * Only `http` and `https` with a host; no user name or password (they disguise the host), no inner white space,
 * backslash or control character (parsers disagree about them).
 */
export function checkUrl(field: string, value: unknown): Result<string> {
  const accepted = `a link that starts with https:// or http://, at most ${URL_MAX_CHARACTERS} characters, without a user name`;
  if (typeof value !== "string") return invalid(field, value, accepted);
  const text = withoutOuterSpaces(value);
  if (text.length > URL_MAX_CHARACTERS || /[\p{Cc}\p{Cf}\p{Cs}\p{White_Space}\\]/u.test(text)) {
    return invalid(field, value, accepted);
  }
  if (!/^https?:\/\/[^/]/i.test(text) || !URL.canParse(text)) return invalid(field, value, accepted);
  const url = new URL(text);
  if (url.username !== "" || url.password !== "" || /^https?:\/\/[^/?#]*@/i.test(text)) {
    return invalid(field, value, accepted);
  }
  return url.href.length > URL_MAX_CHARACTERS ? invalid(field, value, accepted) : ok(url.href);
}

/** Not by a pattern: `/ +$/` looks at a run of blanks in the middle anew from each of them. */
function withoutOuterSpaces(text: string): string {
  let [from, until] = [0, text.length];
  while (text[from] === " ") from += 1;
  while (until > from && text[until - 1] === " ") until -= 1;
  return text.slice(from, until);
}

/**
 * Makes text from a provider (an error message, a response body) safe to store as text and jsonb and to show to an
 * operator: recording a failure must never fail itself. Tabs and line breaks become spaces; NUL, other controls and
 * half surrogate pairs become U+FFFD; bidirectional controls go. At most `maxLength` code points, the last one `…`
 * when something was cut. Anything that is not a string is an empty text. Never throws.
 */
export function cleanProviderText(text: unknown, maxLength: number): string {
  const limit = Number.isFinite(maxLength) ? Math.max(0, Math.floor(maxLength)) : 0;
  if (typeof text !== "string" || limit === 0) return "";
  // A response body can be megabytes long: look at no more than can be kept.
  const start = text.slice(0, limit * 2 + 2);
  const cut = start.length < text.length;
  const whole = cut ? start.replace(/[\ud800-\udbff]$/, "") : start;
  const clean = whole
    .replace(BIDI_CONTROLS, "")
    .replace(/\r\n|[\t\n\r\u2028\u2029]/g, " ")
    .replace(/[\p{Cc}\p{Cs}]/gu, "\ufffd");
  const characters = [...clean];
  if (characters.length <= limit && !cut) return clean;
  return `${characters.slice(0, limit - 1).join("")}…`;
}

function countCodePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
