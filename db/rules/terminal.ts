/** Everything that a terminal obeys instead of showing: C0 without tab and line feed, DEL, C1 (ECMA-48), and what turns lines around. */
const OBEYED = /[^\P{Cc}\t\n]|[\u202a-\u202e\u2066-\u2069]/gu;

const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** A text for a terminal: whatever somebody wrote into it, it colours, moves and answers nothing. */
export function textForTerminal(text: string): string {
  return text.replace(OBEYED, escaped);
}

/** A value as JSON, which reads as the same value and is as harmless: `JSON.stringify` leaves DEL and C1 as they are. */
export function jsonForTerminal(value: unknown): string {
  return JSON.stringify(value).replace(OBEYED, escaped);
}
