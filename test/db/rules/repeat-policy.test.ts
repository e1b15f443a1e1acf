import { describe, expect, test } from "vitest";
import type { Repeat } from "../../../db/rules/outcome";
import { KEY_PROTECTION_MS, mayAttempt, REPEAT_BY_CHANNEL } from "../../../db/rules/repeat-policy";

const SINCE_MS = 1_000_000;
const ask = (repeat: Repeat, more: Partial<Parameters<typeof mayAttempt>[0]> = {}) =>
  mayAttempt({ unresolvedSinceMs: SINCE_MS, nowMs: SINCE_MS + 1, repeat, failureCount: 0, ...more });

test.each(["keyed", "collapsing", "blind"] as const)(
  "a known outcome never stops a %s delivery",
  (repeat) => {
    expect(ask(repeat, { unresolvedSinceMs: null, failureCount: 99 })).toEqual({ allowed: true });
  },
);

describe("after an unknown outcome", () => {
  test("a keyed delivery repeats until the provider may have forgotten the key", () => {
    expect(KEY_PROTECTION_MS).toBe(23 * 3_600_000);
    expect(ask("keyed", { nowMs: SINCE_MS + KEY_PROTECTION_MS - 1, failureCount: 99 })).toEqual({
      allowed: true,
    });
    expect(ask("keyed", { nowMs: SINCE_MS + KEY_PROTECTION_MS })).toEqual({
      allowed: false,
      reason: "outcome_unknown",
      why: "key_lapsed",
    });
  });

  test("a collapsing delivery repeats within its budget", () => {
    expect(ask("collapsing", { failureCount: 4 })).toEqual({ allowed: true });
    expect(ask("collapsing", { failureCount: 5 })).toMatchObject({ allowed: false, why: "budget_spent" });
    expect(ask("collapsing", { failureCount: 5, failureBudget: 10 })).toEqual({ allowed: true });
  });

  test("a blind delivery never repeats by itself", () => {
    expect(ask("blind")).toMatchObject({ allowed: false, reason: "outcome_unknown", why: "no_protection" });
    expect(ask("blind", { acknowledgedByOperator: true })).toEqual({ allowed: true });
  });
});

test("each channel has the repeat of its provider", () => {
  expect(REPEAT_BY_CHANNEL).toEqual({ email: "keyed", sms: "blind", push: "collapsing" });
});
