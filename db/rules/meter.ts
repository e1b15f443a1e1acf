import type { Lane } from "./outcome";

/**
 * The meter of one budget: a GCRA that grants future slots, cuts its rate on a 429 and recovers with successes
 * (DESIGN: admission, "when exactly" and "feedback"; P3, P7). Pure: takes the row and the time, returns the next row.
 */
export interface Meter {
  /** Sends (SMS: segments) per second now. */
  rate: number;
  /** Instant of the next free slot, epoch milliseconds. */
  readyAtMs: number;
  /** The provider's gate: no slot lies before it. */
  blockedUntilMs: number;
  /** Changes with every cut; a slot of an older epoch is void. */
  epoch: number;
  lastCutAtMs: number | null;
  /** The provider's own ceiling as its headers last said. */
  observedCeiling: number | null;
  /** Smoothed call time. */
  callMs: number;
  /** What calls take when the provider is well; null before the first. */
  calmCallMs: number | null;
  urgentReadyAtMs: number;
  lastFeedbackAtMs: number | null;
}

export interface MeterLimits {
  /** The operator's ceiling per second; 0 is a pause. */
  ceiling: number;
  burst: number;
}

/** Run just under the rate, so that rounding on either side never makes a provider's window overflow. */
const RATE_SHARE = 0.998;

/** AIMD cut: measured best with the recovery below (facts: 0.7 and 10 % of the ceiling per second is the knee). */
const CUT_FACTOR = 0.7;

/** The recovery slope, not the cut, decides drain time: 10 % of the ceiling per second … */
const RECOVERY_SHARE_PER_SECOND = 0.1;
/** … growing by ×2 for each second since the last cut … */
const RECOVERY_ACCELERATION_PER_SECOND = 2;
/** … up to ×5, so that full rate is back within about two seconds of a limit's end. */
const RECOVERY_FACTOR_MAX = 5;

/** Below one send in two seconds a partition would look dead; pausing is the operator's choice, not the meter's. */
const RATE_MIN = 0.5;

/** Weight of the newest call in the smoothed call time. */
const CALL_TIME_WEIGHT = 0.1;

/**
 * The rate that nothing may exceed: the operator's ceiling, or the provider's own where that is lower. A provider that
 * names zero is not believed: nobody would call again and learn better.
 */
export function effectiveCeiling(meter: Meter, limits: MeterLimits): number {
  const observed = meter.observedCeiling ?? 0;
  return observed > 0 ? Math.min(limits.ceiling, observed) : limits.ceiling;
}

/** Milliseconds between two slots at the current rate. A ceiling under `RATE_MIN` is kept all the same. */
export function slotIntervalMs(meter: Meter, limits: MeterLimits): number {
  const ceiling = effectiveCeiling(meter, limits);
  const rate = Math.max(meter.rate, RATE_MIN);
  return 1000 / ((ceiling > 0 ? Math.min(rate, ceiling) : rate) * RATE_SHARE);
}

/**
 * A 429 of partition scope: the gate closes until the provider's time, and the rate is cut once per epoch: one overload
 * is one cut however many answers report it, and one that persists cuts again at once because the cut opens a new epoch.
 */
export function feedThrottled(
  meter: Meter,
  feedback: { nowMs: number; slotEpoch: number; untilMs: number },
): Meter {
  const blockedUntilMs = Math.max(meter.blockedUntilMs, feedback.untilMs);
  if (feedback.slotEpoch !== meter.epoch) return { ...meter, blockedUntilMs };
  return {
    ...meter,
    blockedUntilMs,
    rate: Math.max(RATE_MIN, meter.rate * CUT_FACTOR),
    epoch: meter.epoch + 1,
    lastCutAtMs: feedback.nowMs,
    lastFeedbackAtMs: feedback.nowMs,
    // Every outstanding slot of the old epoch is void, so the next free one is where the gate ends.
    readyAtMs: blockedUntilMs,
  };
}

/** Accepted sends of the current epoch raise the rate; those of an older one say nothing about the present. */
export function feedAccepted(
  meter: Meter,
  limits: MeterLimits,
  feedback: { nowMs: number; slotEpoch: number; callMs: number },
): Meter {
  const callMs = meter.callMs + (feedback.callMs - meter.callMs) * CALL_TIME_WEIGHT;
  const calmCallMs = calmer(meter.calmCallMs, callMs);
  const ceiling = effectiveCeiling(meter, limits);
  if (feedback.slotEpoch !== meter.epoch || meter.rate >= ceiling) {
    return { ...meter, callMs, calmCallMs, rate: Math.min(meter.rate, Math.max(ceiling, RATE_MIN)) };
  }
  const sinceMs = Math.max(meter.lastFeedbackAtMs ?? feedback.nowMs - 1000, meter.blockedUntilMs);
  // At most one second counts at once: silence is not evidence.
  const elapsedSeconds = Math.min(1, Math.max(0, feedback.nowMs - sinceMs) / 1000);
  const sinceCutSeconds =
    Math.max(0, feedback.nowMs - Math.max(meter.lastCutAtMs ?? 0, meter.blockedUntilMs)) / 1000;
  const factor = Math.min(RECOVERY_FACTOR_MAX, 1 + RECOVERY_ACCELERATION_PER_SECOND * sinceCutSeconds);
  const raised = meter.rate + RECOVERY_SHARE_PER_SECOND * ceiling * elapsedSeconds * factor;
  return { ...meter, callMs, calmCallMs, rate: Math.min(ceiling, raised), lastFeedbackAtMs: feedback.nowMs };
}

/** The calm call time follows a faster call at once and a slower one a thousandth at a time: minutes, not seconds. */
const CALM_WEIGHT = 0.001;

function calmer(calmCallMs: number | null, callMs: number): number {
  if (calmCallMs === null || callMs < calmCallMs) return callMs;
  return calmCallMs + (callMs - calmCallMs) * CALM_WEIGHT;
}

/** Below this a doubled call time is noise of this machine, not of the provider. */
const SLOW_CALL_MS = 100;

/**
 * Calls that may be in flight at once. When the call time doubles the bound halves, and so on with its ratio to calm,
 * never under 1: a slow provider is not helped by more calls. It recovers as the call time does.
 */
export function inFlightBound(meter: Meter, concurrency: number): number {
  if (meter.calmCallMs === null || meter.callMs < SLOW_CALL_MS) return concurrency;
  const slowdown = meter.callMs / Math.max(1, meter.calmCallMs);
  return slowdown < 2 ? concurrency : Math.max(1, Math.floor(concurrency / slowdown));
}

/** What a send costs against the meter: `bulk` and `redrive` pay for the headroom that they leave to the others. */
export function meteredCost(cost: number, lane: Lane, headroom: number): number {
  return lane === "bulk" || lane === "redrive" ? cost / (1 - headroom) : cost;
}

/** How long work may be out before it is sent: two seconds of rate keep a partition busy between two looks. */
const WINDOW_SECONDS = 2;

/** Deliveries that may be outstanding (admitted or sending): `rate × (2 s + call time)`, at least 1. */
export function admissionWindow(meter: Meter, limits: MeterLimits): number {
  const ceiling = effectiveCeiling(meter, limits);
  if (ceiling <= 0) return 0;
  return Math.max(1, Math.floor(Math.min(meter.rate, ceiling) * (WINDOW_SECONDS + meter.callMs / 1000)));
}
