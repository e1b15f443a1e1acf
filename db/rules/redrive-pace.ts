import type { Gate } from "./gate";

/**
 * How fast a redrive may go in one partition, and when it must stop by itself (DESIGN: redrive). Pure: takes what was
 * observed, returns what to do.
 */
export interface RedriveFigures {
  nowMs: number;
  /** Why nothing leaves the partition; null when it is open. */
  gate: Gate | null;
  /** The meter's rate now, per second. */
  rate: number;
  /** Calls of the partition that were answered in this stretch, in the last minute at most. */
  calls: number;
  throttled: number;
  /** Over the whole last minute, per second. */
  acceptedPerSecond: number;
  /** Work that became due by itself, per second. */
  arrivalsPerSecond: number;
  /** Live work that waits its turn now. */
  liveBacklog: number;
  /** For how long the oldest of it has waited; null when none does. */
  liveAgeMs: number | null;
}

/** This redrive in this partition since it was started or last resumed. */
export interface RedriveStretch {
  askedPerSecond: number | null;
  pending: number;
  /** Handed to admission and not ended. */
  out: number;
  delivered: number;
  /** Died again, and how many of these for the same reason as before. */
  dead: number;
  deadAlike: number;
  expired: number;
  /** 429s that its own letters have met since one of them was accepted, however long ago. */
  refusedInRow: number;
  /** When the canaries had passed. */
  pacedSinceMs: number | null;
  /** The instant of the next release. */
  nextAtMs: number;
}

export type PauseCause = "throttled" | "live_age" | "refailed" | "canary" | "circuit";

/** What holds a pace down, or what a redrive waits for. */
export type PaceLimit =
  | "asked"
  | "share"
  | "spare"
  | "ramp"
  | "canary"
  | "gate"
  | "live_work"
  | "out"
  | "turn"
  | "nothing_left";

export type RedriveDecision =
  | { do: "pause"; cause: PauseCause; reason: string }
  | { do: "wait"; pace: number; limitedBy: PaceLimit; nextAtMs: number }
  | { do: "release"; count: number; pace: number; limitedBy: PaceLimit; paced: boolean };

/** One, then five: what fails again fails with six messages and not with five hundred. */
const CANARY_FIRST = 1;
const CANARY_SECOND = 5;

/** A redrive takes a fifth of the rate at most: what people wait for now comes first. */
export const REDRIVE_SHARE = 0.2;

/** It starts slowly and doubles: a provider that has just recovered is not met with everything at once. */
const RAMP_START_PER_SECOND = 1;
const RAMP_DOUBLES_EVERY_MS = 30_000;
/** 2^20 per second is more than any provider takes: the exponent stays in bounds. */
const RAMP_DOUBLINGS_MAX = 20;

/** One 429 among a handful is weather; a second one that is more than a twentieth of the calls is the provider's answer. */
const THROTTLED_MIN = 2;
const THROTTLED_SHARE_MAX = 0.05;
/** A provider that names a minute or more is asked once in a minute: its second 429 is outside of the window of the first. */
const REFUSED_IN_ROW_MAX = 1;

/** Under twenty endings a tenth is one or two: the canaries judge that. */
const REFAILED_AFTER = 20;
const REFAILED_SHARE_MAX = 0.1;

/** Work that is in the admission window anyway does not wait: two seconds are its size. */
const LIVE_WAITS_MS = 2_000;

/** Live work that waits so long has the way to itself … */
const LIVE_AGE_YIELD_MS = 5_000;
/** … and when it waits so long all the same, a person should look: half of a two-minute objective. */
export const LIVE_AGE_PAUSE_MS = 60_000;

/** Released work that has not left yet: enough for ten seconds, so that a pause leaves little behind it. */
const OUT_SECONDS = 10;
const OUT_MIN = 5;

/** A driver that was away does not catch up more than this. */
const CATCH_UP_MS = 2_000;

/** What to do in this partition now. */
export function decideRedrive(figures: RedriveFigures, stretch: RedriveStretch): RedriveDecision {
  const wait = (limitedBy: PaceLimit, pace = 0, nextAtMs = figures.nowMs): RedriveDecision => ({
    do: "wait",
    pace,
    limitedBy,
    nextAtMs,
  });
  const { gate } = figures;
  // Somebody, or a new ledger, holds the partition on purpose: its figures say nothing.
  if (gate !== null && (gate.why === "paused" || gate.why === "rate_zero" || gate.why === "held"))
    return wait("gate");
  const pause = pauseCause(figures, stretch);
  if (pause !== null) return { do: "pause", ...pause };
  if (stretch.pending === 0) return wait("nothing_left");
  if (gate !== null) return wait("gate");
  if ((figures.liveAgeMs ?? 0) > LIVE_AGE_YIELD_MS) return wait("live_work");
  const proven = stretch.delivered;
  if (stretch.pacedSinceMs === null && proven < CANARY_FIRST + CANARY_SECOND) {
    const ahead = proven < CANARY_FIRST ? CANARY_FIRST : CANARY_FIRST + CANARY_SECOND - proven;
    const count = Math.min(ahead - stretch.out, stretch.pending);
    if (count <= 0) return wait("canary");
    return { do: "release", count, pace: paceOf(figures, stretch).pace, limitedBy: "canary", paced: false };
  }
  return decidePaced(figures, stretch);
}

function decidePaced(figures: RedriveFigures, stretch: RedriveStretch): RedriveDecision {
  const { nowMs } = figures;
  const { pace, limitedBy } = paceOf(figures, stretch);
  if (pace <= 0) return { do: "wait", pace: 0, limitedBy, nextAtMs: nowMs };
  if (stretch.nextAtMs > nowMs) return { do: "wait", pace, limitedBy: "turn", nextAtMs: stretch.nextAtMs };
  const room = Math.max(OUT_MIN, Math.ceil(pace * OUT_SECONDS)) - stretch.out;
  if (room <= 0) return { do: "wait", pace, limitedBy: "out", nextAtMs: nowMs };
  const due = Math.floor(((nowMs - firstAtMs(stretch.nextAtMs, nowMs)) / 1000) * pace) + 1;
  return { do: "release", count: Math.min(due, room, stretch.pending), pace, limitedBy, paced: true };
}

function firstAtMs(nextAtMs: number, nowMs: number): number {
  return Math.max(nextAtMs, nowMs - CATCH_UP_MS);
}

/** The instant of the next release after so much (cost: SMS segments) was released at this pace. */
export function nextReleaseMs(input: {
  nextAtMs: number;
  nowMs: number;
  cost: number;
  pace: number;
}): number {
  const { nextAtMs, nowMs, cost, pace } = input;
  return pace > 0 ? firstAtMs(nextAtMs, nowMs) + (cost / pace) * 1000 : nowMs;
}

/**
 * The pace per second: the least of what was asked, a fifth of the rate, what the partition can spare beside what
 * arrives, and the ramp. What it can spare is what it accepts while work waits for it; while none waits, the accepted
 * rate says only how little there was to send, and the meter's own rate is the better witness.
 */
export function paceOf(
  figures: RedriveFigures,
  stretch: Pick<RedriveStretch, "askedPerSecond" | "pacedSinceMs">,
): { pace: number; limitedBy: "asked" | "share" | "spare" | "ramp" } {
  const capacity =
    (figures.liveAgeMs ?? 0) > LIVE_WAITS_MS
      ? figures.acceptedPerSecond
      : Math.max(figures.acceptedPerSecond, figures.rate);
  const sinceMs = figures.nowMs - (stretch.pacedSinceMs ?? figures.nowMs);
  const doublings = Math.min(RAMP_DOUBLINGS_MAX, Math.floor(Math.max(0, sinceMs) / RAMP_DOUBLES_EVERY_MS));
  const limits = [
    { limitedBy: "asked" as const, pace: stretch.askedPerSecond ?? Number.POSITIVE_INFINITY },
    { limitedBy: "share" as const, pace: figures.rate * REDRIVE_SHARE },
    { limitedBy: "spare" as const, pace: capacity - figures.arrivalsPerSecond },
    { limitedBy: "ramp" as const, pace: RAMP_START_PER_SECOND * 2 ** doublings },
  ];
  const least = limits.reduce((best, entry) => (entry.pace < best.pace ? entry : best));
  return { ...least, pace: Math.max(0, least.pace) };
}

function pauseCause(
  figures: RedriveFigures,
  stretch: RedriveStretch,
): { cause: PauseCause; reason: string } | null {
  const { gate, throttled, calls, liveAgeMs } = figures;
  const { refusedInRow } = stretch;
  if (gate?.why === "circuit_open")
    return { cause: "circuit", reason: "the provider refuses our configuration" };
  if (gate?.why === "parked") return { cause: "throttled", reason: "the provider's quota is used up" };
  if (throttled >= THROTTLED_MIN && throttled > calls * THROTTLED_SHARE_MAX) {
    return { cause: "throttled", reason: `${throttled} of the last ${calls} calls were answered 429` };
  }
  if (refusedInRow > REFUSED_IN_ROW_MAX && figures.acceptedPerSecond === 0) {
    return { cause: "throttled", reason: `its last ${refusedInRow} calls were all answered 429` };
  }
  if (liveAgeMs !== null && liveAgeMs > LIVE_AGE_PAUSE_MS) {
    return { cause: "live_age", reason: `live work has waited for ${Math.round(liveAgeMs / 1000)} s` };
  }
  const { dead, deadAlike, delivered, expired, pacedSinceMs } = stretch;
  if (dead > 0 && pacedSinceMs === null) {
    const alike = deadAlike > 0 ? "for the same reason as before" : "for another reason than before";
    return { cause: "canary", reason: `${dead} of the first died again, ${alike}` };
  }
  const ended = dead + delivered + expired;
  if (ended >= REFAILED_AFTER && dead > ended * REFAILED_SHARE_MAX) {
    return { cause: "refailed", reason: `${dead} of ${ended} died again` };
  }
  return null;
}
