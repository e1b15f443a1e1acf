/** What a person calls one character: an emoji with its modifiers, a letter with its accents. */
const GRAPHEMES = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Controls, line and paragraph separators: each would end a mail header or a line of a message. */
const BREAKS = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;
/** Overrides and isolates change how the rest of a line reads. */
const BIDI_CONTROLS = /[\u202a-\u202e\u2066-\u2069]/g;

/** Half surrogate pairs become U+FFFD: as JSON or as bytes they would fail, or change silently. */
export function wellFormed(text: string): string {
  return text.toWellFormed();
}

/**
 * One line of text for a subject, a title or a text message: runs of controls and line breaks become one space,
 * direction overrides go, half surrogate pairs become U+FFFD, outer white space is trimmed.
 */
export function oneLine(text: string): string {
  return wellFormed(text.replace(BIDI_CONTROLS, "")).replace(BREAKS, " ").trim();
}

/**
 * The longest beginning of `text` that fits, with `ellipsis` where something was cut; the text itself if it fits, and
 * the empty text if nothing does. Cuts between graphemes only, so no emoji and no accent is ever split. `fits` must
 * hold for every beginning of a text for which it holds.
 */
export function shortenToFit(text: string, fits: (candidate: string) => boolean, ellipsis = "…"): string {
  if (fits(text)) return text;
  const ends = [...GRAPHEMES.segment(text)].map((part) => part.index);
  let fitting = "";
  let low = 1;
  let high = ends.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const candidate = text.slice(0, ends[middle]).trimEnd() + ellipsis;
    if (fits(candidate)) {
      fitting = candidate;
      low = middle + 1;
    } else {
      high = middle - 1;
    }
  }
  return fitting;
}

/** The text in at most `graphemesMax` graphemes, the last one an ellipsis where something was cut. */
export function shortenGraphemes(text: string, graphemesMax: number): string {
  // No grapheme is shorter than one UTF-16 unit.
  if (text.length <= graphemesMax) return text;
  const ends: number[] = [];
  for (const part of GRAPHEMES.segment(text)) {
    ends.push(part.index);
    if (ends.length > graphemesMax) return `${text.slice(0, ends[graphemesMax - 1]).trimEnd()}…`;
  }
  return text;
}
