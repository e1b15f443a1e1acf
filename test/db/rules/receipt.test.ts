import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RECEIPT_MEANINGS, resendMeaning, twilioMeaning, weightiest } from "../../../db/rules/receipt";

test("the order in which reports come makes no difference to what a delivery shows", () => {
  fc.assert(
    fc.property(
      fc
        .array(fc.constantFrom(...RECEIPT_MEANINGS), { minLength: 1 })
        .chain((meanings) =>
          fc.tuple(fc.constant(meanings), fc.shuffledSubarray(meanings, { minLength: meanings.length })),
        ),
      ([one, other]) => {
        expect(weightiest(one)).toBe(weightiest(other));
      },
    ),
  );
  expect(weightiest(["arrived", "accepted", "accepted"])).toBe("arrived");
  expect(weightiest([])).toBeNull();
});

describe("Resend", () => {
  test.each([
    ["email.sent", null, "accepted", null],
    ["email.delivery_delayed", null, "delayed", null],
    ["email.delivered", null, "arrived", null],
    ["email.bounced", "Permanent", "not_arrived", "bounced"],
    ["email.bounced", "Transient", "not_arrived", null],
    ["email.bounced", "Undetermined", "not_arrived", null],
    ["email.complained", null, "complained", "complained"],
    ["email.suppressed", null, "not_arrived", "bounced"],
    ["email.failed", null, "not_arrived", null],
  ] as const)("%s %s means %s and suppresses for %s", (type, bounce, meaning, suppresses) => {
    expect(resendMeaning(type, bounce)).toMatchObject({ meaning, suppresses });
  });

  test.each(["email.opened", "email.clicked", "contact.created", "suppression.added", ""])(
    "%s says nothing about whether a message arrived",
    (type) => {
      expect(resendMeaning(type, null)).toBeNull();
    },
  );
});

describe("Twilio", () => {
  test.each([
    ["queued", null, "accepted", null],
    ["sent", null, "accepted", null],
    ["delivered", null, "arrived", null],
    ["undelivered", "30003", "not_arrived", null],
    ["undelivered", "30005", "not_arrived", "unreachable"],
    ["undelivered", "30006", "not_arrived", "unreachable"],
    ["failed", "21610", "not_arrived", "opted_out"],
    ["failed", null, "not_arrived", null],
  ] as const)("%s %s means %s and suppresses for %s", (status, code, meaning, suppresses) => {
    expect(twilioMeaning(status, code)).toMatchObject({ meaning, suppresses });
  });

  test("a status that nobody knows yet is left alone", () => {
    expect(twilioMeaning("teleported", null)).toBeNull();
  });
});
