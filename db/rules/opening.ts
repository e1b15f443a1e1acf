import type { ExpiredReason } from "./lifecycle";
import type { Channel } from "./outcome";
import { quietUntilMs } from "./quiet-hours";

/** What decides how a delivery is born. */
export interface OpeningFacts {
  channel: Channel;
  dueAtMs: number;
  expiresAtMs: number;
  hasDestination: boolean;
  /** The only destination there is said stop. */
  suppressed: boolean;
  preferred: boolean;
  quietFrom: string | null;
  quietUntil: string | null;
  timeZone: string;
}

export type Opening =
  | { state: "scheduled"; nextEligibleAtMs: number; heldBy: "quiet_hours" | null }
  | { state: "expired"; reason: ExpiredReason };

/**
 * How a delivery is born: waiting for its instant, held by quiet hours, or `expired` with the reason why this subscriber
 * is skipped. A skipped subscriber is a row too, so that a person can be told why nothing came.
 */
export function decideOpening(facts: OpeningFacts, nowMs: number): Opening {
  if (!facts.preferred) return { state: "expired", reason: "preference" };
  if (facts.suppressed)
    return { state: "expired", reason: facts.channel === "sms" ? "consent" : "opted_out" };
  if (!facts.hasDestination) return { state: "expired", reason: "no_destination" };
  if (facts.expiresAtMs <= nowMs) return { state: "expired", reason: "past_deadline" };
  const quietEndMs =
    facts.quietFrom === null || facts.quietUntil === null
      ? null
      : quietUntilMs({
          nowMs: facts.dueAtMs,
          timeZone: facts.timeZone,
          start: facts.quietFrom,
          end: facts.quietUntil,
        });
  return quietEndMs === null
    ? { state: "scheduled", nextEligibleAtMs: facts.dueAtMs, heldBy: null }
    : { state: "scheduled", nextEligibleAtMs: quietEndMs, heldBy: "quiet_hours" };
}
