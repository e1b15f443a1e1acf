import "server-only";
import { headers } from "next/headers";
import { unstable_rethrow } from "next/navigation";
import { cache } from "react";
import { type Language, languageAccepted, languageOf } from "../../db/rules/languages";
import { readLocale } from "../../db/shoppers";
import { log } from "../../inngest/log";
import { currentShopper } from "../_auth/session";
import { inTime } from "../_shell/in-time";

/**
 * The language of this answer: the one that whoever is signed in has chosen, otherwise the browser's. When nobody can
 * say who is there it is the browser's as well: a page that tells of a failure is readable all the same.
 */
export const pageLanguage = cache(async (): Promise<Language> => {
  const accepted = languageAccepted((await headers()).get("accept-language"));
  try {
    const shopper = await currentShopper();
    const chosen = shopper === null ? null : await inTime(readLocale(shopper.subscriberId));
    return chosen === null ? accepted : languageOf(chosen);
  } catch (error) {
    unstable_rethrow(error);
    log.error("nobody knows the reader's language", { error });
    return accepted;
  }
});
