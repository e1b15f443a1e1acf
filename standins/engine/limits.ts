import type { RateRule } from "./model";

/** The instant up to which each key's allowance is used (the theoretical arrival time of GCRA). */
export type GcraStore = Map<string, number>;

/** Half a microsecond: an allowance that is due but for the last bits of a division counts as due. */
const ROUNDING_MS = 0.0005;

/**
 * The generic cell rate algorithm as the engine runs it: `atOnce` starts pass at once, then one each period ÷ limit.
 * `take` keeps the start; a look without it changes nothing. Answers when a refused start may pass, else null. What lies
 * further ahead than a start can put it is from before the clock went back: the engine's keys lapse by themselves then.
 */
export function gcra(
  store: GcraStore,
  key: string,
  rule: RateRule,
  nowMs: number,
  take: boolean,
): number | null {
  const emissionMs = rule.periodMs / Math.max(rule.limit, 1);
  const wholeMs = emissionMs * rule.atOnce;
  const kept = store.get(key) ?? nowMs;
  const usedUntilMs = (kept > nowMs + wholeMs + ROUNDING_MS ? nowMs : Math.max(kept, nowMs)) + emissionMs;
  const allowedAtMs = usedUntilMs - wholeMs;
  if (allowedAtMs > nowMs + ROUNDING_MS) return allowedAtMs;
  if (take) store.set(key, usedUntilMs);
  return null;
}

/** Drops keys whose allowance is whole again: they behave like keys never seen. */
export function forgetIdleKeys(store: GcraStore, nowMs: number): void {
  for (const [key, usedUntilMs] of store) if (usedUntilMs <= nowMs) store.delete(key);
}
