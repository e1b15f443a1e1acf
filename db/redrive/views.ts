import type { GateOutcome } from "../console/slos";
import type { Channel } from "../rules/outcome";
import type { RedriveVerdict } from "../rules/redrive-verdict";
import type { DeadLetterFilter } from "./filter";

export type RedriveState = "previewed" | "running" | "paused" | "stopped" | "finished";
export type RedriveOrigin = "operator" | "rerun" | "resolution";
export type PauseKind = "operator" | "throttled" | "live_age" | "refailed" | "canary" | "circuit";

/** What is stored with a preview and shown before anybody confirms. Counts are of the frozen set. */
export interface RedrivePreview {
  verdicts: VerdictCount[];
  channels: { channel: Channel; members: number; wouldSend: number }[];
  /** By how long they have been dead. */
  ages: { upToMs: number | null; members: number; wouldSend: number }[];
  /** What providers said last about the members that would go, by count. */
  answers: {
    reason: string;
    class: string | null;
    status: number | null;
    code: string | null;
    detail: string | null;
    count: number;
  }[];
  partitions: PartitionForecast[];
  /** When the last one would have left; null when nobody can know. */
  drainMs: number | null;
  /** How many of those that would go are expected to expire first; null when nobody can know. */
  expireFirst: number | null;
  /** How many of those that would go have an unknown outcome and may reach somebody twice. */
  mayDuplicate: number;
  /** More dead letters match than one redrive takes: the rest needs another. */
  more: boolean;
}

export interface VerdictCount {
  verdict: RedriveVerdict;
  count: number;
  /** Some of them, by key. */
  sample: string[];
}

export interface PartitionForecast {
  partition: string;
  wouldSend: number;
  /** Per second, as redriving would begin after its canaries; 0 while there is nothing to spare. */
  pace: number;
  /** What holds the pace down. */
  limitedBy: string | null;
  /** Live work that stands beside it, in sends (SMS: segments). */
  backlog: number;
  acceptedPerSecond: number;
  arrivalsPerSecond: number;
  /** `(backlog + redriven) ÷ accepted per second`: when the partition has drained altogether. */
  drainMs: number | null;
  /** When the last redriven one leaves, at the pace. */
  redriveMs: number | null;
  expireFirst: number | null;
}

/** How far a redrive has come. `wouldSend` = pending + released + delivered + dead + expired + skipped. */
export interface RedriveProgress {
  pending: number;
  /** Handed to admission, and not ended. */
  out: number;
  delivered: number;
  /** Died again. */
  dead: number;
  expired: number;
  /** Changed since it was chosen; by verdict in `skippedBy`. */
  skipped: number;
  skippedBy: Partial<Record<RedriveVerdict, number>>;
  leftOut: number;
}

export interface RedriveLine {
  id: string;
  origin: RedriveOrigin;
  state: RedriveState;
  filter: DeadLetterFilter;
  includesAmbiguous: boolean;
  askedPerSecond: number | null;
  members: number;
  wouldSend: number;
  previewedBy: string;
  operator: string | null;
  reason: string | null;
  createdAtMs: number;
  startedAtMs: number | null;
  pausedAtMs: number | null;
  pauseKind: PauseKind | null;
  pauseReason: string | null;
  endedAtMs: number | null;
  progress: RedriveProgress;
}

export interface RedrivePartitionLine {
  partition: string;
  released: number;
  pending: number;
  /** Per second now. */
  pace: number;
  limitedBy: string | null;
  stage: "canary" | "paced";
}

export interface RedriveDetail extends RedriveLine {
  /** Null of one that collects reruns: each of them was chosen in the dashboard. */
  preview: RedrivePreview | null;
  partitions: RedrivePartitionLine[];
  /** What operators did to it, the latest first. */
  actions: {
    operator: string;
    action: string;
    reason: string;
    details: Record<string, unknown>;
    atMs: number;
  }[];
  /** Stored at its end; null before. */
  result: RedriveProgress | null;
  /** What the gate found at its end, of the `GATE_WINDOW_MS` before; null before. */
  gate: GateOutcome | null;
  nowMs: number;
}
