import { expect, test } from "vitest";
import { messageLocale } from "../../../db/rules/message-locale";
import { renderPhoneCode, renderReminder, renderSignInCode } from "../../../inngest/messages/render";
import { messageWords, textDirection } from "../../../inngest/messages/words";

const LANGUAGES = ["en", "de", "fr", "ar"] as const;

/** Every text that a language has, functions called with something to say. */
function textsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "function") return [String(value("7", 7))];
  return Object.values(value as object).flatMap(textsOf);
}

test.each(LANGUAGES)("%s says everything, and nothing of it in another language", (language) => {
  const texts = textsOf(messageWords(language));
  expect(texts.length).toBe(textsOf(messageWords("en")).length);
  expect(texts.every((text) => text.trim() !== "")).toBe(true);
  if (language !== "en") {
    const english = new Set(textsOf(messageWords("en")));
    // Words that two languages share are no words left behind.
    expect(texts.filter((text) => english.has(text) && text !== "notification")).toEqual([]);
  }
});

test("a language that messages do not exist in reads as English, whatever its name", () => {
  for (const locale of ["ja", "", null, undefined, "__proto__", "constructor"])
    expect(messageLocale(locale)).toBe("en");
  expect(messageLocale("ar-EG")).toBe("ar");
});

test.each([
  [1, "دقيقة واحدة"],
  [2, "دقيقتين"],
  [5, "5 دقائق"],
  [15, "15 دقيقة"],
  [100, "100 دقيقة"],
])("Arabic has the right form for %i minutes", (count, words) => {
  expect(messageWords("ar").validFor(count)).toContain(words);
});

test("a right-to-left language is written from right to left, and a title in any language keeps its own direction", async () => {
  expect(textDirection("ar")).toBe("rtl");
  const { email } = await renderReminder({
    title: "Water the plants",
    note: null,
    url: "https://shop.example/p/1",
    whenText: "الاثنين",
    manageUrl: "https://punctual.example/r/1",
    locale: "ar",
  });
  expect(email.html).toContain('<html dir="rtl" lang="ar">');
  expect(email.html).toMatch(/<h1[^>]*dir="auto"[^>]*>/);
  expect(email.html).toContain("فتح الرابط");
  const code = await renderSignInCode({ code: "123456", minutes: 10, locale: "ar" });
  expect(code.email.html).toContain('dir="rtl"');
  expect(renderPhoneCode({ code: "123456", minutes: 10, locale: "ar" }).sms.segments).toBeLessThanOrEqual(2);
});
