import { type FieldError, fieldError, type Problem, problemDetail } from "../../db/rules/errors";
import type { Language } from "../../db/rules/languages";
import { fill } from "../../db/rules/speech";

/** What a form shows after it was sent: what was typed, and what was wrong with it. */
export interface FormState {
  /** As typed, so that nobody types twice. */
  values: Record<string, string>;
  /** One sentence for each field that was not accepted, by the field's name in the form. */
  errors: Record<string, string>;
  /** What concerns the form as a whole; null when nothing does. */
  message: string | null;
  /** Counts the answers, so that two equal ones are both noticed. */
  answer: number;
}

export const UNSENT: FormState = { values: {}, errors: {}, message: null, answer: 0 };

/** Which field of a form a value of a request belongs to, and what the form calls it. */
export type FieldNames = Record<string, { name: string; label: string }>;

/** The state that shows a problem beside the fields that caused it; what belongs to none is the form's own message. */
export function stateOfProblem(
  problem: Problem,
  before: FormState,
  values: Record<string, string>,
  fields: FieldNames,
  language: Language,
): FormState {
  const answer = answerAfter(before);
  if (problem.code !== "invalid_input") {
    return { values, errors: {}, message: sentenceOf(problem, language), answer };
  }
  const errors: Record<string, string> = {};
  const others: string[] = [];
  for (const error of problem.fields) {
    const known = fields[error.field] ?? fields[error.field.split(".")[0] ?? ""];
    if (known !== undefined) errors[known.name] ??= inWords(error, known.label, language);
    else
      others.push(isOwn(error) || language.locale === "en" ? error.message : sentenceOf(problem, language));
  }
  return { values, errors, message: others.length > 0 ? others.join(" ") : null, answer };
}

/** A problem for a reader: the sentences of the rules are English and exact, in other languages one of the dictionary. */
export function sentenceOf(problem: Problem, { locale, words }: Language): string {
  return locale === "en" ? problemDetail(problem) : words.problems[problem.code];
}

const OWN = Symbol("in the reader's words");

/** A mistake with a sentence that is in the reader's language already. */
export function inOwnWords(field: string, message: string): FieldError {
  return Object.assign(fieldError(field, "", "", message), { [OWN]: true });
}

function isOwn(error: FieldError): boolean {
  return Object.hasOwn(error, OWN);
}

/** A sentence of the API names the field by its key; a form names it by its label. */
function inWords(error: FieldError, label: string, { locale, words }: Language): string {
  const { field, message } = error;
  if (isOwn(error)) return message;
  if (locale !== "en") return fill(words.problems.field, { field: label });
  return message.startsWith(field) ? `${label}${message.slice(field.length)}` : message;
}

/** The number of the next answer; the state before comes from the browser, and may be anything. */
export function answerAfter(before: FormState): number {
  const answer = (before as Partial<FormState> | null | undefined)?.answer;
  return typeof answer === "number" && Number.isSafeInteger(answer) ? answer + 1 : 1;
}

/** The text of a form's field; a file, or an absent field, is no text. Whoever calls an action may send no form at all. */
export function textOf(form: FormData, name: string): string {
  return allOf(form, name)[0] ?? "";
}

/** All texts of the fields with this name, without NUL and half characters: nobody types those, and no column takes them. */
export function allOf(form: FormData, name: string): string[] {
  if (!(form instanceof FormData)) return [];
  const texts = form.getAll(name).filter((value) => typeof value === "string");
  return texts.map((text) => text.toWellFormed().replaceAll("\0", ""));
}

/** Whether a form has a field. */
export function hasField(form: FormData, name: string): boolean {
  return form instanceof FormData && form.has(name);
}

/** The texts of a form by name; of several with one name the first. Next's own fields are left out. */
export function textsOf(form: FormData, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, textOf(form, name)]));
}
