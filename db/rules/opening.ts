import { type HoldFacts, type HoldReason, holdAt } from "./holds";
import type { ExpiredReason } from "./lifecycle";

/** What the two seconds before an instant are enough for, beside other work: more in one second are a crowd. */
const CROWD = 500;

/** Openings per second that a process manages with the database beside it, and with sends under way. */
const OPENED_PER_SECOND = 250;

/** Opening ahead decides who gets a message that much before: half a minute is soon enough for everybody. */
const AHEAD_SECONDS_MAX = 30;

/**
 * How many seconds before their instant so many occurrences of one second are opened, so that the first call need not
 * wait for the last opening; undefined when the usual two are enough. What happens between opening and claim counts as
 * ever: the claim asks again (P6).
 */
export function openAheadSeconds(waiting: number): number | undefined {
  if (waiting < CROWD) return undefined;
  return Math.min(AHEAD_SECONDS_MAX, 2 + Math.ceil(waiting / OPENED_PER_SECOND));
}

/** What decides how a delivery is born. */
export interface OpeningFacts extends Omit<HoldFacts, "lane"> {
  /** When it is to leave: the occurrence's instant, or later on a channel that waits for others. */
  dueAtMs: number;
  /** The channel waits for an earlier one to be opened first. */
  stepped: boolean;
  expiresAtMs: number;
  hasDestination: boolean;
  /** The only destination there is said stop. */
  suppressed: boolean;
  preferred: boolean;
  /** The destination has had as many messages today as its owner wants. */
  capped: boolean;
  /** The shop says that the thing does not make sense any more. */
  moot: boolean;
}

export type Opening =
  | { state: "scheduled"; nextEligibleAtMs: number; heldBy: HoldReason | "not_before" | null }
  | { state: "expired"; reason: ExpiredReason };

/**
 * How a delivery is born: waiting for its instant, held, or `expired` with the reason why this subscriber is skipped. A
 * skipped subscriber is a row too, so that a person can be told why nothing came.
 */
export function decideOpening(facts: OpeningFacts, nowMs: number): Opening {
  if (facts.moot) return { state: "expired", reason: "answered" };
  if (!facts.preferred) return { state: "expired", reason: "preference" };
  if (facts.suppressed)
    return { state: "expired", reason: facts.channel === "sms" ? "consent" : "opted_out" };
  if (!facts.hasDestination) return { state: "expired", reason: "no_destination" };
  if (facts.expiresAtMs <= nowMs) return { state: "expired", reason: "past_deadline" };
  if (facts.capped) return { state: "expired", reason: "capped" };
  const hold = holdAt({ ...facts, lane: "standard" }, facts.dueAtMs);
  if (hold !== null) return { state: "scheduled", nextEligibleAtMs: hold.untilMs, heldBy: hold.reason };
  return {
    state: "scheduled",
    nextEligibleAtMs: facts.dueAtMs,
    heldBy: facts.stepped ? "not_before" : null,
  };
}
