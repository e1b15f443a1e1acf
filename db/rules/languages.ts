import { acceptedTags } from "./accept-language";
import ar from "./languages/ar.json";
import en from "./languages/en.json";
import type { Words } from "./speech";

/** The languages that pages exist in: a file in `languages/`, and its name here. A key that it lacks does not compile. */
const DICTIONARIES = { en, ar } satisfies Record<string, Words>;

export type PageLocale = keyof typeof DICTIONARIES;

export const PAGE_LOCALES = Object.keys(DICTIONARIES) as PageLocale[];

/** Languages that are written from right to left. */
const RIGHT_TO_LEFT = ["ar", "fa", "he", "ur"];

/** How a reader is spoken to. */
export interface Language {
  locale: PageLocale;
  /** The BCP 47 tag by which dates and numbers are written: the reader's own, where the language is theirs. */
  tag: string;
  dir: "ltr" | "rtl";
  words: Words;
}

/** The language of the pages for a reader's tag; English for a language that they do not exist in. */
export function languageOf(tag: string | null | undefined): Language {
  const name = (tag ?? "").toLowerCase().split("-")[0];
  const locale = PAGE_LOCALES.find((known) => known === name) ?? "en";
  const own = locale === name && supports(tag ?? "") ? (tag ?? locale) : locale;
  return {
    locale,
    // English dates have the day before the month for everybody: read by people of many countries, and unambiguous.
    tag: locale === "en" ? "en-GB" : own,
    dir: RIGHT_TO_LEFT.includes(locale) ? "rtl" : "ltr",
    words: DICTIONARIES[locale],
  };
}

function supports(tag: string): boolean {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(tag).length > 0;
  } catch {
    return false;
  }
}

/** The best of a browser's languages (RFC 9110, 12.5.4) that pages exist in; English when there is none. */
export function languageAccepted(header: string | null): Language {
  const exists = (tag: string) => languageOf(tag).locale === tag.toLowerCase().split("-")[0];
  return languageOf(acceptedTags(header).find(exists));
}

/** What the operators' console is written in. */
export const ENGLISH = languageOf("en");
