import { type Problem, problemDetail } from "../../db/rules/errors";

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
): FormState {
  const answer = before.answer + 1;
  if (problem.code !== "invalid_input") {
    return { values, errors: {}, message: problemDetail(problem), answer };
  }
  const errors: Record<string, string> = {};
  const others: string[] = [];
  for (const { field, message } of problem.fields) {
    const known = fields[field] ?? fields[field.split(".")[0] ?? ""];
    if (known === undefined) others.push(message);
    else errors[known.name] ??= inWords(message, field, known.label);
  }
  return { values, errors, message: others.length > 0 ? others.join(" ") : null, answer };
}

/** A sentence of the API names the field by its key; a form names it by its label. */
function inWords(message: string, field: string, label: string): string {
  return message.startsWith(field) ? `${label}${message.slice(field.length)}` : message;
}

/** The text of a form's field; a file, or an absent field, is no text. */
export function textOf(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === "string" ? value : "";
}

/** The texts of a form by name; of several with one name the first. Next's own fields are left out. */
export function textsOf(form: FormData, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, textOf(form, name)]));
}
