/** The languages that messages are written in; a new one has its words in `inngest/messages/`. */
const LANGUAGES = ["en", "de", "fr", "ar"] as const;
export type MessageLocale = (typeof LANGUAGES)[number];

/** The language of a BCP 47 tag that messages exist in; English for the others. */
export function messageLocale(locale: string | null | undefined): MessageLocale {
  const language = (locale ?? "").toLowerCase().split("-")[0];
  return LANGUAGES.find((known) => known === language) ?? "en";
}
