import type { Channel, Lane } from "./outcome";

/** What a channel and lane promise. */
export interface Slo {
  channel: Channel;
  lane: Lane;
  p99AgeMs: number;
  p99DueToAcceptedMs: number;
  throttledShare: number;
  deadPerThousand: number;
}

/** One measure of one lane beside its limit; `limit` null is shown without being judged. */
export interface GateMeasure {
  channel: Channel;
  lane: Lane;
  measure:
    | "p50_age_ms"
    | "p99_age_ms"
    | "backlog"
    | "backlog_drain_ms"
    | "attempts_per_second"
    | "throttled_share"
    | "dead_per_thousand"
    | "p99_due_to_accepted_ms";
  value: number;
  limit: number | null;
  ok: boolean;
}

/** What is known of a lane: its queues now, and what happened in the window. */
export interface LaneEvidence {
  queues: readonly {
    ready: number;
    ageP50Ms: number | null;
    ageP99Ms: number | null;
    heldBackMs: number | null;
    drainMs: number | null;
  }[];
  delays:
    | {
        attempts: number;
        throttled: number;
        accepted: number;
        died: number;
        waitP50Ms: number | null;
        waitP99Ms: number | null;
        dueToAcceptedP99Ms: number | null;
      }
    | undefined;
  windowSeconds: number;
}

/** Under so many calls one 429 or one death is no share of anything; it is shown and not judged. */
const JUDGED_FROM = 20;

/**
 * Measures a lane against its promise. The queue's age is the worse of what waits now and what had waited when it was
 * called: a queue that stands still has no calls, a queue that has just drained has nothing waiting. What a pause or a gate
 * keeps from becoming ready waits as well.
 */
export function measureLane(slo: Slo, { queues, delays, windowSeconds }: LaneEvidence): GateMeasure[] {
  const ready = queues.reduce((sum, queue) => sum + queue.ready, 0);
  const heldBack = queues.map((queue) => queue.heldBackMs);
  if (
    ready === 0 &&
    heldBack.every((ms) => ms === null) &&
    (delays === undefined || delays.attempts + delays.accepted + delays.died === 0)
  )
    return [];
  const worst = (values: (number | null | undefined)[]) => Math.max(0, ...values.map((value) => value ?? 0));
  const ended = (delays?.accepted ?? 0) + (delays?.died ?? 0);
  const attempts = delays?.attempts ?? 0;
  const measure = (name: GateMeasure["measure"], value: number, limit: number | null): GateMeasure => ({
    channel: slo.channel,
    lane: slo.lane,
    measure: name,
    value: Math.round(value * 1000) / 1000,
    limit,
    ok: limit === null || value <= limit,
  });
  return [
    measure("p50_age_ms", worst([delays?.waitP50Ms, ...queues.map((queue) => queue.ageP50Ms)]), slo.p99AgeMs),
    measure(
      "p99_age_ms",
      worst([delays?.waitP99Ms, ...queues.map((queue) => queue.ageP99Ms), ...heldBack]),
      slo.p99AgeMs,
    ),
    measure("backlog", ready, null),
    measure("backlog_drain_ms", worst(queues.map((queue) => queue.drainMs)), slo.p99AgeMs),
    measure("attempts_per_second", attempts / windowSeconds, null),
    measure(
      "throttled_share",
      attempts === 0 ? 0 : (delays?.throttled ?? 0) / attempts,
      attempts < JUDGED_FROM ? null : slo.throttledShare,
    ),
    measure(
      "dead_per_thousand",
      ended === 0 ? 0 : ((delays?.died ?? 0) / ended) * 1000,
      ended < JUDGED_FROM ? null : slo.deadPerThousand,
    ),
    measure("p99_due_to_accepted_ms", worst([delays?.dueToAcceptedP99Ms]), slo.p99DueToAcceptedMs),
  ];
}

/** What each measure is called where people read it. */
export const MEASURE_WORDS: Record<GateMeasure["measure"], string> = {
  p50_age_ms: "queue age p50",
  p99_age_ms: "queue age p99",
  backlog: "waiting now",
  backlog_drain_ms: "backlog drains in",
  attempts_per_second: "calls per second",
  throttled_share: "share of 429",
  dead_per_thousand: "dead per thousand",
  p99_due_to_accepted_ms: "due to sent p99",
};

/** A measure's value with its unit. */
export function measureValue(measure: GateMeasure["measure"], value: number): string {
  if (measure.endsWith("_ms")) {
    if (value < 120_000) return `${(value / 1000).toFixed(1)} s`;
    return value < 7_200_000 ? `${(value / 60_000).toFixed(1)} min` : `${(value / 3_600_000).toFixed(1)} h`;
  }
  if (measure === "throttled_share") return `${(value * 100).toFixed(1)} %`;
  return `${Math.round(value * 100) / 100}`;
}

/** Why a measure has no limit: a share of too few says nothing, and load by itself is no fault. */
export function unjudged(measure: GateMeasure["measure"]): string {
  const isShare = measure === "throttled_share" || measure === "dead_per_thousand";
  return isShare ? `under ${JUDGED_FROM}: not judged` : "not judged";
}

/** What the gate found as lines: each measure beside its limit and the verdict, or that there was nothing to measure. */
export function gateLines({ measures }: { measures: readonly GateMeasure[] }): string[] {
  if (measures.length === 0) return ["Passed: nothing waited and nothing was sent."];
  const failed = measures.filter((measure) => !measure.ok).length;
  return [
    ...measures.map(({ channel, lane, measure, value, limit, ok }) => {
      const against = limit === null ? unjudged(measure) : `limit ${measureValue(measure, limit)}`;
      const verdict = limit === null ? "-   " : ok ? "ok  " : "FAIL";
      const of = `${channel} ${lane}`.padEnd(15);
      return `${verdict}  ${of} ${MEASURE_WORDS[measure].padEnd(17)} ${measureValue(measure, value)} (${against})`;
    }),
    failed === 0 ? "Passed." : `Failed: ${failed} of ${measures.length} measures.`,
  ];
}
