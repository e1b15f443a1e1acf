import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isLegalMove } from "../../../db/rules/lifecycle";
import type { Outcome, Repeat } from "../../../db/rules/outcome";
import { KEY_PROTECTION_MS } from "../../../db/rules/repeat-policy";
import {
  CIRCUIT_PROBE_MS,
  FAILURE_BUDGET,
  LONE_CONFIG_WAIT_MS,
  QUOTA_PROBE_MS,
} from "../../../db/rules/retry-policy";
import { decideSettlement, type SettlementInput } from "../../../db/rules/settlement";

const NOW_MS = Date.UTC(2026, 11, 24, 8);
const BEGUN_MS = NOW_MS - 800;

function settle(outcome: Outcome, more: Partial<SettlementInput> = {}) {
  return decideSettlement({
    outcome,
    nowMs: NOW_MS,
    begunAtMs: BEGUN_MS,
    counters: { attemptCount: 1, failureCount: 0, throttleCount: 0 },
    unresolvedSinceMs: null,
    repeat: "keyed",
    throttleFloorMs: 1000,
    seed: "7d1f",
    ...more,
  });
}

test("accepted is delivered and forgets every doubt", () => {
  expect(settle({ class: "accepted", providerMessageId: "id-1" }, { unresolvedSinceMs: 5 })).toEqual({
    state: "delivered",
    providerMessageId: "id-1",
    lastClass: "accepted",
    failureCount: 0,
    throttleCount: 0,
    unresolvedSinceMs: null,
  });
});

describe("throttled", () => {
  const throttled = (scope: "partition" | "destination" | "unknown", retryAfterMs: number | null = 7000) =>
    ({ class: "throttled", scope, retryAfterMs }) as const;

  test("waits past the provider's time, closes the gate until exactly then, and spends nothing", () => {
    const settled = settle(throttled("partition"), {
      counters: { attemptCount: 9, failureCount: 4, throttleCount: 8 },
    });
    expect(settled).toMatchObject({
      state: "deferred",
      lastClass: "throttled",
      failureCount: 4,
      throttleCount: 9,
      gate: { scope: "partition", untilMs: NOW_MS + 7000 },
    });
    expect(settled.state === "deferred" && settled.nextEligibleAtMs).toBeGreaterThanOrEqual(NOW_MS + 7000);
  });

  test("without a usable time the gate is the backoff", () => {
    const settled = settle(throttled("partition", 0));
    if (settled.state !== "deferred") throw new Error(settled.state);
    expect(settled.gate).toEqual({ scope: "partition", untilMs: settled.nextEligibleAtMs });
    expect(settled.nextEligibleAtMs).toBeGreaterThanOrEqual(NOW_MS + 1000);
  });

  test("of unknown scope concerns the device first and the host after three in a row", () => {
    expect(settle(throttled("unknown"))).toMatchObject({ gate: { scope: "unknown" } });
    expect(settle(throttled("unknown"), { unknownRefusalsInRow: 2 })).toMatchObject({
      gate: { scope: "unknown" },
    });
    expect(settle(throttled("unknown"), { unknownRefusalsInRow: 3 })).toMatchObject({
      gate: { scope: "partition" },
    });
    expect(settle(throttled("destination"), { unknownRefusalsInRow: 9 })).toMatchObject({
      gate: { scope: "destination" },
    });
  });
});

test("quota parks the partition for half an hour, or for as long as was asked", () => {
  expect(settle({ class: "quota", retryAfterMs: 1000 })).toMatchObject({
    state: "deferred",
    lastClass: "quota",
    failureCount: 0,
    gate: { scope: "partition", untilMs: NOW_MS + QUOTA_PROBE_MS },
  });
  expect(settle({ class: "quota", retryAfterMs: 7_200_000 })).toMatchObject({
    gate: { untilMs: NOW_MS + 7_200_000 },
  });
});

describe("transient", () => {
  test("waits and spends one of the budget", () => {
    expect(settle({ class: "transient" })).toMatchObject({
      state: "deferred",
      failureCount: 1,
      throttleCount: 0,
    });
  });

  test("is buried when the budget is spent, which a redrive makes larger", () => {
    const counters = { attemptCount: 5, failureCount: FAILURE_BUDGET - 1, throttleCount: 0 };
    expect(settle({ class: "transient" }, { counters })).toMatchObject({
      state: "dead",
      reason: "attempts_exhausted",
      failureCount: FAILURE_BUDGET,
    });
    expect(settle({ class: "transient" }, { counters, failureBudget: 10 })).toMatchObject({
      state: "deferred",
    });
  });

  test("is not tried before a Retry-After of a 503", () => {
    const settled = settle({ class: "transient", retryAfterMs: 120_000 });
    expect(settled.state === "deferred" && settled.nextEligibleAtMs).toBeGreaterThanOrEqual(NOW_MS + 120_000);
  });
});

describe("ambiguous", () => {
  test("keyed: again, the doubt dated by the attempt's begin, the budget untouched", () => {
    expect(settle({ class: "ambiguous" })).toMatchObject({
      state: "deferred",
      lastClass: "ambiguous",
      failureCount: 0,
      unresolvedSinceMs: BEGUN_MS,
    });
  });

  test("keyed: the first doubt stays the date, and ends the repeats after 23 h", () => {
    const counters = { attemptCount: 40, failureCount: 0, throttleCount: 0 };
    const inTime = NOW_MS - KEY_PROTECTION_MS + 3_600_000;
    expect(settle({ class: "ambiguous" }, { counters, unresolvedSinceMs: inTime })).toMatchObject({
      state: "deferred",
      unresolvedSinceMs: inTime,
    });
    expect(
      settle({ class: "ambiguous" }, { counters, unresolvedSinceMs: NOW_MS - KEY_PROTECTION_MS }),
    ).toMatchObject({
      state: "dead",
      reason: "outcome_unknown",
      reconcileAtMs: NOW_MS + 60_000,
    });
  });

  test("keyed: waits longer with every try, throttled ones not counted", () => {
    const wait = (attemptCount: number, throttleCount: number) => {
      const settled = settle(
        { class: "ambiguous" },
        { counters: { attemptCount, failureCount: 0, throttleCount } },
      );
      return settled.state === "deferred" ? settled.nextEligibleAtMs - NOW_MS : -1;
    };
    expect(wait(1, 0)).toBeLessThan(wait(2, 0));
    expect(wait(5, 4)).toBe(wait(1, 0));
    expect(wait(99, 0)).toBeLessThanOrEqual(900_000);
  });

  test("collapsing: again within the budget, then a person decides", () => {
    const at = (failureCount: number) =>
      settle(
        { class: "ambiguous" },
        { repeat: "collapsing", counters: { attemptCount: 1, failureCount, throttleCount: 0 } },
      );
    expect(at(0)).toMatchObject({ state: "deferred", failureCount: 1 });
    expect(at(FAILURE_BUDGET - 1)).toMatchObject({ state: "dead", reason: "outcome_unknown" });
  });

  test("blind: never again by itself", () => {
    expect(settle({ class: "ambiguous" }, { repeat: "blind" })).toEqual({
      state: "dead",
      reason: "outcome_unknown",
      reconcileAtMs: NOW_MS + 60_000,
      lastClass: "ambiguous",
      failureCount: 0,
      throttleCount: 0,
      unresolvedSinceMs: BEGUN_MS,
    });
  });

  test("a repeat that can prove nothing is not made", () => {
    expect(settle({ class: "ambiguous", needsReview: true })).toMatchObject({
      state: "dead",
      reason: "outcome_unknown",
    });
  });
});

describe("rejections", () => {
  test.each([
    ["dead", "dead", "destination_rejected"],
    ["gone", "expired", "no_destination"],
    ["opted_out", "expired", "opted_out"],
  ] as const)("a destination that is %s ends %s/%s and is marked", (disposition, state, reason) => {
    expect(settle({ class: "destination_rejected", disposition })).toMatchObject({
      state,
      reason,
      mark: disposition,
    });
  });

  test("a message that is refused dies alone", () => {
    const settled = settle({ class: "message_rejected" });
    expect(settled).toMatchObject({ state: "dead", reason: "message_rejected" });
    expect(settled).not.toHaveProperty("gate");
    expect(settled).not.toHaveProperty("mark");
  });

  test("a configuration fault kills nothing: the circuit opens and the delivery waits", () => {
    expect(settle({ class: "config_rejected" })).toMatchObject({
      state: "deferred",
      nextEligibleAtMs: NOW_MS + CIRCUIT_PROBE_MS,
      failureCount: 0,
      gate: { scope: "partition", untilMs: NOW_MS + CIRCUIT_PROBE_MS },
    });
  });

  test("a configuration fault of one destination holds up nothing else", () => {
    const nextEligibleAtMs = NOW_MS + LONE_CONFIG_WAIT_MS;
    expect(settle({ class: "config_rejected", scope: "destination" })).toMatchObject({
      state: "deferred",
      nextEligibleAtMs,
      gate: { scope: "destination" },
    });
    expect(settle({ class: "config_rejected", scope: "unknown" })).toMatchObject({
      gate: { scope: "unknown" },
    });
    expect(settle({ class: "config_rejected", scope: "unknown" }, { unknownRefusalsInRow: 3 })).toMatchObject(
      {
        gate: { scope: "partition" },
      },
    );
  });
});

test("a call that was not made moves nothing", () => {
  expect(settle({ class: "not_made" }, { unresolvedSinceMs: 5 })).toEqual({ state: "ready" });
});

describe("an earlier unknown outcome", () => {
  const unresolvedSinceMs = NOW_MS - 60_000;

  test.each<[Outcome, string]>([
    [{ class: "message_rejected" }, "message_rejected"],
    [{ class: "destination_rejected", disposition: "dead" }, "destination_rejected"],
    [{ class: "destination_rejected", disposition: "gone" }, "no_destination"],
    [{ class: "destination_rejected", disposition: "opted_out" }, "opted_out"],
  ])("is not overruled by %j: the end is recorded as a wish", (outcome, wish) => {
    const settled = settle(outcome, { unresolvedSinceMs });
    expect(settled).toMatchObject({ state: "dead", reason: "outcome_unknown", wish, unresolvedSinceMs });
  });

  test("survives exhaustion", () => {
    const counters = { attemptCount: 9, failureCount: FAILURE_BUDGET - 1, throttleCount: 0 };
    expect(settle({ class: "transient" }, { counters, unresolvedSinceMs })).toMatchObject({
      state: "dead",
      reason: "outcome_unknown",
      wish: "attempts_exhausted",
    });
  });
});

describe("a cancel during the call", () => {
  test("leaves acceptance alone", () => {
    expect(settle({ class: "accepted", providerMessageId: null }, { cancelWished: true })).toMatchObject({
      state: "delivered",
    });
  });

  test("ends what would be tried again, and the gate still closes for the others", () => {
    expect(settle({ class: "transient" }, { cancelWished: true })).toMatchObject({
      state: "expired",
      reason: "cancelled",
    });
    expect(settle({ class: "not_made" }, { cancelWished: true })).toMatchObject({
      state: "expired",
      reason: "cancelled",
    });
    expect(
      settle({ class: "throttled", scope: "partition", retryAfterMs: 5000 }, { cancelWished: true }),
    ).toMatchObject({
      state: "expired",
      reason: "cancelled",
      gate: { scope: "partition", untilMs: NOW_MS + 5000 },
    });
  });

  test("with an unknown outcome is recorded as a wish", () => {
    expect(settle({ class: "ambiguous" }, { cancelWished: true })).toMatchObject({
      state: "dead",
      reason: "outcome_unknown",
      wish: "cancelled",
    });
  });
});

const anyOutcome: fc.Arbitrary<Outcome> = fc.oneof(
  fc.constant<Outcome>({ class: "accepted", providerMessageId: null }),
  fc.record({
    class: fc.constant("throttled" as const),
    scope: fc.constantFrom("partition" as const, "destination" as const, "unknown" as const),
    retryAfterMs: fc.option(fc.nat()),
  }),
  fc.record({ class: fc.constant("quota" as const), retryAfterMs: fc.option(fc.nat()) }),
  fc.record({
    class: fc.constantFrom("transient" as const, "ambiguous" as const),
    retryAfterMs: fc.option(fc.nat()),
  }),
  fc.record({
    class: fc.constant("destination_rejected" as const),
    disposition: fc.constantFrom("dead" as const, "gone" as const, "opted_out" as const),
  }),
  fc.constantFrom<Outcome>(
    { class: "message_rejected" },
    { class: "config_rejected" },
    { class: "not_made" },
  ),
);

test("whatever happens: a legal move, no time in the past, no doubt forgotten, throttling free", () => {
  const input = fc.record({
    outcome: anyOutcome,
    repeat: fc.constantFrom<Repeat>("keyed", "collapsing", "blind"),
    counters: fc.record({ attemptCount: fc.nat(50), failureCount: fc.nat(6), throttleCount: fc.nat(50) }),
    unresolvedSinceMs: fc.option(fc.integer({ min: NOW_MS - 90_000_000, max: BEGUN_MS })),
    cancelWished: fc.boolean(),
    unknownRefusalsInRow: fc.integer({ min: 1, max: 5 }),
    seed: fc.uuid(),
  });
  fc.assert(
    fc.property(input, ({ outcome, ...more }) => {
      const settled = settle(outcome, more);
      const reason = "reason" in settled ? settled.reason : null;
      expect(isLegalMove("sending", settled.state, { unresolved: false, reason, redriven: false })).toBe(
        true,
      );
      if (settled.state === "ready") return;
      const doubt = more.unresolvedSinceMs !== null || outcome.class === "ambiguous";
      expect(settled.unresolvedSinceMs !== null).toBe(doubt && settled.state !== "delivered");
      if (doubt && settled.state === "dead") expect(settled.reason).toBe("outcome_unknown");
      expect(doubt && settled.state === "expired").toBe(false);
      if (outcome.class === "throttled" || outcome.class === "quota") {
        expect(settled.failureCount).toBe(more.counters.failureCount);
      }
      if (settled.state !== "deferred") return;
      expect(more.cancelWished).toBe(false);
      const askedMs = "retryAfterMs" in outcome ? (outcome.retryAfterMs ?? 0) : 0;
      expect(settled.nextEligibleAtMs).toBeGreaterThanOrEqual(NOW_MS + Math.max(askedMs, 1));
      if (settled.gate) expect(settled.nextEligibleAtMs).toBeGreaterThanOrEqual(settled.gate.untilMs);
    }),
    { numRuns: 1000 },
  );
});
