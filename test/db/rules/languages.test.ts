import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { languageAccepted, languageOf, PAGE_LOCALES } from "../../../db/rules/languages";
import { tellRecurrence } from "../../../db/rules/recurrence-words";
import { counted, fill, fillPhrase, formOf } from "../../../db/rules/speech";

/** Every sentence of a dictionary by its path; the forms of a number as one object. */
function leaves(words: object, path = ""): [path: string, value: string | Record<string, string>][] {
  return Object.entries(words).flatMap(([key, value]) => {
    const here = path === "" ? key : `${path}.${key}`;
    if (typeof value === "string") return [[here, value] as [string, string]];
    return "other" in value ? [[here, value] as [string, Record<string, string>]] : leaves(value, here);
  });
}

const places = (text: string) => new Set([...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
const english = new Map(leaves(languageOf("en").words));

/** What is the same in every script: our name, the words that a provider understands, what is typed in English. */
const LATIN_ALLOWED =
  /Punctual|STOP|START|iPhone|iPad|tomorrow 9am|next tue 3pm|in 2 days|every weekday at 8/g;

describe.each(PAGE_LOCALES)("the dictionary %s", (locale) => {
  const { tag, words, dir } = languageOf(locale);
  const own = leaves(words);

  test("says everything that the English one says, and no more", () => {
    expect(own.map(([path]) => path).sort()).toEqual([...english.keys()].sort());
    expect(own.filter(([, value]) => value === "")).toEqual([]);
  });

  test("has the same places in each sentence; a form may leave its number out", () => {
    for (const [path, value] of own) {
      const wanted = english.get(path) ?? "";
      const all = places(typeof wanted === "string" ? wanted : Object.values(wanted).join(" "));
      for (const text of typeof value === "string" ? [value] : Object.values(value)) {
        const missing = [...all].filter((name) => name !== "count" && !places(text).has(name));
        const unknown = [...places(text)].filter((name) => !all.has(name));
        expect({ path, missing, unknown }).toEqual({ path, missing: [], unknown: [] });
      }
    }
  });

  test("has a form for every kind of number that the language knows", () => {
    const kinds = new Intl.PluralRules(tag).resolvedOptions().pluralCategories;
    for (const [path, value] of own) {
      if (typeof value === "object") expect(Object.keys(value).sort(), path).toEqual([...kinds].sort());
    }
  });

  test.skipIf(dir === "ltr")("has no English left in it by mistake", () => {
    const texts = own.flatMap(([path, value]) =>
      (typeof value === "string" ? [value] : Object.values(value)).map((text) => ({ path, text })),
    );
    const latin = texts.filter(({ text }) =>
      /[A-Za-z]/.test(text.replace(/\{\w+\}/g, "").replace(LATIN_ALLOWED, "")),
    );
    expect(latin).toEqual([]);
    expect(texts.filter(({ text }) => !/[\u0600-\u06ff]/.test(text))).toEqual([]);
  });

  test("property: any number is told in its own form, with no place left open", () => {
    const forms = own.flatMap(([, value]) => (typeof value === "object" ? [value as { other: string }] : []));
    const numbers = fc.oneof(fc.constantFrom(0, 1, 2, 3, 11, 100), fc.nat({ max: 100_000 }));
    fc.assert(
      fc.property(numbers, fc.constantFrom(...forms), (count, one) => {
        const values = Object.fromEntries([...places(one.other)].map((name) => [name ?? "", "x"]));
        const told = counted(one, count, tag, values);
        expect(told).not.toMatch(/[{}]|undefined/);
        expect(formOf(one, count, tag)).toBe(
          (one as Record<string, string>)[new Intl.PluralRules(tag).select(count)],
        );
      }),
    );
  });
});

test("Arabic has six forms of a number", () => {
  const { tag, words } = languageOf("ar");
  const said = [0, 1, 2, 3, 11, 100].map((count) => counted(words.story.tries, count, tag));
  expect(new Set(said).size).toBe(6);
  expect(said[3]).toBe("3 محاولات");
});

test.each([
  ["ar-EG", "ar", "ar-EG", "rtl"],
  ["ar", "ar", "ar", "rtl"],
  ["en-US", "en", "en-GB", "ltr"],
  ["de", "en", "en-GB", "ltr"],
  ["not a tag", "en", "en-GB", "ltr"],
  [null, "en", "en-GB", "ltr"],
])("a reader of %s gets %s, dates as %s, from %s", (asked, locale, tag, dir) => {
  expect(languageOf(asked)).toMatchObject({ locale, tag, dir });
});

test.each([
  ["ar,en;q=0.8", "ar"],
  ["en-GB,en;q=0.9,ar;q=0.8", "en"],
  ["fr-FR,ar;q=0.5,en;q=0.4", "ar"],
  ["ar;q=0,en", "en"],
  ["fr", "en"],
  ["*", "en"],
  ["", "en"],
  [null, "en"],
])("a browser that accepts %s reads %s", (header, locale) => {
  expect(languageAccepted(header).locale).toBe(locale);
});

test("a Latin name in a sentence from right to left is isolated, in one from left to right it is not", () => {
  expect(fill("بتوقيت {zone}", { zone: "New York" })).toBe("بتوقيت \u2068New York\u2069");
  expect(fill("Time in {zone}", { zone: "New York" })).toBe("Time in New York");
  expect(fill("عبر {channel}", { channel: "الإشعارات" })).toBe("عبر الإشعارات");
  expect(fill("a {b}", {})).toBe("a {b}");
  expect(fillPhrase("{service} at {at}.", { service: "It", at: { atMs: 1 } })).toEqual([
    "It at ",
    { atMs: 1 },
    ".",
  ]);
});

test("a rule is told in the language's own order and numbers", () => {
  const rule = "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR;COUNT=3";
  expect(tellRecurrence(rule, languageOf("en"))).toBe("Every 2 weeks on Monday and Friday, 3 times");
  expect(tellRecurrence(rule, languageOf("ar"))).toBe("كل أسبوعين، أيام الاثنين والجمعة، 3 مرات");
});
