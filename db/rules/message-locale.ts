import { acceptedTags } from "./accept-language";

/** The languages that messages are written in; a new one has its words in `inngest/messages/`. */
export const MESSAGE_LOCALES = ["en", "de", "fr", "ar"] as const;
export type MessageLocale = (typeof MESSAGE_LOCALES)[number];

/** The language of a BCP 47 tag that messages exist in; English for the others. */
export function messageLocale(locale: string | null | undefined): MessageLocale {
  const language = (locale ?? "").toLowerCase().split("-")[0];
  return MESSAGE_LOCALES.find((known) => known === language) ?? "en";
}

/** The best of a browser's languages that messages exist in; English when there is none. */
export function messageLocaleAccepted(header: string | null): MessageLocale {
  const known = acceptedTags(header).map((tag) => tag.toLowerCase().split("-")[0]);
  return MESSAGE_LOCALES.find((locale) => locale === known.find((one) => isKnown(one))) ?? "en";
}

function isKnown(language: string | undefined): boolean {
  return MESSAGE_LOCALES.some((locale) => locale === language);
}
