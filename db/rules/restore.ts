import type { Channel } from "./outcome";
import { KEY_PROTECTION_MS, REPEAT_BY_CHANNEL } from "./repeat-policy";

/**
 * What becomes of a delivery that waited at a snapshot and could have been sent since (DESIGN: restore). Only a provider
 * that still knows the key takes it twice without sending it twice; its window must cover the time since the snapshot,
 * or since an outcome that was unknown already then. Everything else stays unknown.
 */
export function decideRestored(input: {
  channel: Channel;
  unresolvedSinceMs: number | null;
  snapshotAtMs: number;
  nowMs: number;
}): "repeat" | "outcome_unknown" {
  const sinceMs = Math.min(input.unresolvedSinceMs ?? input.snapshotAtMs, input.snapshotAtMs);
  switch (REPEAT_BY_CHANNEL[input.channel]) {
    case "keyed":
      return input.nowMs < sinceMs + KEY_PROTECTION_MS ? "repeat" : "outcome_unknown";
    case "collapsing":
    case "blind":
      return "outcome_unknown";
  }
}
