import { hashFraction } from "./jitter";
import type { Channel } from "./outcome";
import { RETRY_AFTER_MS_MAX } from "./retry-after";

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * Failed calls that a delivery may spend. Five, with the backoff below, cover a provider restart of half a minute; what
 * still fails then has a reason that a person should see. Throttling and quota never count (P3).
 */
export const FAILURE_BUDGET = 5;

/** The backoff stops growing at 15 minutes: an outage that ends is noticed within a quarter of an hour. */
export const TRANSIENT_BACKOFF_MS_MAX = 15 * MINUTE_MS;

/**
 * A 429 without a usable time is asked again after half a minute at most: limits per second are over by then, and the
 * meter, not this delay, keeps the rate down.
 */
export const THROTTLE_BACKOFF_MS_MAX = 30 * SECOND_MS;

/** 2^20 s is far over every cap and far under what a double holds: no exponent can overflow. */
const EXPONENT_MAX = 20;

/**
 * Deliveries that were refused together do not come back in the same millisecond, but a second is spread enough: the
 * meter spaces the calls anyway, and a longer spread would only idle the partition after its gate.
 */
const SPREAD_MS_MAX = SECOND_MS;

/** A parked account is asked once per half hour: often enough for an upgraded plan, too rare to annoy a daily limit. */
export const QUOTA_PROBE_MS = 30 * MINUTE_MS;

/** A wrong key is put right by a person within minutes at best; an open circuit tries one delivery this often. */
export const CIRCUIT_PROBE_MS = 5 * MINUTE_MS;

/**
 * How long a delivery waits whose own destination meets a configuration fault that others do not (a country that is not
 * enabled, a subscription made for another key). Only a person ends it, and nothing else is held up meanwhile.
 */
export const LONE_CONFIG_WAIT_MS = 30 * MINUTE_MS;

/**
 * After so many refusals in a row whose scope nobody knows, the whole push host is taken to refuse: one worn-out device
 * gives one or two, three different ones in a row are no coincidence.
 */
export const UNKNOWN_REFUSALS_FOR_PARTITION = 3;

/** A provider that asks for more than a day is obeyed, and operators are told: something other than a limit is wrong. */
export const RETRY_AFTER_NOTICE_MS = 24 * HOUR_MS;

/** Twilio shows a message in its list about a minute after it took it at the latest; a look-up before proves nothing. */
export const RECONCILE_AFTER_MS = MINUTE_MS;

/**
 * How long one call may take. Resend and push services answer in well under a second, so ten is a fault. Twilio gives
 * up by itself after about 26 s: it must be the one to answer first, since an unknown SMS outcome needs a person.
 */
export const CALL_DEADLINE_MS: Record<Channel, number> = {
  email: 10 * SECOND_MS,
  sms: 30 * SECOND_MS,
  push: 10 * SECOND_MS,
};

/** Time after the deadline to write the outcome down, a retried transaction included. */
const SETTLE_ALLOWANCE_MS = 5 * SECOND_MS;

/** How long a claim is held before anybody else may look at it, in milliseconds: the call's deadline and the settling. */
export function leaseMs(channel: Channel): number {
  return CALL_DEADLINE_MS[channel] + SETTLE_ALLOWANCE_MS;
}

/**
 * The shortest wait after a 429 without a usable time, by partition key, in milliseconds.
 *
 * Resend and Twilio limit per second. Google asks for at least 10 s before a retry (FCM "scale" guide), which also
 * stands in for push services that publish nothing. Mozilla's own default is 120 s (autopush `Retry-After`).
 */
export function throttleFloorMs(partition: string): number {
  if (!partition.startsWith("push:")) return SECOND_MS;
  return partition.endsWith("push.services.mozilla.com") ? 120 * SECOND_MS : 10 * SECOND_MS;
}

/**
 * The wait after the n-th failure in milliseconds: 2^n s, at most `TRANSIENT_BACKOFF_MS_MAX`, spread over its upper
 * half by a hash of `seed` (the delivery's id). For one seed it never shrinks as n grows. A count that makes no sense
 * (negative, NaN) acts like 0; infinity like the cap.
 */
export function transientBackoffMs(failureCount: number, seed: string): number {
  return upperHalf(Math.min(powerOfTwoMs(failureCount), TRANSIENT_BACKOFF_MS_MAX), seed);
}

export interface ThrottleInput {
  /** What the provider asked for; null or 0 when it named no usable time. */
  retryAfterMs: number | null;
  /** Throttled answers of this delivery so far, this one included. */
  throttleCount: number;
  /** `throttleFloorMs` of the partition. */
  floorMs: number;
  seed: string;
}

/**
 * The wait after a 429 in milliseconds. With a usable time: that time, and jitter only after it, never a moment sooner
 * (P3). Without one: a backoff of its own, from the provider's floor up to `THROTTLE_BACKOFF_MS_MAX` (or the floor, if
 * that is higher).
 */
export function throttleDelayMs({ retryAfterMs, throttleCount, floorMs, seed }: ThrottleInput): number {
  if (retryAfterMs !== null && retryAfterMs > 0) {
    const askedMs = Math.ceil(Math.min(retryAfterMs, RETRY_AFTER_MS_MAX));
    return askedMs + Math.floor(hashFraction(seed) * Math.min(askedMs / 10, SPREAD_MS_MAX));
  }
  const backoffMs = upperHalf(Math.min(powerOfTwoMs(throttleCount - 1), THROTTLE_BACKOFF_MS_MAX), seed);
  const spreadFloorMs = Math.ceil(floorMs * (1 + hashFraction(seed) / 10));
  return Math.max(spreadFloorMs, backoffMs);
}

function powerOfTwoMs(exponent: number): number {
  // Written so that NaN and undefined fail the comparison and count as 0.
  const bounded = exponent > 0 ? Math.min(Math.floor(exponent), EXPONENT_MAX) : 0;
  return 2 ** bounded * SECOND_MS;
}

function upperHalf(baseMs: number, seed: string): number {
  return Math.floor(baseMs / 2 + (baseMs / 2) * hashFraction(seed));
}
