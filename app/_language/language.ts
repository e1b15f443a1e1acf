import "server-only";
import { headers } from "next/headers";
import { unstable_rethrow } from "next/navigation";
import { cache } from "react";
import { type Language, languageAccepted, languageOf } from "../../db/rules/languages";
import { type MessageLocale, messageLocale, messageLocaleAccepted } from "../../db/rules/message-locale";
import { readLocale } from "../../db/shoppers";
import { log } from "../../inngest/log";
import { currentShopper } from "../_auth/session";
import { inTime } from "../_shell/in-time";

/**
 * The language of this answer: the one that whoever is signed in has chosen, otherwise the browser's. When nobody can
 * say who is there it is the browser's as well: a page that tells of a failure is readable all the same.
 */
export const pageLanguage = cache(async (): Promise<Language> => {
  const accepted = languageAccepted(await browserLanguages());
  const chosen = await chosenTag();
  return chosen === null ? accepted : languageOf(chosen);
});

/**
 * The language of a page that a message leads to: its reader's, as the message itself has it; for a link that we have not
 * signed that of whoever is there. Such pages exist in every language that messages are written in.
 */
export async function linkLanguage(reader: string | null): Promise<MessageLocale> {
  const tag = reader ?? (await chosenTag());
  return tag === null ? messageLocaleAccepted(await browserLanguages()) : messageLocale(tag);
}

async function browserLanguages(): Promise<string | null> {
  return (await headers()).get("accept-language");
}

const chosenTag = cache(async (): Promise<string | null> => {
  // Before anything else: reading a request's headers is what tells a build that there is nothing to render yet.
  await headers();
  try {
    const shopper = await currentShopper();
    return shopper === null ? null : await inTime(readLocale(shopper.subscriberId));
  } catch (error) {
    unstable_rethrow(error);
    log.error("nobody knows the reader's language", { error });
    return null;
  }
});
