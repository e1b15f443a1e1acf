import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { printable } from "../../../db/rules/errors";
import { checkPhone, maskPhone } from "../../../db/rules/phone";

describe("one number, many spellings", () => {
  const spellings: [string, string | undefined, string][] = [
    ["+1 (202) 555-0123", undefined, "+12025550123"],
    ["0012025550123", undefined, "+12025550123"],
    ["0012025550123", "DE", "+12025550123"],
    ["0012025550123", "US", "+12025550123"],
    ["011 49 30 12345678", "US", "+493012345678"],
    ["12025550123", "US", "+12025550123"],
    ["(202) 555-0123", "US", "+12025550123"],
    ["(202) 555-0123", "us", "+12025550123"],
    ["＋１２０２５５５０１２３", undefined, "+12025550123"],
    ["+1٢٠٢٥٥٥٠١٢٣", undefined, "+12025550123"],
    ["+۱۲۰۲۵۵۵۰۱۲۳", undefined, "+12025550123"],
    ["\u202a+1 202 555 0123\u202c", undefined, "+12025550123"],
    ["\u202a+1٢٠٢٥٥٥٠١٢٣\u202c", undefined, "+12025550123"],
    ["+1\u00a0202\u2011555\u20130123", undefined, "+12025550123"],
    ["+1.202.555.0123", undefined, "+12025550123"],
    ["030 1234 5678", "DE", "+493012345678"],
    ["+49 (0)30 1234 5678", undefined, "+493012345678"],
    ["+49 1512 3456789", undefined, "+4915123456789"],
    ["+5215555550100", undefined, "+525555550100"],
    ["+525555550100", undefined, "+525555550100"],
    ["00525555550100", undefined, "+525555550100"],
  ];
  for (const [typed, country, number] of spellings) {
    test(`${printable(typed)} ${country ?? "without country"} is ${number}`, () => {
      expect(checkPhone("phone", typed, country)).toEqual({ ok: true, value: number });
    });
  }

  test.each(["+5491155550100", "+541155550100", "+553155550100", "+5531955550100"])(
    "%s stays as typed",
    (typed) => {
      expect(checkPhone("phone", typed)).toEqual({ ok: true, value: typed });
    },
  );
});

describe("refused on the field", () => {
  const refused: [unknown, string | undefined, string][] = [
    ["12025550123", undefined, "must start with + and a country code"],
    ["030 1234 5678", undefined, "must start with + and a country code"],
    ["+030 1234 5678", undefined, "not a phone number in use"],
    ["12025550123", "DE", "not a phone number in use"],
    ["911", undefined, "not a phone number in use"],
    ["911", "US", "not a phone number in use"],
    ["112", "DE", "not a phone number in use"],
    ["12345", undefined, "not a phone number in use"],
    ["12345", "US", "not a phone number in use"],
    ["+1-900-555-0100", undefined, "premium rate number"],
    ["+49 180 5123456", undefined, "shared cost number"],
    ["+1 800 555 0123", undefined, "toll free number"],
    ["+44 70 1234 5678", undefined, "personal number"],
    ["+12025550123;ext=4", undefined, "extension"],
    ["+12025550123 x4", undefined, "extension"],
    ["+1 202 555 0123 ext. 4", undefined, "extension"],
    ["+12025550123,4", undefined, "extension"],
    ["+5215555550", undefined, "not a phone number in use"],
    ["+12025550123\r\nBcc: b", undefined, "must be a phone number"],
    ["call +12025550123", undefined, "must be a phone number"],
    ["1-800-FLOWERS", "US", "must be a phone number"],
    ["++12025550123", undefined, "must be a phone number"],
    ["+", undefined, "must be a phone number"],
    ["", undefined, "must be a phone number"],
    ["+1202555".padEnd(2000, "0"), undefined, "must be a phone number"],
    [12_025_550_123, undefined, "must be a phone number"],
    [null, "US", "must be a phone number"],
    [undefined, "US", "must be a phone number"],
  ];
  for (const [typed, country, why] of refused) {
    test(`${printable(typed)} ${country ?? "without country"}: ${why}`, () => {
      const result = checkPhone("phone", typed, country);
      expect(result).toMatchObject({ ok: false, problem: { fields: [{ field: "phone" }] } });
      expect(JSON.stringify(result)).toContain(why);
    });
  }

  test("a country that does not exist is as good as none", () => {
    expect(checkPhone("phone", "+12025550123", "XX").ok).toBe(true);
    expect(checkPhone("phone", "2025550123", "XX").ok).toBe(false);
  });
});

test("never throws, and what is accepted is E.164 and goes through again unchanged", () => {
  const anyTyped = fc.oneof(
    fc.anything(),
    fc.string({ unit: "binary" }),
    fc.stringMatching(/^(\+|00)?[0-9 ()./;x-]{1,24}$/),
    fc
      .tuple(fc.constantFrom("+1202555", "+4915", "+52155", "+5511"), fc.stringMatching(/^\d{4,8}$/))
      .map((p) => p.join("")),
  );
  const anyCountry = fc.oneof(fc.constantFrom("US", "DE", "BR", "XX"), fc.constant(undefined), fc.string());
  fc.assert(
    fc.property(anyTyped, anyCountry, (typed, country) => {
      const result = checkPhone("phone", typed, country);
      if (!result.ok) return;
      expect(result.value).toMatch(/^\+[1-9]\d{6,14}$/);
      expect(checkPhone("phone", result.value)).toEqual(result);
      expect(maskPhone(result.value)).not.toContain(result.value.slice(-5));
    }),
    { numRuns: 500 },
  );
});

test("a masked number keeps country code and the last two digits", () => {
  expect(maskPhone("+12025550123")).toBe("+1 ••• 23");
  expect(maskPhone("+493012345678")).toBe("+49 ••• 78");
  expect(maskPhone("nonsense")).toBe("•••");
});
