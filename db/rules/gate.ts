import type { Meter } from "./meter";

/** Why a partition lets nothing through now, and until when (null: until somebody acts). */
export interface Gate {
  why: "held" | "paused" | "rate_zero" | "circuit_open" | "parked" | "blocked" | "probing";
  untilMs: number | null;
}

export interface GateFacts {
  mode: "sending" | "held";
  ledgerGeneration: string;
  processGeneration: string;
  ceiling: number;
  pausedAtMs: number | null;
  pausedUntilMs: number | null;
  circuit: "closed" | "open" | "half_open";
  circuitProbeAtMs: number | null;
  parkedUntilMs: number | null;
}

/**
 * Whether anything may be admitted or begun on a partition, and otherwise why not: the first reason in the order in
 * which a person would want to hear them. The same rule serves admission, reservation and the claim.
 */
export function gateOf(facts: GateFacts, meter: Pick<Meter, "blockedUntilMs">, nowMs: number): Gate | null {
  if (facts.mode !== "sending" || facts.ledgerGeneration !== facts.processGeneration) {
    return { why: "held", untilMs: null };
  }
  if (facts.pausedAtMs !== null && (facts.pausedUntilMs === null || facts.pausedUntilMs > nowMs)) {
    return { why: "paused", untilMs: facts.pausedUntilMs };
  }
  if (facts.ceiling <= 0) return { why: "rate_zero", untilMs: null };
  if (facts.circuit !== "closed" && (facts.circuitProbeAtMs ?? 0) > nowMs) {
    return { why: "circuit_open", untilMs: facts.circuitProbeAtMs };
  }
  if (facts.parkedUntilMs !== null && facts.parkedUntilMs > nowMs) {
    return { why: "parked", untilMs: facts.parkedUntilMs };
  }
  if (meter.blockedUntilMs > nowMs) return { why: "blocked", untilMs: meter.blockedUntilMs };
  return null;
}

/** While one delivery finds out whether a partition may be called again, nothing else is: neither new nor kept work. */
export const PROBE_UNDER_WAY: Gate = { why: "probing", untilMs: null };

/** A circuit that is not closed, or a quota that has not been disproved, lets one delivery through as a probe. */
export function isProbing(facts: Pick<GateFacts, "circuit" | "parkedUntilMs">): boolean {
  return facts.circuit !== "closed" || facts.parkedUntilMs !== null;
}
