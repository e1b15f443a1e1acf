import { Fragment } from "react";
import type { Phrase } from "../../db/rules/words";
import { When } from "./when";

interface PhraseProps {
  phrase: Phrase;
  timeZone: string;
  nowMs: number;
  /** How the reader's language writes dates; the console's is English. */
  tag?: string;
}

/** Writes a sentence with its instants in the reader's zone. */
export function PhraseText({ phrase, ...when }: PhraseProps) {
  return phrase.map((part, index) => (
    // The parts of one sentence never change places.
    // biome-ignore lint/suspicious/noArrayIndexKey: position is what identifies a part
    <Fragment key={index}>
      {typeof part === "string" ? part : <When {...when} atMs={part.atMs} seconds={part.seconds} />}
    </Fragment>
  ));
}
