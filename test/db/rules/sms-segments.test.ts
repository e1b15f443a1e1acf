import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { countSmsSegments, toPlainPunctuation } from "../../../db/rules/sms-segments";

describe("segments are counted as carriers bill them", () => {
  test.each<[string, string, "gsm7" | "ucs2", number, number]>([
    ["nothing", "", "gsm7", 0, 0],
    ["100 characters with one ’", `${"a".repeat(99)}’`, "ucs2", 100, 2],
    ["159 a and €", `${"a".repeat(159)}€`, "gsm7", 161, 2],
    ["69 a and an emoji", `${"a".repeat(69)}😀`, "ucs2", 71, 2],
    ["10 letters, 74 ] and an emoji", `${"a".repeat(10)}${"]".repeat(74)}😀`, "ucs2", 86, 2],
    ["160 plain characters", "a".repeat(160), "gsm7", 160, 1],
    ["161 plain characters", "a".repeat(161), "gsm7", 161, 2],
    ["306 plain characters", "a".repeat(306), "gsm7", 306, 2],
    ["307 plain characters", "a".repeat(307), "gsm7", 307, 3],
    ["80 extension characters", "€".repeat(80), "gsm7", 160, 1],
    [
      "an extension character that would be split at 153",
      `${"a".repeat(152)}€${"a".repeat(152)}`,
      "gsm7",
      306,
      3,
    ],
    ["70 UTF-16 units", "я".repeat(70), "ucs2", 70, 1],
    ["71 UTF-16 units", "я".repeat(71), "ucs2", 71, 2],
    ["an emoji that would be split at 67", `${"я".repeat(66)}😀${"я".repeat(66)}`, "ucs2", 134, 3],
    ["umlauts and line breaks", "Größe: Ä Ö Ü\nà", "gsm7", 14, 1],
  ])("%s", (_, text, encoding, units, segments) => {
    expect(countSmsSegments(text)).toEqual({ encoding, units, segments });
  });

  test("a beginning of a text never takes more than the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 400 }), fc.nat({ max: 400 }), (text, length) => {
        const beginning = [...text].slice(0, length).join("");
        expect(countSmsSegments(beginning).segments).toBeLessThanOrEqual(countSmsSegments(text).segments);
      }),
    );
  });
});

test("a curly apostrophe made plain costs one segment, the rest is untouched", () => {
  const text = `${"a".repeat(99)}’`;
  expect(countSmsSegments(toPlainPunctuation(text)).segments).toBe(1);
  expect(toPlainPunctuation("“It’s” – now…\u202f9\u00a0AM")).toBe('"It\'s" - now... 9 AM');
  expect(toPlainPunctuation("Größe 5 € ñ [x] 😀 👨‍👩‍👧 مرحبا")).toBe("Größe 5 € ñ [x] 😀 👨‍👩‍👧 مرحبا");
});
