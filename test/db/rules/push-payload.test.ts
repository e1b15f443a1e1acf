import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { byteLength, fitPushPayload, PUSH_PLAINTEXT_BYTES_MAX } from "../../../db/rules/push-payload";

const TAG = "t".repeat(32);
const URL = "https://shop.example/p/1";

function payloadOf(title: string, body = "", url = URL, bytesMax = PUSH_PLAINTEXT_BYTES_MAX) {
  const json = fitPushPayload({ title, body, url, tag: TAG }, bytesMax);
  return json === null
    ? null
    : { json, ...(JSON.parse(json) as { title: string; body: string; url: string; tag: string }) };
}

/** A message whose JSON takes exactly so many bytes. */
function bodyFor(bytes: number): string {
  return "b".repeat(bytes - byteLength(JSON.stringify({ title: "T", body: "", url: URL, tag: TAG })));
}

test("exactly 3993 bytes go out untouched, 3994 are shortened", () => {
  const whole = payloadOf("T", bodyFor(3993));
  expect(byteLength(whole?.json ?? "")).toBe(3993);
  expect(whole?.body).toBe(bodyFor(3993));
  const cut = payloadOf("T", bodyFor(3994));
  expect(byteLength(cut?.json ?? "")).toBeLessThanOrEqual(3993);
  expect(cut?.body.endsWith("b…")).toBe(true);
});

describe("bytes count, not characters", () => {
  test.each([
    ["1500 €", "€".repeat(1500)],
    ["1100 emoji", "😀".repeat(1100)],
    ["500 families", "👨‍👩‍👧".repeat(500)],
    ["quotes, which JSON escapes", '"'.repeat(3000)],
    ["controls, which JSON writes with six bytes", "\u0001".repeat(1000)],
  ])("a title of %s is shortened between characters and keeps link and tag", (_, title) => {
    const fitted = payloadOf(title);
    expect(byteLength(fitted?.json ?? "")).toBeLessThanOrEqual(3993);
    expect(fitted).toMatchObject({ url: URL, tag: TAG });
    const kept = fitted?.title.slice(0, -1) ?? "";
    expect(kept.length).toBeGreaterThan(100);
    expect(title.startsWith(kept)).toBe(true);
    expect(/\p{Cs}/u.test(kept)).toBe(false);
  });
});

test("the body goes first, then the title", () => {
  const fitted = payloadOf("Title", "€".repeat(2000));
  expect(fitted?.title).toBe("Title");
  expect(fitted?.body.startsWith("€€")).toBe(true);
});

test("a link that leaves no room for one character is refused", () => {
  expect(payloadOf("Title", "", `https://shop.example/${"x".repeat(4000)}`)).toBeNull();
  expect(payloadOf("Title", "Body", `https://shop.example/${"x".repeat(3800)}`)?.url).toHaveLength(3821);
});

test("any text fits or is refused, and half characters never get out", () => {
  const text = fc.string({ unit: "binary", maxLength: 3000 });
  fc.assert(
    fc.property(text, text, fc.integer({ min: 100, max: 4000 }), (title, body, bytesMax) => {
      const fitted = payloadOf(title, `${body}\ud83d`, URL, bytesMax);
      if (fitted === null) return;
      expect(byteLength(fitted.json)).toBeLessThanOrEqual(bytesMax);
      expect(/\p{Cs}/u.test(fitted.title + fitted.body)).toBe(false);
      expect(fitted.url).toBe(URL);
    }),
  );
});
