import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ClaimFacts, type ClaimVerdict, decideClaim } from "../../../db/rules/claim";
import { type Gate, PROBE_UNDER_WAY } from "../../../db/rules/gate";
import { DELIVERY_STATES } from "../../../db/rules/lifecycle";
import type { Repeat } from "../../../db/rules/outcome";
import { KEY_PROTECTION_MS } from "../../../db/rules/repeat-policy";
import { DUE_AHEAD_MS } from "../../../db/rules/slots";

const NOW_MS = Date.UTC(2026, 2, 2, 12);
const FACTS: ClaimFacts = {
  state: "ready",
  channel: "email",
  address: "shopper@shopper.example",
  throughQuiet: false,
  smsFrom: null,
  smsUntil: null,
  awayUntilMs: null,
  answered: false,
  lane: "standard",
  nextEligibleAtMs: null,
  expiresAtMs: NOW_MS + 1000,
  version: 2,
  admitted: true,
  keptBy: null,
  owner: 1,
  partitionOwner: 1,
  failureCount: 0,
  failureBudget: 5,
  unresolvedSinceMs: null,
  acknowledged: false,
  occurrenceState: "opened",
  occurrenceVersion: 2,
  sourceCancelled: false,
  erased: false,
  following: null,
  olderEligibleAtMs: null,
  destinationState: "active",
  destinationVerified: true,
  isNotice: false,
  preferred: true,
  quietFrom: null,
  quietUntil: null,
  timeZone: "Europe/Berlin",
  hasContent: true,
};

interface Context {
  nowMs?: number;
  runId?: string;
  repeat?: Repeat;
  gate?: Gate | null;
}

function claim(overrides: Partial<ClaimFacts> = {}, context: Context = {}): ClaimVerdict {
  const { nowMs = NOW_MS, runId = "run-1", repeat = "keyed", gate = null } = context;
  return decideClaim({ ...FACTS, ...overrides }, { nowMs, runId, repeat, gate });
}

test("an admitted delivery that is due and wanted goes", () => {
  for (const state of ["ready", "scheduled", "deferred"] as const) {
    expect(claim({ state, nextEligibleAtMs: state === "ready" ? null : NOW_MS })).toEqual({ verdict: "go" });
  }
});

test("what is being sent or has ended is a duplicate", () => {
  for (const state of ["sending", "delivered", "dead", "expired"] as const) {
    expect(claim({ state, sourceCancelled: true, expiresAtMs: 0 })).toEqual({
      verdict: "refused",
      reason: "duplicate",
    });
  }
});

describe("no longer wanted ends the delivery, gate or no gate", () => {
  const cases: [string, Partial<ClaimFacts>, string][] = [
    ["a cancelled reminder", { sourceCancelled: true }, "cancelled"],
    ["a cancelled occurrence", { occurrenceState: "cancelled" }, "cancelled"],
    ["a newer version of its occurrence", { occurrenceVersion: 3 }, "superseded"],
    ["its deadline, to the millisecond", { expiresAtMs: NOW_MS }, "past_deadline"],
    ["content that is wiped", { hasContent: false }, "past_deadline"],
    ["an address that said stop", { destinationState: "suppressed" }, "opted_out"],
    ["a device that is gone", { destinationState: "retired" }, "no_destination"],
    ["an address that nobody proved", { destinationVerified: false }, "no_destination"],
    ["a channel that is switched off", { preferred: false }, "preference"],
  ];
  test.each(cases)("%s", (_name, overrides, reason) => {
    expect(claim(overrides)).toEqual({ verdict: "end", reason });
    expect(claim(overrides, { gate: { why: "blocked", untilMs: NOW_MS + 9000 } })).toEqual({
      verdict: "end",
      reason,
    });
    expect(claim({ ...overrides, admitted: false })).toEqual({ verdict: "end", reason });
  });
});

test("an older version than its own occurrence's is stale, a newer one is a re-pointed edit", () => {
  expect(claim({ version: 3 })).toEqual({ verdict: "go" });
  expect(claim({ version: 1 })).toMatchObject({ verdict: "end", reason: "superseded" });
});

test("a notice may go to an address that is being proved, and no edit makes it stale", () => {
  const notice = {
    isNotice: true,
    destinationVerified: false,
    occurrenceState: null,
    occurrenceVersion: null,
  } as const;
  expect(claim({ ...notice, lane: "urgent" })).toEqual({ verdict: "go" });
});

test("without an admission only the run that kept the row may claim it", () => {
  const kept = { admitted: false, state: "deferred" as const, nextEligibleAtMs: NOW_MS };
  expect(claim(kept)).toEqual({ verdict: "refused", reason: "not_admitted" });
  expect(claim({ ...kept, keptBy: "run-2" })).toEqual({ verdict: "refused", reason: "not_admitted" });
  expect(claim({ ...kept, keptBy: "run-1" })).toEqual({ verdict: "go" });
});

test("a consumer that no longer owns the partition claims nothing", () => {
  expect(claim({ partitionOwner: 2 })).toEqual({ verdict: "refused", reason: "stale_owner" });
});

test("not before its time: a scheduled row is claimed a moment ahead for its instant, a deferred one goes back", () => {
  const dueAtMs = NOW_MS + DUE_AHEAD_MS;
  expect(claim({ state: "scheduled", nextEligibleAtMs: dueAtMs })).toEqual({ verdict: "go" });
  expect(claim({ state: "scheduled", nextEligibleAtMs: dueAtMs + 1 })).toEqual({
    verdict: "later",
    dueAtMs: dueAtMs + 1,
  });
  expect(claim({ state: "deferred", nextEligibleAtMs: NOW_MS + 1 })).toEqual({
    verdict: "refused",
    reason: "not_eligible",
  });
});

test("quiet hours hold everything but the urgent lane", () => {
  const quiet = { quietFrom: "12:00", quietUntil: "13:30" };
  expect(claim(quiet)).toEqual({ verdict: "hold", reason: "quiet_hours", untilMs: NOW_MS + 30 * 60_000 });
  expect(claim({ ...quiet, lane: "urgent" })).toEqual({ verdict: "go" });
});

test("hours count at its instant, not at the moment before in which it is claimed", () => {
  const due = { state: "scheduled" as const, nextEligibleAtMs: NOW_MS };
  const early = { nowMs: NOW_MS - DUE_AHEAD_MS };
  expect(claim({ ...due, quietFrom: "12:00", quietUntil: "13:00" }, early)).toEqual({ verdict: "go" });
  const begins = claim({ ...due, quietFrom: "13:00", quietUntil: "14:00" }, early);
  expect(begins).toMatchObject({ verdict: "hold", reason: "quiet_hours" });
});

test("an unknown outcome is repeated only as the provider makes it harmless", () => {
  const unresolved = { unresolvedSinceMs: NOW_MS - 1000 };
  const refused = { verdict: "refused", reason: "unresolved" };
  expect(claim(unresolved, { repeat: "keyed" })).toEqual({ verdict: "go" });
  expect(claim({ unresolvedSinceMs: NOW_MS - KEY_PROTECTION_MS }, { repeat: "keyed" })).toEqual(refused);
  expect(claim(unresolved, { repeat: "collapsing" })).toEqual({ verdict: "go" });
  expect(claim({ ...unresolved, failureCount: 5 }, { repeat: "collapsing" })).toEqual(refused);
  expect(claim(unresolved, { repeat: "blind" })).toEqual(refused);
});

test("P6: whatever else is true, nothing goes that is cancelled, stale, late, unwanted, early, gated or not ours", () => {
  const instant = fc.integer({ min: NOW_MS - 5, max: NOW_MS + 5 });
  const facts: fc.Arbitrary<Partial<ClaimFacts>> = fc.record({
    state: fc.constantFrom(...DELIVERY_STATES),
    lane: fc.constantFrom("urgent" as const, "standard" as const, "redrive" as const),
    nextEligibleAtMs: fc.option(fc.integer({ min: NOW_MS - 100, max: NOW_MS + 100 })),
    expiresAtMs: instant,
    occurrenceVersion: fc.constantFrom(1, 2, 3),
    admitted: fc.boolean(),
    keptBy: fc.constantFrom(null, "run-1", "run-2"),
    owner: fc.constantFrom(1, 2),
    unresolvedSinceMs: fc.option(instant),
    occurrenceState: fc.constantFrom("opened" as const, "cancelled" as const),
    sourceCancelled: fc.boolean(),
    destinationState: fc.constantFrom("active" as const, "suppressed" as const, "retired" as const),
    destinationVerified: fc.boolean(),
    preferred: fc.boolean(),
    hasContent: fc.boolean(),
  });
  const repeats = fc.constantFrom<Repeat>("keyed", "collapsing", "blind");
  fc.assert(
    fc.property(facts, fc.option(fc.constant(PROBE_UNDER_WAY)), repeats, (overrides, gate, repeat) => {
      const row = { ...FACTS, ...overrides };
      if (claim(overrides, { gate, repeat }).verdict !== "go") return;
      expect(["ready", "scheduled", "deferred"]).toContain(row.state);
      expect(row.admitted || row.keptBy === "run-1").toBe(true);
      const ahead = row.state === "scheduled" ? DUE_AHEAD_MS : 0;
      expect(row.nextEligibleAtMs ?? 0).toBeLessThanOrEqual(NOW_MS + ahead);
      expect(row.expiresAtMs).toBeGreaterThan(NOW_MS);
      expect(gate).toBeNull();
      expect(row).toMatchObject({
        sourceCancelled: false,
        occurrenceState: "opened",
        destinationState: "active",
        destinationVerified: true,
        preferred: true,
        hasContent: true,
        owner: 1,
      });
      expect(row.version).toBeGreaterThanOrEqual(row.occurrenceVersion ?? 0);
      if (repeat === "blind") expect(row.unresolvedSinceMs).toBeNull();
    }),
    { numRuns: 5000 },
  );
});
