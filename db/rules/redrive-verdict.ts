import type { DeadReason, DeliveryState } from "./lifecycle";
import type { Repeat } from "./outcome";
import { KEY_PROTECTION_MS } from "./repeat-policy";

/** Dead letters older than this are history: nobody waits for them any more, and dedupe memory is kept for no longer. */
export const REDRIVE_HORIZON_MS = 14 * 86_400_000;

/**
 * What would become of a dead letter that is redriven now, in the order in which they are asked.
 *
 * - `delivered`, `not_dead`: it is no dead letter any more. `dismissed`: somebody said that it is nobody's business.
 * - `in_other_redrive`: an unfinished redrive has it already.
 * - `cancelled`, `answered`, `superseded`, `expired`, `opted_out`, `no_destination`: nobody wants it, or nobody would get it.
 * - `past_horizon`: died more than `REDRIVE_HORIZON_MS` ago.
 * - `protection_lapsed`: its outcome is unknown, and the provider's key that suppressed a duplicate has lapsed.
 * - `ambiguous`: its outcome is unknown, and a repeat may reach somebody twice.
 * - `would_send`: it goes.
 */
export const REDRIVE_VERDICTS = [
  "would_send",
  "expired",
  "superseded",
  "cancelled",
  "answered",
  "opted_out",
  "no_destination",
  "ambiguous",
  "protection_lapsed",
  "past_horizon",
  "dismissed",
  "in_other_redrive",
  "delivered",
  "not_dead",
] as const;
export type RedriveVerdict = (typeof REDRIVE_VERDICTS)[number];

/** What a verdict asks about a dead letter. */
export interface RedriveFacts {
  state: DeliveryState;
  reason: DeadReason | string | null;
  repeat: Repeat;
  finishedAtMs: number | null;
  expiresAtMs: number;
  dismissed: boolean;
  inOtherRedrive: boolean;
  unresolvedSinceMs: number | null;
  version: number;
  /** Null for a notice. */
  occurrenceState: "waiting" | "opened" | "missed" | "cancelled" | null;
  occurrenceVersion: number | null;
  /** Cancelled or paused. */
  sourceCancelled: boolean;
  answered: boolean;
  destinationState: "active" | "suppressed" | "retired" | null;
  destinationReason: string | null;
  destinationVerified: boolean;
  isNotice: boolean;
  preferred: boolean;
  hasContent: boolean;
}

/** What would become of it. `includesAmbiguous`: an operator named unknown outcomes, knowing what that means. */
export function redriveVerdict(
  facts: RedriveFacts,
  input: { nowMs: number; includesAmbiguous: boolean },
): RedriveVerdict {
  if (facts.state === "delivered") return "delivered";
  if (facts.state !== "dead") return "not_dead";
  if (facts.dismissed) return "dismissed";
  if (facts.inOtherRedrive) return "in_other_redrive";
  const unwanted = unwantedBecause(facts, input.nowMs);
  if (unwanted !== null) return unwanted;
  if ((facts.finishedAtMs ?? input.nowMs) < input.nowMs - REDRIVE_HORIZON_MS) return "past_horizon";
  if (facts.unresolvedSinceMs === null || input.includesAmbiguous) return "would_send";
  const lapsed = facts.repeat === "keyed" && input.nowMs >= facts.unresolvedSinceMs + KEY_PROTECTION_MS;
  return lapsed ? "protection_lapsed" : "ambiguous";
}

function unwantedBecause(facts: RedriveFacts, nowMs: number): RedriveVerdict | null {
  if (facts.sourceCancelled || facts.occurrenceState === "cancelled") return "cancelled";
  if (facts.answered) return "answered";
  if (facts.occurrenceVersion !== null && facts.version < facts.occurrenceVersion) return "superseded";
  if (facts.expiresAtMs <= nowMs || !facts.hasContent) return "expired";
  if (!facts.preferred) return "opted_out";
  switch (facts.destinationState) {
    case "suppressed":
      return facts.destinationReason === "opted_out" ? "opted_out" : "no_destination";
    case "retired":
    case null:
      return "no_destination";
    case "active":
      return facts.isNotice || facts.destinationVerified ? null : "no_destination";
  }
}

/** A verdict as the end of "not redriven because …". */
export function verdictWords(verdict: RedriveVerdict): string {
  switch (verdict) {
    case "would_send":
      return "nothing forbids it";
    case "expired":
      return "it is past its usefulness";
    case "superseded":
      return "a newer version has taken its place";
    case "cancelled":
      return "it was cancelled, or its reminder is paused";
    case "answered":
      return "its reader has answered it elsewhere";
    case "opted_out":
      return "its reader has turned this channel off";
    case "no_destination":
      return "its address or device is gone";
    case "ambiguous":
      return "its outcome is unknown and a repeat may reach somebody twice";
    case "protection_lapsed":
      return "its outcome is unknown and the provider no longer suppresses a duplicate";
    case "past_horizon":
      return "it died more than 14 days ago";
    case "dismissed":
      return "somebody has dismissed it";
    case "in_other_redrive":
      return "an unfinished redrive has it already";
    case "delivered":
      return "it was delivered";
    case "not_dead":
      return "it is no dead letter any more";
  }
}
