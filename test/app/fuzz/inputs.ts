import type { Dice } from "../../simulation/dice";

/** Stands in every made text that could be markup: nowhere in an answer may it be found as it is. */
export const MARKUP = `<q7"'onx=1>`;

/** Texts that broke others (see the cases of the API's tests), and edges of our own parsers. */
const TEXTS = [
  ...["", " ", "0", "-1", "1e999", "NaN", "null", "undefined", "true", "[object Object]", "__proto__"],
  ...["constructor", "hasOwnProperty", "toString", "\u0000", "a\u0000b", "\ud83d", "ab\ud83d", "\udc00x"],
  ...["\u202e\u202e", "\u200b", "\ufeff", "\u2028", "é́́", "👩‍👩‍👧‍👦", "İ", "ß", "﷽", "العربية", "１２３", "٣"],
  ...["a\r\nBcc: b@example.com", "\r\nset-cookie: a=b", "\u001b[31m", "=HYPERLINK(1)", "+1", "@x", "'; --"],
  ...[
    MARKUP,
    `javascript:alert(1)//${MARKUP}`,
    `{{7*7}}${MARKUP}`,
    `\${1}${MARKUP}`,
    "%00",
    "%",
    "%ff",
    "%E0%A4",
  ],
  ...[
    "../../etc/passwd",
    "//evil.example",
    "/\\evil.example",
    "https:evil.example",
    "http://127.0.0.1:5432/",
  ],
  ...["https://[::1]/", "https://evil.example@fcm.googleapis.com/", "data:text/html,x", "file:///etc/passwd"],
  ...["2026-02-30", "2026-12-24T09:00", "2026-12-24T24:00:00Z", "-271821-04-20", "+275760-09-13T00:00:00Z"],
  ...[
    "9999-12-31T23:59:59.999999999Z",
    "0000-01-01T00:00:00Z",
    "2026-03-29T02:30",
    "2026-12-24T09:00:60+99:99",
  ],
  ...[
    "Europe/Berlin",
    "Europe/berlin ",
    "Etc/GMT+99",
    "UTC",
    "+01:00",
    "Antarctica/Troll",
    "America/Argentina",
  ],
  ...[
    "FREQ=DAILY",
    "FREQ=YEARLY;BYDAY=MO;COUNT=99999999",
    "FREQ=WEEKLY;INTERVAL=0",
    "FREQ=;;;",
    "RRULE:FREQ=DAILY",
  ],
  ...[
    "tomorrow 9am",
    "in 9999 hours",
    "every 99 weeks on mon until 31 dec",
    "every mon,,,",
    "99 99 99:99",
    "in a",
  ],
  ...["ada@shopper.example", "a@b", `"${MARKUP}"@shopper.example`, "user@münchen.example", "@", "a@-.-"],
  ...["+12025550123", "+1 (202) 555-0123", "911", "+999999999999999", "١٢٣٤٥٦٧", "+1900;ext=4"],
  ...[
    "Fri, 31 Dec 9999 23:59:59 GMT",
    "Sunday, 06-Nov-94 08:49:37 GMT",
    "120",
    "-120",
    "1e3",
    "0x10",
    "soon, 5, 7",
  ],
  ...[
    "00000000-0000-4000-8000-000000000000",
    "11111111-1111-1111-1111-11111111111g",
    "email,sms,push",
    "done",
  ],
];

/** What a pattern may try again from each of its places, when something else comes before and after. */
export const RUNS = [
  " ",
  "\n",
  "\u00a0",
  "\u200b",
  "-",
  ".",
  ",",
  ":",
  "/",
  "a",
  "0",
  "a ",
  "a.",
  "a@",
  "+1",
  "0 ",
  "e\u0301",
  "(",
];

/** Text of any kind and length; about one in thirty is long. */
export function text(dice: Dice): string {
  const one = dice.pick(TEXTS);
  if (dice.chance(0.01)) {
    const run = dice.pick(RUNS);
    return `${dice.pick(TEXTS)}a${run.repeat(50_000 / run.length)}${dice.pick(TEXTS)}`;
  }
  if (dice.chance(0.03)) return one.repeat(dice.pick([40, 700, 9_000])).slice(0, 40_000);
  if (dice.chance(0.3)) return `${one}${dice.pick(TEXTS)}`;
  if (dice.chance(0.2)) return String.fromCharCode(...many(dice, 12, () => dice.int(0, 0xffff)));
  return one;
}

function many<T>(dice: Dice, most: number, make: () => T): T[] {
  return Array.from({ length: dice.int(0, most) }, make);
}

/** Any JSON value. */
export function anything(dice: Dice, depth = 0): unknown {
  const deeper = depth < 4 && dice.chance(0.4);
  if (deeper && dice.chance(0.5)) return many(dice, 4, () => anything(dice, depth + 1));
  if (deeper)
    return Object.fromEntries(many(dice, 4, () => [text(dice).slice(0, 50), anything(dice, depth + 1)]));
  return dice.pick<() => unknown>([
    () => text(dice),
    () => null,
    () => dice.chance(0.5),
    () => dice.pick([0, -0, -1, 0.1, 1e21, 2 ** 53, -(2 ** 31), 2_147_483_648, 1e-7, 99_999_999_999]),
    () => dice.int(-5, 2_000),
  ])();
}

/** The value with something changed at some places in it. */
export function mutated(dice: Dice, value: unknown): unknown {
  if (dice.chance(0.12)) return anything(dice);
  if (Array.isArray(value)) {
    const items = value.map((item) => (dice.chance(0.4) ? mutated(dice, item) : item));
    if (dice.chance(0.15)) items.push(...items, ...items);
    return dice.chance(0.1) ? [] : items;
  }
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).flatMap(([key, item]): [string, unknown][] => {
      if (dice.chance(0.08)) return [];
      return [[key, dice.chance(0.3) ? mutated(dice, item) : item]];
    });
    if (dice.chance(0.15)) entries.push([text(dice).slice(0, 60), anything(dice)]);
    return Object.fromEntries(entries);
  }
  if (typeof value === "string") return dice.chance(0.5) ? text(dice) : spliced(dice, value);
  return dice.chance(0.3) ? value : anything(dice);
}

/** A text with a part of it taken out, doubled or replaced. */
export function spliced(dice: Dice, value: string): string {
  const from = dice.int(0, value.length);
  const until = dice.int(from, Math.min(value.length, from + 8));
  const middle = dice.pick([() => "", () => text(dice), () => value.slice(from, until).repeat(3)])();
  return `${value.slice(0, from)}${middle}${value.slice(until)}`;
}

/** A body as bytes: mostly JSON, sometimes cut, doubled, of another encoding, or far too large. */
export function bytesOf(dice: Dice, written: string): string | Uint8Array {
  if (dice.chance(0.85)) return written;
  return dice.pick<() => string | Uint8Array>([
    () => written.slice(0, dice.int(0, written.length)),
    () => written + written,
    () => spliced(dice, written),
    () => "[".repeat(dice.pick([100, 100_000])),
    () => `{"a":${"9".repeat(dice.pick([10, 400]))}}`,
    () => new Uint8Array(many(dice, 200, () => dice.int(0, 255))),
    () => Buffer.from(written, "utf16le"),
    () => `\ufeff${written}`,
    () => `${written}${" ".repeat(2_000_000)}`,
  ])();
}

/** A header's value: the characters that HTTP lets through. */
export function headerValue(dice: Dice): string {
  return text(dice)
    .replace(/[^\t\x20-\x7e\x80-\xff]/g, "?")
    .slice(0, 4_000)
    .trim();
}
