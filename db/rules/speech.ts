import type en from "./languages/en.json";
import type { Phrase } from "./story-line";

/** Everything that a shopper reads, in one language: the English file says what there is, the others must have it too. */
export type Words = typeof en;

/** A language as far as something needs it. Only JSON-safe values: a page hands its parts of the words to the browser. */
export interface Speech<Section extends keyof Words = never> {
  tag: string;
  words: Pick<Words, Section>;
}

/** One sentence for each form of a number that the language has (CLDR plural rules); `other` stands in for the rest. */
export type Forms = { other: string } & Partial<Record<Intl.LDMLPluralRule, string>>;

type Value = string | number;
type Instant = Exclude<Phrase[number], string>;

const PLACE = /\{(\w+)\}/;
const RIGHT_TO_LEFT_LETTER = /[\u0590-\u08ff]/;
const LATIN_OR_PLUS = /[\p{Script=Latin}+]/u;

/** Puts values into the places of a template, such as `{zone}`. A place without a value stays visible. */
export function fill(template: string, values: Record<string, Value>): string {
  const parts = template.split(PLACE).map((part, index) => {
    if (index % 2 === 0) return part;
    const value = values[part];
    return value === undefined ? `{${part}}` : shown(template, value);
  });
  return parts.join("");
}

/** The same with instants among the values, which stay open. */
export function fillPhrase(template: string, values: Record<string, Value | Instant>): Phrase {
  const parts: (string | Instant)[] = [];
  for (const [index, part] of template.split(PLACE).entries()) {
    const value = index % 2 === 0 ? part : (values[part] ?? `{${part}}`);
    const last = parts.at(-1);
    if (typeof value === "object") parts.push(value);
    else if (value === "") continue;
    else {
      const text = index % 2 === 0 ? part : shown(template, value);
      if (typeof last === "string") parts[parts.length - 1] = last + text;
      else parts.push(text);
    }
  }
  return parts;
}

/** The parts of a template for whoever puts elements into its places: texts, and the names of places as `{ place }`. */
export function partsOf(template: string): (string | { place: string })[] {
  return template.split(PLACE).flatMap((part, index): (string | { place: string })[] => {
    if (index % 2 === 1) return [{ place: part }];
    return part === "" ? [] : [part];
  });
}

/** The form of a number in a language. */
export function formOf(forms: Forms, count: number, tag: string): string {
  return forms[new Intl.PluralRules(tag).select(count)] ?? forms.other;
}

/** A sentence with a number in it, in the form that the language has for this number. */
export function counted(
  forms: Forms,
  count: number,
  tag: string,
  values: Record<string, Value> = {},
): string {
  return fill(formOf(forms, count, tag), { ...values, count: new Intl.NumberFormat(tag).format(count) });
}

/** Items as a list in a sentence: `Email, SMS and Push`. */
export function listOf(items: readonly string[], tag: string): string {
  return new Intl.ListFormat(tag, { type: "conjunction" }).format(items);
}

/**
 * In a sentence from right to left, a Latin name or a telephone number would be torn apart by its surroundings: it is
 * isolated by the characters that Unicode has for that (UAX 9).
 */
function shown(template: string, value: Value): string {
  const text = String(value);
  return RIGHT_TO_LEFT_LETTER.test(template) && LATIN_OR_PLUS.test(text) ? `\u2068${text}\u2069` : text;
}
