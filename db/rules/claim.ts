import type { Gate } from "./gate";
import { type HoldFacts, type HoldReason, holdAt } from "./holds";
import type { DeliveryState, ExpiredReason } from "./lifecycle";
import type { Channel, Lane, Repeat } from "./outcome";
import { mayAttempt } from "./repeat-policy";
import { DUE_AHEAD_MS } from "./slots";

/** Everything about one delivery that a claim must know, read after its lock (P6). */
export interface ClaimFacts extends HoldFacts {
  state: DeliveryState;
  channel: Channel;
  lane: Lane;
  address: string;
  nextEligibleAtMs: number | null;
  expiresAtMs: number;
  version: number;
  admitted: boolean;
  keptBy: string | null;
  owner: number;
  partitionOwner: number;
  failureCount: number;
  failureBudget: number;
  unresolvedSinceMs: number | null;
  /** An operator named it in a redrive although its outcome is unknown. */
  acknowledged: boolean;
  /** Null for a notice, which nothing can edit. */
  occurrenceState: "waiting" | "opened" | "missed" | "cancelled" | null;
  occurrenceVersion: number | null;
  sourceCancelled: boolean;
  /** The person was erased. */
  erased: boolean;
  /** Somebody opened or finished the occurrence: what still waits is not wanted any more. */
  answered: boolean;
  /**
   * How its follower stands to a shipment update; null for everything else. `overtaken`: a newer version that a follower
   * of only the latest also chose.
   */
  following: "current" | "left" | "not_chosen" | "overtaken" | null;
  /**
   * When the first of the older versions that still go to the same address may be sent, in epoch milliseconds: now for one
   * that is under way. Null when none does.
   */
  olderEligibleAtMs: number | null;
  destinationState: "active" | "suppressed" | "retired";
  /** A notice may go to an address that is being proved; everything else needs a verified one. */
  destinationVerified: boolean;
  isNotice: boolean;
  preferred: boolean;
  hasContent: boolean;
}

export type RefusalReason =
  | "duplicate"
  | "not_admitted"
  | "not_eligible"
  | "expired"
  | "superseded"
  | "cancelled"
  | "stale_owner"
  | "unresolved"
  | "gate"
  | "quiet_hours"
  | "opted_out"
  | "no_destination";

export type ClaimVerdict =
  | { verdict: "go" }
  /** Due within the wait that a run may make in process, and further away than a claim reaches ahead. */
  | { verdict: "later"; dueAtMs: number }
  /** Not now; the row keeps waiting where it is, its admission is given up. */
  | { verdict: "refused"; reason: RefusalReason }
  | { verdict: "hold"; reason: HoldReason | "not_before"; untilMs: number }
  | { verdict: "end"; reason: ExpiredReason };

/**
 * Whether a delivery may be sent at this instant, and what becomes of it otherwise. Asked right before the call, at
 * most `DUE_AHEAD_MS` before its instant, so that a cancel one second before due wins (P6), and asked again at every retry and redrive. `gate` is what closes the
 * partition or its account.
 */
export function decideClaim(
  facts: ClaimFacts,
  input: { nowMs: number; runId: string; repeat: Repeat; gate: Gate | null },
): ClaimVerdict {
  const { nowMs } = input;
  const refused = (reason: RefusalReason): ClaimVerdict => ({ verdict: "refused", reason });
  if (facts.state !== "ready" && facts.state !== "scheduled" && facts.state !== "deferred")
    return refused("duplicate");
  if (facts.erased) return { verdict: "end", reason: "erased" };
  if (facts.sourceCancelled || facts.occurrenceState === "cancelled")
    return { verdict: "end", reason: "cancelled" };
  if (facts.answered) return { verdict: "end", reason: "answered" };
  if (facts.occurrenceVersion !== null && facts.version < facts.occurrenceVersion) {
    return { verdict: "end", reason: "superseded" };
  }
  const overtaken = endOfFollowing(facts);
  if (overtaken !== null) return { verdict: "end", reason: overtaken };
  if (facts.expiresAtMs <= nowMs || !facts.hasContent) return { verdict: "end", reason: "past_deadline" };
  if (facts.destinationState === "suppressed") return { verdict: "end", reason: "opted_out" };
  if (facts.destinationState === "retired") return { verdict: "end", reason: "no_destination" };
  if (!facts.isNotice && !facts.destinationVerified) return { verdict: "end", reason: "no_destination" };
  if (!facts.preferred) return { verdict: "end", reason: "preference" };
  if (input.gate !== null) return refused("gate");
  if (!facts.admitted && facts.keptBy !== input.runId) return refused("not_admitted");
  if (facts.owner !== facts.partitionOwner) return refused("stale_owner");
  const dueAtMs = facts.nextEligibleAtMs ?? nowMs;
  const isEarly = dueAtMs > nowMs;
  if (isEarly && facts.state !== "scheduled") return refused("not_eligible");
  if (dueAtMs > nowMs + DUE_AHEAD_MS) return { verdict: "later", dueAtMs };
  const hold = holdAt(facts, Math.max(nowMs, dueAtMs));
  if (hold !== null) return { verdict: "hold", ...hold };
  if (facts.olderEligibleAtMs !== null) {
    return { verdict: "hold", reason: "not_before", untilMs: afterOlderMs(facts.olderEligibleAtMs, nowMs) };
  }
  const repeat = mayAttempt({
    unresolvedSinceMs: facts.unresolvedSinceMs,
    nowMs,
    repeat: input.repeat,
    failureCount: facts.failureCount,
    failureBudget: facts.failureBudget,
    acknowledgedByOperator: facts.acknowledged,
  });
  return repeat.allowed ? { verdict: "go" } : refused("unresolved");
}

/** A call lasts a few hundred milliseconds: who waits for one that is under way asks again soon. */
const AFTER_OLDER_MS = 2_000;

/** An older version that waits long may be sent sooner than it says, when an operator resumes: asked again meanwhile. */
const AFTER_OLDER_MAX_MS = 60_000;

/** When a version asks again whether the older one has ended: when that may be sent, and not long after. */
function afterOlderMs(olderEligibleAtMs: number, nowMs: number): number {
  return Math.min(Math.max(olderEligibleAtMs, nowMs + AFTER_OLDER_MS), nowMs + AFTER_OLDER_MAX_MS);
}

/**
 * Why a shipment update is no longer wanted. What may have gone out already (`unresolved`) is finished as it began: a
 * newer version says nothing about whether it arrived.
 */
function endOfFollowing(facts: ClaimFacts): ExpiredReason | null {
  switch (facts.following) {
    case "left":
      return "opted_out";
    case "not_chosen":
      return "milestone_not_chosen";
    case "overtaken":
      return facts.unresolvedSinceMs === null ? "superseded" : null;
    case "current":
    case null:
      return null;
  }
}
