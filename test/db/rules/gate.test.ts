import fc from "fast-check";
import { expect, test } from "vitest";
import { type GateFacts, gateOf, isProbing } from "../../../db/rules/gate";

const NOW_MS = Date.UTC(2026, 2, 2, 12);
const OPEN: GateFacts = {
  mode: "sending",
  ledgerGeneration: "g1",
  processGeneration: "g1",
  ceiling: 10,
  pausedAtMs: null,
  pausedUntilMs: null,
  circuit: "closed",
  circuitProbeAtMs: null,
  parkedUntilMs: null,
};
const FREE = { blockedUntilMs: NOW_MS };

const gate = (overrides: Partial<GateFacts>, blockedUntilMs = NOW_MS) =>
  gateOf({ ...OPEN, ...overrides }, { blockedUntilMs }, NOW_MS);

test("an ordinary partition lets everything through", () => {
  expect(gateOf(OPEN, FREE, NOW_MS)).toBeNull();
  expect(isProbing(OPEN)).toBe(false);
});

test("a held ledger and a process of another generation let nothing through, whatever else is open", () => {
  expect(gate({ mode: "held" })).toEqual({ why: "held", untilMs: null });
  expect(gate({ ledgerGeneration: "g2" })).toEqual({ why: "held", untilMs: null });
  expect(gate({ processGeneration: "g0", mode: "sending" })).toEqual({ why: "held", untilMs: null });
});

test("a pause holds until its end, and one without an end until somebody acts", () => {
  expect(gate({ pausedAtMs: NOW_MS - 5 })).toEqual({ why: "paused", untilMs: null });
  expect(gate({ pausedAtMs: NOW_MS - 5, pausedUntilMs: NOW_MS + 1 })).toEqual({
    why: "paused",
    untilMs: NOW_MS + 1,
  });
  expect(gate({ pausedAtMs: NOW_MS - 5, pausedUntilMs: NOW_MS })).toBeNull();
});

test("rate zero is a pause", () => {
  expect(gate({ ceiling: 0 })).toEqual({ why: "rate_zero", untilMs: null });
});

test("a circuit holds until its probe is due, then lets through and counts as probing", () => {
  const open = { circuit: "open" as const, circuitProbeAtMs: NOW_MS + 1 };
  expect(gate(open)).toEqual({ why: "circuit_open", untilMs: NOW_MS + 1 });
  expect(gate({ ...open, circuitProbeAtMs: NOW_MS })).toBeNull();
  expect(isProbing({ ...OPEN, ...open })).toBe(true);
  expect(isProbing({ ...OPEN, circuit: "half_open" })).toBe(true);
});

test("a parked partition holds until its probe is due, then lets through and counts as probing", () => {
  expect(gate({ parkedUntilMs: NOW_MS + 1 })).toEqual({ why: "parked", untilMs: NOW_MS + 1 });
  expect(gate({ parkedUntilMs: NOW_MS })).toBeNull();
  expect(isProbing({ ...OPEN, parkedUntilMs: NOW_MS })).toBe(true);
});

test("the provider's gate holds until exactly its end", () => {
  expect(gate({}, NOW_MS + 1)).toEqual({ why: "blocked", untilMs: NOW_MS + 1 });
  expect(gate({}, NOW_MS)).toBeNull();
});

test("nothing passes while any single reason holds, whatever the others are", () => {
  const maybe = fc.option(fc.integer({ min: NOW_MS - 1000, max: NOW_MS + 1000 }));
  const facts = fc.record({
    mode: fc.constantFrom("sending" as const, "held" as const),
    ledgerGeneration: fc.constantFrom("g1", "g2"),
    processGeneration: fc.constantFrom("g1", "g2"),
    ceiling: fc.constantFrom(0, 5),
    pausedAtMs: maybe,
    pausedUntilMs: maybe,
    circuit: fc.constantFrom("closed" as const, "open" as const, "half_open" as const),
    circuitProbeAtMs: maybe,
    parkedUntilMs: maybe,
  });
  fc.assert(
    fc.property(facts, fc.integer({ min: NOW_MS - 1000, max: NOW_MS + 1000 }), (row, blockedUntilMs) => {
      const later = (ms: number | null) => ms !== null && ms > NOW_MS;
      const shut =
        row.mode === "held" ||
        row.ledgerGeneration !== row.processGeneration ||
        row.ceiling === 0 ||
        (row.pausedAtMs !== null && (row.pausedUntilMs === null || later(row.pausedUntilMs))) ||
        (row.circuit !== "closed" && later(row.circuitProbeAtMs)) ||
        later(row.parkedUntilMs) ||
        later(blockedUntilMs);
      const found = gateOf(row, { blockedUntilMs }, NOW_MS);
      expect(found !== null).toBe(shut);
      // A gate with an end ends in the future: a pump that sleeps until then makes progress.
      if (found !== null && found.untilMs !== null) expect(found.untilMs).toBeGreaterThan(NOW_MS);
    }),
    { numRuns: 1000 },
  );
});
