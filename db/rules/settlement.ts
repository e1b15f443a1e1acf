import type { DeadReason, ExpiredReason } from "./lifecycle";
import type { Outcome, OutcomeClass, RefusalScope, Repeat } from "./outcome";
import { mayAttempt } from "./repeat-policy";
import {
  CIRCUIT_PROBE_MS,
  FAILURE_BUDGET,
  LONE_CONFIG_WAIT_MS,
  QUOTA_PROBE_MS,
  RECONCILE_AFTER_MS,
  throttleDelayMs,
  transientBackoffMs,
  UNKNOWN_REFUSALS_FOR_PARTITION,
} from "./retry-policy";

export interface SettlementInput {
  outcome: Outcome;
  /** The ledger's clock; every duration of the outcome is added to it. */
  nowMs: number;
  /** When the attempt that is settled began. */
  begunAtMs: number;
  /** As they stand on the row, the settled call counted in `attemptCount` only. */
  counters: { attemptCount: number; failureCount: number; throttleCount: number };
  unresolvedSinceMs: number | null;
  repeat: Repeat;
  /** `throttleFloorMs` of the partition. */
  throttleFloorMs: number;
  /** The delivery's id: jitter is a hash of it. */
  seed: string;
  /** Someone asked to cancel while the call was under way: accepted stays accepted, but nothing is tried again. */
  cancelWished?: boolean;
  /** What the delivery may spend, redrives included; `FAILURE_BUDGET` unless given. */
  failureBudget?: number;
  /** Refusals of unknown scope in a row in this partition, this one included; 1 unless given. */
  unknownRefusalsInRow?: number;
  /** A refusal of an earlier attempt that was read late named this instant: nothing is tried before it (P3). */
  notBeforeMs?: number | null;
}

/** The next instant at which a scope may be called: its gate, its parking or its open circuit, told apart by class. */
export interface Gate {
  scope: RefusalScope;
  untilMs: number;
}

/** What the row keeps in every ending but `ready`. `unresolvedSinceMs` is cleared by `delivered` and nothing else. */
interface Kept {
  lastClass: OutcomeClass;
  failureCount: number;
  throttleCount: number;
  unresolvedSinceMs: number | null;
}

/** How a destination is marked: `dead` and `opted_out` suppress it, `gone` retires exactly this row. */
export type DestinationMark = "dead" | "gone" | "opted_out";

export type Settlement =
  | ({ state: "delivered"; providerMessageId: string | null } & Kept)
  | ({ state: "deferred"; nextEligibleAtMs: number; gate?: Gate } & Kept)
  | ({
      state: "dead";
      reason: DeadReason;
      /** How it would have ended, had every earlier outcome been known. */
      wish?: DeadReason | ExpiredReason;
      /** For `outcome_unknown`: the earliest instant at which a look-up proves anything. */
      reconcileAtMs?: number;
      mark?: DestinationMark;
      gate?: Gate;
    } & Kept)
  | ({ state: "expired"; reason: ExpiredReason; mark?: DestinationMark; gate?: Gate } & Kept)
  /** No call was made: no count moves, nothing is learned. */
  | { state: "ready" };

/** An ending short of acceptance. */
type Ended = Extract<Settlement, { state: "dead" | "expired" }>;

/**
 * Turns the outcome of one call into the row's next state (DESIGN section 4: outcome classes).
 *
 * Throttling and quota never touch the failure budget (P3). An unknown outcome is never forgotten: whatever follows
 * it, short of acceptance, leaves `unresolvedSinceMs` and ends as `dead/outcome_unknown` instead of another ending,
 * because a receipt may still arrive. A next time after the expiry is stored as it is; the sweep expires such rows.
 */
export function decideSettlement(input: SettlementInput): Settlement {
  const { outcome, nowMs, seed } = input;
  switch (outcome.class) {
    case "accepted":
      return {
        state: "delivered",
        providerMessageId: outcome.providerMessageId,
        ...kept(input),
        unresolvedSinceMs: null,
      };
    case "throttled":
      return settleThrottled(input, outcome);
    case "quota": {
      // A quota answer may carry the Retry-After of the rate limiter: never sooner than asked, never each second.
      const waitMs = Math.max(outcome.retryAfterMs ?? 0, QUOTA_PROBE_MS);
      const untilMs = nowMs + waitMs;
      const delayMs = throttleDelayMs({ ...throttleInput(input), retryAfterMs: waitMs });
      const counts = { throttleCount: input.counters.throttleCount + 1 };
      return defer(input, nowMs + delayMs, counts, { scope: "partition", untilMs });
    }
    case "transient": {
      const failureCount = input.counters.failureCount + 1;
      const spent = failureCount >= (input.failureBudget ?? FAILURE_BUDGET);
      if (spent) return bury(input, "attempts_exhausted", { failureCount });
      const delayMs = atLeastAsked(transientBackoffMs(failureCount, seed), outcome.retryAfterMs, input);
      return defer(input, nowMs + delayMs, { failureCount });
    }
    case "ambiguous":
      return settleAmbiguous(input, outcome);
    case "destination_rejected":
      return settleDestination(input, outcome.disposition);
    case "message_rejected":
      return bury(input, "message_rejected", {});
    case "config_rejected": {
      const scope = widened(outcome.scope ?? "partition", input);
      const waitMs = scope === "partition" ? CIRCUIT_PROBE_MS : LONE_CONFIG_WAIT_MS;
      return defer(input, nowMs + waitMs, {}, { scope, untilMs: nowMs + waitMs });
    }
    case "not_made":
      if (input.cancelWished === true) return expire(input, "cancelled", {});
      return (input.notBeforeMs ?? 0) > nowMs ? defer(input, nowMs, {}) : { state: "ready" };
  }
}

function settleThrottled(
  input: SettlementInput,
  outcome: Extract<Outcome, { class: "throttled" }>,
): Settlement {
  const { nowMs } = input;
  const throttleCount = input.counters.throttleCount + 1;
  const delayMs = throttleDelayMs({ ...throttleInput(input), retryAfterMs: outcome.retryAfterMs });
  // The gate opens exactly at the provider's time, the delivery follows with its jitter.
  const usable = outcome.retryAfterMs !== null && outcome.retryAfterMs > 0;
  const untilMs = nowMs + (usable ? Math.min(Math.ceil(outcome.retryAfterMs ?? 0), delayMs) : delayMs);
  return defer(input, nowMs + delayMs, { throttleCount }, { scope: widened(outcome.scope, input), untilMs });
}

/** What an unknown outcome allows is the provider's `repeat`; keyed repeats do not spend the budget, time bounds them. */
function settleAmbiguous(
  input: SettlementInput,
  outcome: Extract<Outcome, { class: "ambiguous" }>,
): Settlement {
  const unresolvedSinceMs = input.unresolvedSinceMs ?? input.begunAtMs;
  const failureCount = input.counters.failureCount + (input.repeat === "collapsing" ? 1 : 0);
  const counts = { failureCount, unresolvedSinceMs };
  if (outcome.needsReview === true) return bury(input, "outcome_unknown", counts);
  const tries = Math.max(1, input.counters.attemptCount - input.counters.throttleCount);
  const delayMs = atLeastAsked(transientBackoffMs(tries, input.seed), outcome.retryAfterMs, input);
  const nextEligibleAtMs = notBefore(input, input.nowMs + delayMs);
  const { repeat, failureBudget } = input;
  const verdict = mayAttempt({
    unresolvedSinceMs,
    nowMs: nextEligibleAtMs,
    repeat,
    failureCount,
    failureBudget,
  });
  return verdict.allowed ? defer(input, nextEligibleAtMs, counts) : bury(input, verdict.reason, counts);
}

function settleDestination(input: SettlementInput, mark: DestinationMark): Settlement {
  switch (mark) {
    case "dead":
      return { ...bury(input, "destination_rejected", {}), mark };
    case "gone":
      return { ...expire(input, "no_destination", {}), mark };
    case "opted_out":
      return { ...expire(input, "opted_out", {}), mark };
  }
}

function defer(
  input: SettlementInput,
  nextEligibleAtMs: number,
  counts: Partial<Kept>,
  gate?: Gate,
): Settlement {
  const settled: Settlement =
    input.cancelWished === true
      ? expire(input, "cancelled", counts)
      : {
          state: "deferred",
          nextEligibleAtMs: notBefore(input, nextEligibleAtMs),
          ...kept(input),
          ...counts,
        };
  // The gate concerns the others: it closes although this delivery may wait for nothing any more.
  return gate === undefined ? settled : ({ ...settled, gate } as Settlement);
}

function notBefore(input: SettlementInput, atMs: number): number {
  return Math.max(atMs, input.notBeforeMs ?? atMs);
}

/** `dead` with the reason, or with `outcome_unknown` and the reason as the wish, when an earlier outcome is unknown. */
function bury(input: SettlementInput, reason: DeadReason, counts: Partial<Kept>): Ended {
  const row = { ...kept(input), ...counts };
  if (row.unresolvedSinceMs === null) return { state: "dead", reason, ...row };
  const wish = input.cancelWished === true ? "cancelled" : reason;
  const unknown = {
    ...row,
    reason: "outcome_unknown" as const,
    reconcileAtMs: input.nowMs + RECONCILE_AFTER_MS,
  };
  return wish === "outcome_unknown" ? { state: "dead", ...unknown } : { state: "dead", ...unknown, wish };
}

/** `expired` with the reason, or `dead/outcome_unknown` with it as the wish, when an earlier outcome is unknown. */
function expire(input: SettlementInput, reason: ExpiredReason, counts: Partial<Kept>): Ended {
  const row = { ...kept(input), ...counts };
  if (row.unresolvedSinceMs === null) return { state: "expired", reason, ...row };
  const reconcileAtMs = input.nowMs + RECONCILE_AFTER_MS;
  return { state: "dead", reason: "outcome_unknown", wish: reason, reconcileAtMs, ...row };
}

function kept(input: SettlementInput): Kept {
  return {
    lastClass: input.outcome.class,
    failureCount: input.counters.failureCount,
    throttleCount: input.counters.throttleCount,
    unresolvedSinceMs: input.unresolvedSinceMs,
  };
}

function throttleInput(input: SettlementInput) {
  return {
    throttleCount: input.counters.throttleCount + 1,
    floorMs: input.throttleFloorMs,
    seed: input.seed,
  };
}

/** A Retry-After on any other refusal (RFC 9110: 503) is a floor under our own backoff. */
function atLeastAsked(
  backoffMs: number,
  retryAfterMs: number | null | undefined,
  input: SettlementInput,
): number {
  if (retryAfterMs === null || retryAfterMs === undefined || retryAfterMs <= 0) return backoffMs;
  return Math.max(backoffMs, throttleDelayMs({ ...throttleInput(input), retryAfterMs }));
}

/** A refusal of unknown scope concerns the destination first, and everybody after several in a row. */
function widened(scope: RefusalScope, input: SettlementInput): RefusalScope {
  if (scope !== "unknown") return scope;
  return (input.unknownRefusalsInRow ?? 1) >= UNKNOWN_REFUSALS_FOR_PARTITION ? "partition" : "unknown";
}
