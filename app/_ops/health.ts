import type { LaneHealth, PartitionHealth } from "../../db/console/partitions";
import type { PartitionPulse } from "../../db/console/pulse";
import type { Tone } from "../../db/rules/words";

/** For how long what is oldest in a lane has been past its time; null when nothing is. */
export function oldestOf(lane: LaneHealth): number | null {
  return lane.oldestOverdueMs ?? lane.oldestReadyMs;
}

/** What a partition does, as a word with a tone and one sentence. */
export interface Verdict {
  word: string;
  tone: Tone;
  /** Why nothing leaves; null when it does. */
  why: string | null;
  untilMs: number | null;
}

/** The state of a partition as an operator would say it, the reason that a person would want to hear first. */
export function verdictOf(health: PartitionHealth, pulse: PartitionPulse | undefined): Verdict {
  const { closed, closedUntilMs: untilMs } = health;
  if (closed === null) {
    const live = health.lanes.some((lane) => lane.ready + lane.waiting + lane.sending > 0);
    if (live && pulse !== undefined && !pulse.pumpLive) {
      return {
        word: "No pump",
        tone: "attention",
        why: "Nobody looks after it; the next sweep rings a new pump.",
        untilMs: null,
      };
    }
    return { word: live ? "Sending" : "Idle", tone: live ? "good" : "quiet", why: null, untilMs: null };
  }
  if (closed.startsWith("paused")) {
    const why = `${pulse?.pausedBy ?? "Somebody"}: “${pulse?.pausedReason ?? "no reason given"}”.`;
    return { word: "Paused", tone: "attention", why, untilMs };
  }
  if (closed.startsWith("circuit")) {
    const why = `The provider refuses our configuration (${pulse?.circuitReason ?? "rejected"}). Work is held, nothing dies.`;
    return {
      word: pulse?.circuit === "half_open" ? "Circuit half open" : "Circuit open",
      tone: "bad",
      why,
      untilMs,
    };
  }
  if (closed.startsWith("parked")) {
    return {
      word: "Parked",
      tone: "attention",
      why: "The quota is used up; one delivery probes each half hour.",
      untilMs,
    };
  }
  if (closed.startsWith("gate")) {
    return { word: "Gate closed", tone: "attention", why: "The provider said 429.", untilMs };
  }
  if (closed === "rate 0")
    return { word: "Rate 0", tone: "attention", why: "The ceiling is 0, which is a pause.", untilMs };
  return { word: "Held", tone: "bad", why: "The whole ledger is held.", untilMs };
}

/** How old the queue of a lane may be, in milliseconds. */
export type AgeSlo = (channel: string, lane: string) => number | null;

/** Looks it up among the promises as they are stored. */
export function ageSloOf(slos: readonly { channel: string; lane: string; p99AgeMs: number }[]): AgeSlo {
  return (channel, lane) =>
    slos.find((slo) => slo.channel === channel && slo.lane === lane)?.p99AgeMs ?? null;
}
