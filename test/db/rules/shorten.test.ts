import fc from "fast-check";
import { expect, test } from "vitest";
import { oneLine, shortenGraphemes, shortenToFit, wellFormed } from "../../../db/rules/shorten";

test.each([
  ["Sale\r\nBcc: b@example.com", "Sale Bcc: b@example.com"],
  ["a\nb", "a b"],
  ["a\u2028b\u2029c", "a b c"],
  ["a\u0000b\u0007", "a b"],
  ["\u202eevil\u202c", "evil"],
  ["ab\ud83d", "ab\ufffd"],
  ["  spaced  ", "spaced"],
  ["مرحبا 😀", "مرحبا 😀"],
])("%j becomes the one line %j", (text, line) => {
  expect(oneLine(text)).toBe(line);
});

test("half characters are replaced, whole ones kept", () => {
  expect(wellFormed("a\udc00b😀\ud800")).toBe("a\ufffdb😀\ufffd");
});

test("a text that fits is left alone, one that cannot fit is empty", () => {
  expect(shortenToFit("abc", () => true)).toBe("abc");
  expect(shortenToFit("abc", () => false)).toBe("");
  expect(shortenToFit("", () => true)).toBe("");
});

test("no emoji and no accent is ever split", () => {
  const family = "👨‍👩‍👧";
  const text = `${family}${family}${family}`;
  expect(shortenToFit(text, (candidate) => candidate.length <= 12)).toBe(`${family}…`);
  expect(shortenGraphemes("e\u0301e\u0301e\u0301e\u0301", 3)).toBe("e\u0301e\u0301…");
  expect(shortenGraphemes("abc", 3)).toBe("abc");
  expect(shortenGraphemes("abcd", 3)).toBe("ab…");
});

test("what is shortened fits and begins like the text", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme", maxLength: 60 }),
      fc.integer({ min: 1, max: 80 }),
      (text, max) => {
        const short = shortenToFit(text, (candidate) => candidate.length <= max);
        if (text.length <= max) {
          expect(short).toBe(text);
        } else if (short !== "") {
          expect(short.length).toBeLessThanOrEqual(max);
          expect(text.startsWith(short.slice(0, -1))).toBe(true);
        }
      },
    ),
  );
});
