import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { printable, type Result } from "../../../db/rules/errors";
import { checkText, checkUrl, cleanProviderText } from "../../../db/rules/text";

const TITLE = { maxLength: 200, required: true, multiline: false } as const;
const NOTE = { maxLength: 2000, required: false, multiline: true } as const;

/** Any sequence of UTF-16 units, half pairs, controls and invisible characters well represented. */
const anyUnits = fc
  .array(
    fc.oneof(
      fc.integer({ min: 0, max: 0xffff }),
      fc.integer({ min: 0, max: 0xa0 }),
      fc.integer({ min: 0xd800, max: 0xdfff }),
      fc.constantFrom(0x200b, 0x200d, 0x202e, 0x2028, 0x2066, 0xfeff, 0x301, 0x41),
    ),
    { maxLength: 60 },
  )
  .map((units) => String.fromCharCode(...units));

function refusal(result: Result<unknown>) {
  expect(result.ok).toBe(false);
  if (result.ok || result.problem.code !== "invalid_input") throw new Error("expected invalid_input");
  return result.problem.fields[0];
}

describe("a title", () => {
  const refused: [unknown, string][] = [
    ["Sale\r\nBcc: b@example.com", "line break"],
    ["Sale\nBcc: b@example.com", "line break"],
    ["Sale\rBcc: b@example.com", "line break"],
    ["Sale\u2028Bcc: b@example.com", "line break"],
    ["Sale\u2029Bcc: b@example.com", "line break"],
    ["Pay rent\n", "line break"],
    ["a\u0000b", "control character"],
    ["a\u0085b", "control character"],
    ["a\u007fb", "control character"],
    ["a\tb", "control character"],
    ["ab\ud83d", "surrogate"],
    ["\ude00ab", "surrogate"],
    ["\u200b\u200b\u200d\ufeff", "no visible character"],
    ["\u3164\u2800\u00ad", "no visible character"],
    ["\u202e\u2066", "is empty"],
    ["", "is empty"],
    ["   ", "is empty"],
    ["x".repeat(2000), "2000 characters long"],
    ["😀".repeat(201), "201 characters long"],
    [undefined, "is missing"],
    [null, "is missing"],
    [7, "must be text"],
    [["a"], "must be text"],
  ];
  for (const [value, why] of refused) {
    test(`${printable(value)} is refused: ${why}`, () => {
      const error = refusal(checkText("title", value, TITLE));
      expect(error).toMatchObject({ field: "title", accepted: "one line of text of 1 to 200 characters" });
      expect(error?.message).toContain(why);
    });
  }

  const kept: [string, string][] = [
    ["  Pay rent ", "Pay rent"],
    ["<img src=x onerror=alert(1)>", "<img src=x onerror=alert(1)>"],
    ['=HYPERLINK("http://x")', '=HYPERLINK("http://x")'],
    ["ab\u202egnp.exe", "abgnp.exe"],
    ["\u2067ab\u2069", "ab"],
    ["e\u0301", "é"],
    ["مرحبا بالعالم", "مرحبا بالعالم"],
    ["שלום \u200fעולם", "שלום \u200fעולם"],
    ["می\u200cخواهم", "می\u200cخواهم"],
    [
      "👩\u200d👩\u200d👧 🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
      "👩\u200d👩\u200d👧 🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
    ],
    ["😀".repeat(200), "😀".repeat(200)],
  ];
  for (const [value, text] of kept) {
    test(`${printable(value)} becomes ${printable(text)}`, () => {
      expect(checkText("title", value, TITLE)).toEqual({ ok: true, value: text });
    });
  }

  test("an emoji across the 160th UTF-16 unit stays whole", () => {
    const title = `${"a".repeat(159)}😀`;
    expect(checkText("title", title, TITLE)).toEqual({ ok: true, value: title });
  });
});

describe("a note", () => {
  test("keeps tabs and line breaks, as line feeds", () => {
    expect(checkText("note", "a\r\nb\rc\n\td\u2028e", NOTE)).toEqual({ ok: true, value: "a\nb\nc\n\td\ne" });
  });

  for (const value of [undefined, null, "", "  \n "]) {
    test(`${printable(value)} is an empty note`, () => {
      expect(checkText("note", value, NOTE)).toEqual({ ok: true, value: "" });
    });
  }

  for (const value of ["a\u0000b", "a\u001bb", "\u200b", "ab\ud83d"]) {
    test(`${printable(value)} is refused`, () => {
      expect(refusal(checkText("note", value, NOTE))?.field).toBe("note");
    });
  }
});

test("what a check lets through is storable, bounded, and goes through again unchanged", () => {
  fc.assert(
    fc.property(
      fc.oneof(anyUnits, fc.string({ unit: "grapheme" })),
      fc.constantFrom(TITLE, NOTE),
      (value, rule) => {
        const result = checkText("text", value, rule);
        if (!result.ok) return;
        expect(result.value).not.toMatch(/[\p{Cs}\u202a-\u202e\u2066-\u2069]/u);
        expect(result.value.replace(/[\t\n]/g, "")).not.toMatch(/\p{Cc}/u);
        expect([...result.value].length).toBeLessThanOrEqual(rule.maxLength);
        expect(checkText("text", result.value, rule)).toEqual(result);
      },
    ),
    { numRuns: 500 },
  );
});

describe("a link", () => {
  const kept: [string, string][] = [
    ["https://example.com", "https://example.com/"],
    [" http://example.com/a?b=c#d ", "http://example.com/a?b=c#d"],
    ["HTTPS://EXAMPLE.com/Path", "https://example.com/Path"],
    ["https://пошта.example/путь", "https://xn--80a1acn3a.example/%D0%BF%D1%83%D1%82%D1%8C"],
    ["http://localhost:3000/orders/1", "http://localhost:3000/orders/1"],
    ["https://example.com/@user", "https://example.com/@user"],
  ];
  for (const [value, url] of kept) {
    test(`${printable(value)} becomes ${url}`, () => {
      expect(checkUrl("url", value)).toEqual({ ok: true, value: url });
    });
  }

  const refused: unknown[] = [
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    " javascript:alert(1)",
    "java\nscript:alert(1)",
    "data:text/html,<script>",
    "ftp://example.com",
    "//example.com",
    "/orders/1",
    "https:example.com",
    "https:\\\\example.com",
    "https:///example.com",
    "https://user:pw@example.com",
    "https://user@example.com",
    "https://@example.com",
    "https://example.com/a b",
    "https://example.com/a\r\nBcc: b",
    "https://example.com/\u202e",
    "https://example.com/\ud83d",
    "https://",
    `https://example.com/${"a".repeat(2000)}`,
    `https://example.com/${"я".repeat(700)}`,
    "",
    undefined,
    null,
    7,
  ];
  for (const value of refused) {
    test(`${printable(value)} is refused on the field`, () => {
      expect(refusal(checkUrl("url", value))?.field).toBe("url");
    });
  }

  test("never throws, and what it lets through is ASCII and goes through again unchanged", () => {
    const urls = fc.oneof(
      anyUnits,
      fc.webUrl(),
      fc.tuple(fc.constant("https://"), anyUnits).map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(urls, (value) => {
        const result = checkUrl("url", value);
        if (!result.ok) return;
        expect(result.value).toMatch(/^https?:\/\/[\x21-\x7e]+$/);
        expect(checkUrl("url", result.value)).toEqual(result);
      }),
      { numRuns: 500 },
    );
  });
});

describe("text from a provider", () => {
  const cleaned: [unknown, number, string][] = [
    ["plain", 100, "plain"],
    ["a\u0000b", 100, "a\ufffdb"],
    ["ab\ud83d", 100, "ab\ufffd"],
    ["ab\ud83dcd", 100, "ab\ufffdcd"],
    ["line\r\nbreak\ttab", 100, "line break tab"],
    ["\u202e<script>alert(1)</script>", 100, "<script>alert(1)</script>"],
    ["😀😀😀😀", 3, "😀😀…"],
    [`${"a".repeat(159)}😀b`, 160, `${"a".repeat(159)}…`],
    [`${"\u202e".repeat(7)}😀 and more`, 3, "…"],
    ["abc", 0, ""],
    ["abc", Number.NaN, ""],
    ["abc", -1, ""],
    [undefined, 10, ""],
    [null, 10, ""],
    [{ toString: null }, 10, ""],
  ];
  for (const [value, maxLength, text] of cleaned) {
    test(`${printable(value)} within ${maxLength} becomes ${printable(text)}`, () => {
      expect(cleanProviderText(value, maxLength)).toBe(text);
    });
  }

  test("is always storable and within its limit", () => {
    fc.assert(
      fc.property(fc.oneof(anyUnits, fc.anything()), fc.integer({ min: -1, max: 70 }), (value, maxLength) => {
        const text = cleanProviderText(value, maxLength);
        expect(text).not.toMatch(/[\p{Cc}\p{Cs}]/u);
        expect([...text].length).toBeLessThanOrEqual(Math.max(0, maxLength));
        expect(new TextDecoder("utf-8", { ignoreBOM: true }).decode(new TextEncoder().encode(text))).toBe(
          text,
        );
      }),
      { numRuns: 500 },
    );
  });

  test("a body of many megabytes costs no more than what is kept of it", () => {
    expect(cleanProviderText("\u0000".repeat(20_000_000), 5)).toBe("\ufffd\ufffd\ufffd\ufffd…");
  });
});
