import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonForTerminal, textForTerminal } from "../../../db/rules/terminal";

/** C0 without tab and line feed, DEL, C1; overrides and isolates. */
const OBEYED: [from: number, to: number][] = [
  [0x00, 0x08],
  [0x0b, 0x1f],
  [0x7f, 0x9f],
  [0x202a, 0x202e],
  [0x2066, 0x2069],
];

const isHarmless = (text: string) =>
  [...text].every((one) => {
    const code = one.codePointAt(0) ?? 0;
    return !OBEYED.some(([from, to]) => code >= from && code <= to);
  });

test.each([
  ["a colour", "\u001b[31mred", "\\u001b[31mred"],
  ["the eight-bit form of it", "\u009b31mred", "\\u009b31mred"],
  ["a window title", "\u001b]0;pwned\u0007", "\\u001b]0;pwned\\u0007"],
  ["a line that overwrites itself", "dead\rsent", "dead\\u000dsent"],
  ["a line that reads backwards", "\u202egnp.exe", "\\u202egnp.exe"],
  ["words in any script, tabs and lines", "Grüße\tبريد\n日本", "Grüße\tبريد\n日本"],
])("%s is shown and not obeyed", (_what, text, shown) => {
  expect(textForTerminal(text)).toBe(shown);
});

test("whatever is in a text, a terminal obeys none of it, and JSON reads as the value that it was", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(isHarmless(textForTerminal(text))).toBe(true);
      const json = jsonForTerminal({ [text]: [text] });
      expect(isHarmless(json)).toBe(true);
      expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify({ [text]: [text] })));
    }),
  );
});
