"use client";

import { createContext, type ReactNode, use, useMemo } from "react";
import type { Speech, Words } from "../../db/rules/speech";

interface Given {
  tag: string;
  words: Partial<Words>;
}

const Context = createContext<Given>({ tag: "en-GB", words: {} });

/** Hands the parts of the words that components in the browser need to those below; the dictionary stays on the server. */
export function GiveWords({ tag, words, children }: Given & { children: ReactNode }) {
  const outer = use(Context);
  const given = useMemo(() => ({ tag, words: { ...outer.words, ...words } }), [outer, tag, words]);
  return <Context value={given}>{children}</Context>;
}

/** The words of these parts, in the reader's language. */
export function useWords<Section extends keyof Words>(...sections: Section[]): Speech<Section> {
  const { tag, words } = use(Context);
  const missing = sections.find((section) => words[section] === undefined);
  if (missing !== undefined) throw new Error(`Bug! no page above gave the words "${missing}"`);
  return { tag, words: words as Pick<Words, Section> };
}
