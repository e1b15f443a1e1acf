import { describe, expect, test } from "vitest";
import {
  REDRIVE_HORIZON_MS,
  REDRIVE_VERDICTS,
  type RedriveFacts,
  redriveVerdict,
  verdictWords,
} from "../../../db/rules/redrive-verdict";
import { KEY_PROTECTION_MS } from "../../../db/rules/repeat-policy";

const NOW_MS = Date.UTC(2031, 4, 5);
const FACTS: RedriveFacts = {
  state: "dead",
  reason: "attempts_exhausted",
  repeat: "keyed",
  finishedAtMs: NOW_MS - 1000,
  expiresAtMs: NOW_MS + 1000,
  dismissed: false,
  inOtherRedrive: false,
  unresolvedSinceMs: null,
  version: 2,
  occurrenceState: "opened",
  occurrenceVersion: 2,
  sourceCancelled: false,
  answered: false,
  destinationState: "active",
  destinationReason: null,
  destinationVerified: true,
  isNotice: false,
  preferred: true,
  hasContent: true,
};

const judge = (more: Partial<RedriveFacts>, includesAmbiguous = false) =>
  redriveVerdict({ ...FACTS, ...more }, { nowMs: NOW_MS, includesAmbiguous });

test.each([
  ["would_send", {}],
  ["delivered", { state: "delivered" }],
  ["not_dead", { state: "ready" }],
  ["dismissed", { dismissed: true }],
  ["in_other_redrive", { inOtherRedrive: true }],
  ["cancelled", { sourceCancelled: true }],
  ["cancelled", { occurrenceState: "cancelled" }],
  ["answered", { answered: true }],
  ["superseded", { occurrenceVersion: 3 }],
  ["expired", { expiresAtMs: NOW_MS }],
  ["expired", { hasContent: false }],
  ["opted_out", { preferred: false }],
  ["opted_out", { destinationState: "suppressed", destinationReason: "opted_out" }],
  ["no_destination", { destinationState: "suppressed", destinationReason: "dead" }],
  ["no_destination", { destinationState: "retired" }],
  ["no_destination", { destinationVerified: false }],
  [
    "would_send",
    { destinationVerified: false, isNotice: true, occurrenceVersion: null, occurrenceState: null },
  ],
  ["past_horizon", { finishedAtMs: NOW_MS - REDRIVE_HORIZON_MS - 1 }],
] as const)("%s: %j", (verdict, more) => {
  expect(judge(more)).toBe(verdict);
  // Naming unknown outcomes lets nothing else through.
  expect(judge(more, true)).toBe(verdict);
});

describe("an unknown outcome is left out unless it is named", () => {
  test.each([
    ["ambiguous", "keyed", 1],
    ["protection_lapsed", "keyed", KEY_PROTECTION_MS],
    ["ambiguous", "blind", KEY_PROTECTION_MS],
    ["ambiguous", "collapsing", 1],
  ] as const)("%s for %s", (verdict, repeat, ageMs) => {
    const unknown = { repeat, unresolvedSinceMs: NOW_MS - ageMs };
    expect(judge(unknown)).toBe(verdict);
    expect(judge(unknown, true)).toBe("would_send");
  });
});

test("every verdict has words that end a sentence", () => {
  for (const verdict of REDRIVE_VERDICTS) expect(verdictWords(verdict)).toMatch(/^[a-z].*[a-z\d]$/);
});
