import type { ReactNode } from "react";
import type { Language } from "../../db/rules/languages";
import { GiveWords } from "../_language/give-words";

/** Hands the words of the composer to the browser, and no others. */
export function ComposerWords({ language, children }: { language: Language; children: ReactNode }) {
  const { composer, picker, recurrence, repeat, when } = language.words;
  return (
    <GiveWords tag={language.tag} words={{ composer, picker, recurrence, repeat, when }}>
      {children}
    </GiveWords>
  );
}
