import { Fragment } from "react";
import type { Phrase } from "../../db/rules/words";
import { When } from "./when";

/** Writes a sentence with its instants in the reader's zone. */
export function PhraseText({ phrase, timeZone, nowMs }: { phrase: Phrase; timeZone: string; nowMs: number }) {
  return phrase.map((part, index) => (
    // The parts of one sentence never change places.
    // biome-ignore lint/suspicious/noArrayIndexKey: position is what identifies a part
    <Fragment key={index}>
      {typeof part === "string" ? (
        part
      ) : (
        <When atMs={part.atMs} timeZone={timeZone} nowMs={nowMs} seconds={part.seconds} />
      )}
    </Fragment>
  ));
}
