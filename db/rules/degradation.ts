import { invalid, ok, type Result } from "./errors";
import type { Lane } from "./outcome";

/** What a lane gives up first when its queue grows too old. */
export const DEGRADATIONS = ["expire_oldest", "coalesce", "other_channel"] as const;
export type Degradation = (typeof DEGRADATIONS)[number];

/** Lanes that may give something up: those in which updates travel. */
export const DEGRADABLE_LANES = ["bulk", "standard"] as const satisfies readonly Lane[];
export type DegradableLane = (typeof DEGRADABLE_LANES)[number];

/** Under a minute nothing is old, and after a week everything has expired by itself. */
const WINDOW_MIN_MS = 60_000;
const WINDOW_MAX_MS = 7 * 86_400_000;

/** What each does, as an operator reads it. */
export const DEGRADATION_NAME: Record<Degradation, string> = {
  expire_oldest: "give up the oldest updates",
  coalesce: "send only the latest update of a parcel",
  other_channel: "move old updates to another channel of their reader",
};

/** A policy as it is written down: which, and how long an update may wait before it acts on it. */
export interface DegradationPolicy {
  degradation: Degradation;
  windowMs: number;
}

/** Checks what an operator gave. */
export function readDegradation(
  lane: string,
  policy: string,
  windowMs: number | null,
): Result<DegradationPolicy & { lane: DegradableLane }> {
  const readLane = DEGRADABLE_LANES.find((known) => known === lane);
  if (readLane === undefined) return invalid("lane", lane, `one of ${DEGRADABLE_LANES.join(", ")}`);
  const degradation = DEGRADATIONS.find((known) => known === policy);
  if (degradation === undefined) return invalid("policy", policy, `one of ${DEGRADATIONS.join(", ")}`);
  if (windowMs === null || !(windowMs >= WINDOW_MIN_MS && windowMs <= WINDOW_MAX_MS))
    return invalid("window", windowMs, "a duration from 1m to 7d");
  return ok({ lane: readLane, degradation, windowMs });
}
