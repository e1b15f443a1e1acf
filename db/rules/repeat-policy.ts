import type { Channel, Repeat } from "./outcome";
import { FAILURE_BUDGET } from "./retry-policy";

/** What a repeat does, by channel: Resend has idempotency keys, Web Push replaces by topic and tag, Twilio has nothing. */
export const REPEAT_BY_CHANNEL: Record<Channel, Repeat> = {
  email: "keyed",
  sms: "blind",
  push: "collapsing",
};

/** Resend keeps an idempotency key for 24 h; the last hour is left for a call that waits and for clocks that differ. */
export const KEY_PROTECTION_MS = 23 * 3600 * 1000;

export interface RepeatInput {
  /** When the first attempt began whose outcome nobody knows; null when every outcome is known. */
  unresolvedSinceMs: number | null;
  /** The instant at which the next attempt would begin. */
  nowMs: number;
  repeat: Repeat;
  failureCount: number;
  /** What the delivery may spend, redrives included; `FAILURE_BUDGET` unless given. */
  failureBudget?: number;
  /** An operator named this unresolved delivery in a redrive, knowing that it may be sent twice. */
  acknowledgedByOperator?: boolean;
}

/** A refusal always means `dead/outcome_unknown`; `why` is for people. */
export type RepeatVerdict =
  | { allowed: true }
  | { allowed: false; reason: "outcome_unknown"; why: "key_lapsed" | "budget_spent" | "no_protection" };

/**
 * Whether a delivery may be attempted (again) although an earlier outcome may be unknown (P9).
 *
 * Keyed: with the same key and bytes, before `KEY_PROTECTION_MS` have passed since the first unknown outcome.
 * Collapsing: while its failure budget lasts. Blind: never, unless an operator took the decision.
 */
export function mayAttempt(input: RepeatInput): RepeatVerdict {
  if (input.unresolvedSinceMs === null || input.acknowledgedByOperator === true) return { allowed: true };
  switch (input.repeat) {
    case "keyed":
      return input.nowMs < input.unresolvedSinceMs + KEY_PROTECTION_MS
        ? { allowed: true }
        : refuse("key_lapsed");
    case "collapsing":
      return input.failureCount < (input.failureBudget ?? FAILURE_BUDGET)
        ? { allowed: true }
        : refuse("budget_spent");
    case "blind":
      return refuse("no_protection");
  }
}

function refuse(why: "key_lapsed" | "budget_spent" | "no_protection"): RepeatVerdict {
  return { allowed: false, reason: "outcome_unknown", why };
}
