/**
 * The life of one delivery, once, for code, pages and tests alike (DESIGN: state machine).
 *
 * The database refuses every move that `LEGAL_MOVES` does not name: the trigger `deliveries_guard` holds the same
 * table, and `test/db/lifecycle.test.ts` tries every pair against it. Change both together.
 */
export const DELIVERY_STATES = [
  "scheduled",
  "ready",
  "sending",
  "deferred",
  "delivered",
  "dead",
  "expired",
] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

export const LIVE_STATES = ["scheduled", "ready", "sending", "deferred"] as const;
export const WAITING_STATES = ["scheduled", "ready", "deferred"] as const;
export const TERMINAL_STATES = ["delivered", "dead", "expired"] as const;

export const DEAD_REASONS = [
  "attempts_exhausted",
  "message_rejected",
  "destination_rejected",
  "outcome_unknown",
] as const;
export type DeadReason = (typeof DEAD_REASONS)[number];

export const EXPIRED_REASONS = [
  "past_deadline",
  "cancelled",
  "superseded",
  "answered",
  "opted_out",
  "no_destination",
  "preference",
  "consent",
  "milestone_not_chosen",
  "erased",
  "capped",
  "shed",
  "moved",
] as const;
export type ExpiredReason = (typeof EXPIRED_REASONS)[number];

/** Why a waiting delivery waits: an outcome class of the last call, or a local reason without a call. */
export const WAIT_CLASSES = [
  "throttled",
  "quota",
  "transient",
  "ambiguous",
  "config_rejected",
  "not_made",
  "local_rate_limit",
  "quiet_hours",
  "sms_hours",
  "paused",
  "not_before",
  "crashed",
] as const;
export type WaitClass = (typeof WAIT_CLASSES)[number];

export interface Move {
  from: DeliveryState;
  to: DeliveryState;
  /** What must hold on the row besides the states. */
  when?: "resolved" | "unresolved" | "redrive" | "outcome_unknown";
  /** Who makes the move and why. */
  because: string;
}

/**
 * Every legal move between two different states. A move that is not here does not exist.
 *
 * `ready → deferred` is this project's addition to the design's list: a parcel that met the local rate limit goes back
 * with a time and without a claim, so it never was `sending`.
 */
export const LEGAL_MOVES: readonly Move[] = [
  { from: "scheduled", to: "sending", because: "claimed at or after its time, admitted early" },
  { from: "ready", to: "sending", because: "claimed" },
  { from: "deferred", to: "sending", because: "claimed by the run that kept it" },
  { from: "sending", to: "delivered", because: "the provider gave positive evidence of acceptance" },
  { from: "sending", to: "deferred", because: "throttled, quota, transient, ambiguous or configuration" },
  { from: "sending", to: "dead", because: "rejected, exhausted or unknown" },
  { from: "sending", to: "expired", because: "destination gone or opted out at the call" },
  { from: "sending", to: "ready", because: "no call was made" },
  { from: "scheduled", to: "ready", because: "its time has come" },
  { from: "deferred", to: "ready", because: "its next eligible time has come" },
  { from: "ready", to: "scheduled", because: "quiet hours began, or an edit moved its time" },
  { from: "deferred", to: "scheduled", because: "quiet hours began, or an edit moved its time" },
  { from: "ready", to: "deferred", because: "local rate limit: goes back with a time and without a claim" },
  { from: "scheduled", to: "expired", when: "resolved", because: "no longer wanted" },
  { from: "ready", to: "expired", when: "resolved", because: "no longer wanted" },
  { from: "deferred", to: "expired", when: "resolved", because: "no longer wanted" },
  { from: "scheduled", to: "dead", when: "unresolved", because: "outcome unknown and not repeatable" },
  { from: "ready", to: "dead", when: "unresolved", because: "outcome unknown and not repeatable" },
  { from: "deferred", to: "dead", when: "unresolved", because: "outcome unknown and not repeatable" },
  { from: "dead", to: "ready", when: "redrive", because: "redriven by an operator" },
  { from: "scheduled", to: "delivered", because: "late positive evidence" },
  { from: "ready", to: "delivered", because: "late positive evidence" },
  { from: "deferred", to: "delivered", because: "late positive evidence" },
  { from: "dead", to: "delivered", when: "outcome_unknown", because: "late positive evidence" },
];

/** What of a row decides whether a move is legal. */
export interface MoveFacts {
  unresolved: boolean;
  /** The row's reason before the move. */
  reason: string | null;
  /** Whether the move carries a redrive. */
  redriven: boolean;
}

/** Whether the move is legal for a row with these facts; staying in a state is not a move and always legal. */
export function isLegalMove(from: DeliveryState, to: DeliveryState, facts: MoveFacts): boolean {
  if (from === to) return true;
  const move = LEGAL_MOVES.find((legal) => legal.from === from && legal.to === to);
  return move !== undefined && conditionHolds(move.when, facts);
}

function conditionHolds(condition: Move["when"], facts: MoveFacts): boolean {
  switch (condition) {
    case undefined:
      return true;
    case "resolved":
      return !facts.unresolved;
    case "unresolved":
      return facts.unresolved;
    case "redrive":
      return facts.redriven;
    case "outcome_unknown":
      return facts.reason === "outcome_unknown";
  }
}
