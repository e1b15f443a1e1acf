import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkEmailAddress, emailIdentity, mailboxOf, maskEmail } from "../../../db/rules/email-address";
import { printable } from "../../../db/rules/errors";

describe("an email address", () => {
  const accepted: [string, string][] = [
    ["a+b@example.com", "a+b@example.com"],
    [" a@example.com ", "a@example.com"],
    ["\u202aa@example.com\u202c\u200b", "a@example.com"],
    ["A@Example.com", "A@example.com"],
    ["user@münchen.example", "user@xn--mnchen-3ya.example"],
    ["user@MÜNCHEN.example", "user@xn--mnchen-3ya.example"],
    ["user@xn--mnchen-3ya.example", "user@xn--mnchen-3ya.example"],
    ["user@faß.example", "user@xn--fa-hia.example"],
    ["o'brien.j-r_x@mail.example.co.uk", "o'brien.j-r_x@mail.example.co.uk"],
    [`${"a".repeat(64)}@example.com`, `${"a".repeat(64)}@example.com`],
    ["1@2.example", "1@2.example"],
  ];
  for (const [typed, address] of accepted) {
    test(`${printable(typed)} is accepted as ${address}`, () => {
      expect(checkEmailAddress("email", typed)).toEqual({ ok: true, value: address });
    });
  }

  const refused: unknown[] = [
    "a.@example.com",
    ".a@example.com",
    "a..b@example.com",
    '"a b"@example.com',
    '"ab"@example.com',
    `${"a".repeat(65)}@example.com`,
    `a@${"a".repeat(64)}.example`,
    `${"a".repeat(64)}@${"b".repeat(63)}.${"c".repeat(63)}.${"d".repeat(63)}.example`,
    "пошта@example.com",
    "a@example.com.",
    "a@.example.com",
    "a@example..com",
    "a@example.com\r\nBcc: b@example.com",
    "a@example.com\n",
    "a\u0000@example.com",
    "a@example.com\u2028",
    "a@exam\u200bple.com\ud83d",
    "a@localhost",
    "a@127.0.0.1",
    "a@127.1",
    "a@0x7f.1",
    "a@[127.0.0.1]",
    "a@-example.com",
    "a@example-.com",
    "a@xn--a.com",
    "a@exa_mple.com",
    "a@example.com/path",
    "a@example.com:25",
    "a@b@example.com",
    "a@ex%61mple.com",
    "a b@example.com",
    "Ann <a@example.com>",
    "a@example.com, b@example.com",
    "@example.com",
    "a@",
    "a",
    "",
    "a".repeat(5000),
    undefined,
    null,
    7,
    ["a@example.com"],
  ];
  for (const typed of refused) {
    test(`${printable(typed)} is refused on the field`, () => {
      expect(checkEmailAddress("email", typed)).toMatchObject({
        ok: false,
        problem: { fields: [{ field: "email" }] },
      });
    });
  }

  test("that differs in case only is the same mailbox", () => {
    const [one, other] = ["A@Example.com", "a@example.com"].map((typed) => checkEmailAddress("email", typed));
    expect(one?.ok && emailIdentity(one.value)).toBe("a@example.com");
    expect(other?.ok && emailIdentity(other.value)).toBe("a@example.com");
    expect(emailIdentity("a+b@example.com")).not.toBe(emailIdentity("a@example.com"));
  });

  test("is masked but for its first character and its domain", () => {
    expect(maskEmail("anna@example.com")).toBe("a•••@example.com");
    expect(maskEmail("nonsense")).toBe("•••");
    expect(maskEmail("")).toBe("•••");
  });
});

test("never throws, and what is accepted is ASCII without spaces, and goes through again unchanged", () => {
  const anyTyped = fc.oneof(
    fc.anything(),
    fc.string({ unit: "binary" }),
    fc.emailAddress(),
    fc.tuple(fc.emailAddress(), fc.string({ unit: "binary", maxLength: 3 })).map((parts) => parts.join("")),
    fc.string({ unit: "grapheme" }).map((domain) => `a@${domain}.example`),
  );
  fc.assert(
    fc.property(anyTyped, (typed) => {
      const result = checkEmailAddress("email", typed);
      if (!result.ok) return;
      expect(result.value).toMatch(/^[\x21-\x7e]{3,254}$/);
      expect(checkEmailAddress("email", result.value)).toEqual(result);
      expect(maskEmail(result.value)).toContain("•••@");
    }),
    { numRuns: 500 },
  );
});

test("limits see one mailbox behind every tag, and another behind every other name", () => {
  for (const address of ["a+1@example.com", "A+b+c@example.com", "a+@example.com", "a@example.com"])
    expect(mailboxOf(address)).toBe("a@example.com");
  expect(mailboxOf("b+a@example.com")).toBe("b@example.com");
});
