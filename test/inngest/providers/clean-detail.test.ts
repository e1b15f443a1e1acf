import fc from "fast-check";
import { expect, test } from "vitest";
import { cleanCode, cleanDetail, cleanHeader } from "../../../inngest/providers/clean-detail";

test.each([
  [null, null],
  ["", null],
  ["   \n ", null],
  ["Too Many Requests", "Too Many Requests"],
  [
    "Attempt to send to unsubscribed recipient +1 (202) 555-0123 now",
    "Attempt to send to unsubscribed recipient (number) now",
  ],
  ["The 'To' number +12025550123 is not valid", "The 'To' number (number) is not valid"],
  ["only to your own email address (a.b+c@example.com).", "only to your own email address (address)"],
  ["see https://fcm.googleapis.com/fcm/send/abc:def for more", "see (link) for more"],
  ["token eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9 refused", "token (token) refused"],
  ["<html><script>alert(1)</script><h1>502</h1> Bad Gateway</html>", "alert(1) 502 Bad Gateway"],
  ["errno 103 at 12:00", "errno 103 at 12:00"],
])("%j is kept as %j", (text, detail) => {
  expect(cleanDetail(text)).toBe(detail);
});

test("a body with NUL and half characters can be stored", () => {
  const detail = cleanDetail("a\u0000b\ud83d c\u202e") ?? "";
  expect(detail).not.toContain("\u0000");
  expect(/\p{Cs}/u.test(detail)).toBe(false);
});

test("whatever a provider says: at most 300 characters, no controls, no address, nothing thrown", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 2000 }), fc.emailAddress(), (text, address) => {
      const detail = cleanDetail(`${text} ${address} ${text}`) ?? "";
      expect([...detail].length).toBeLessThanOrEqual(300);
      expect(/[\p{Cc}\p{Cs}]/u.test(detail)).toBe(false);
      expect(detail).not.toContain(address);
    }),
  );
});

test("headers and codes are bounded", () => {
  expect(cleanHeader("x".repeat(1000))?.length).toBe(200);
  expect(cleanHeader(null)).toBeNull();
  expect(cleanCode("rate_limit_exceeded")).toBe("rate_limit_exceeded");
  expect(cleanCode(21211)).toBe("21211");
  expect(cleanCode("a b\u0000<c>")).toBe("a_b_c_");
  expect(cleanCode({})).toBeNull();
  expect(cleanCode("x".repeat(500))?.length).toBeLessThanOrEqual(64);
});
