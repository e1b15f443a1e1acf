/** The languages that messages are written in; a new one has its words in `inngest/messages/`. */
export const MESSAGE_LOCALES = ["en", "de", "fr", "ar"] as const;
export type MessageLocale = (typeof MESSAGE_LOCALES)[number];

/** The language of a BCP 47 tag that messages exist in; English for the others. */
export function messageLocale(locale: string | null | undefined): MessageLocale {
  const language = (locale ?? "").toLowerCase().split("-")[0];
  return MESSAGE_LOCALES.find((known) => known === language) ?? "en";
}
