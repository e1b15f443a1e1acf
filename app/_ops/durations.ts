const MINUTE_MS = 60_000;

/** For how long a change may be made: by its word in an address, with what it is called. Null lasts until changed. */
export const DURATIONS: readonly { word: string; name: string; ms: number | null }[] = [
  { word: "15m", name: "15 minutes", ms: 15 * MINUTE_MS },
  { word: "30m", name: "30 minutes", ms: 30 * MINUTE_MS },
  { word: "1h", name: "1 hour", ms: 60 * MINUTE_MS },
  { word: "4h", name: "4 hours", ms: 240 * MINUTE_MS },
  { word: "12h", name: "12 hours", ms: 720 * MINUTE_MS },
  { word: "open", name: "until changed", ms: null },
];

/** The duration that a word names; a word that names none reads as the one that ends soon. */
export function readDuration(word: string | undefined, otherwise = "30m"): (typeof DURATIONS)[number] {
  const found = DURATIONS.find((known) => known.word === word);
  return (
    found ??
    DURATIONS.find((known) => known.word === otherwise) ?? {
      word: "30m",
      name: "30 minutes",
      ms: 30 * MINUTE_MS,
    }
  );
}
