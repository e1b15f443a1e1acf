import { effectiveCeiling } from "./meter";
import type { Budget } from "./slots";

export interface ForecastInput {
  nowMs: number;
  /** The delivery's own time: it does not leave before. */
  eligibleAtMs: number;
  /** Cost (SMS: segments) of what stands before it in its lane, already due by then. */
  aheadCost: number;
  /** Its lane's share of the rate among lanes that have work, 0 to 1. */
  laneShare: number;
  /** The partition's own and its account's: the narrower one decides. */
  budgets: readonly Budget[];
  /** Until when nothing leaves (gate, pause, park, open circuit); null when open, infinity when nobody knows. */
  closedUntilMs: number | null;
}

/** When a delivery is expected to leave: a best guess with a range. Null where nobody can know (a pause without an end). */
export interface Forecast {
  earliestMs: number;
  expectedMs: number;
  latestMs: number;
}

/** A guess cannot be better than the pump's tick and one call. */
const UNCERTAINTY_MS = 1_000;

/**
 * The one forecast of the product: story pages, redrive previews and capacity questions all ask it.
 *
 * It assumes that the present rate holds (expected), that it recovers to the ceiling at once (earliest), and that it is
 * cut once more for as long as the backlog lasts (latest).
 */
export function forecastDelivery(input: ForecastInput): Forecast | null {
  const { nowMs, eligibleAtMs, aheadCost, laneShare, budgets } = input;
  const ceiling = Math.min(...budgets.map(({ meter, limits }) => effectiveCeiling(meter, limits)));
  const closed = input.closedUntilMs ?? nowMs;
  if (ceiling <= 0 || !Number.isFinite(closed) || !(laneShare > 0)) return null;
  const startMs = Math.max(nowMs, eligibleAtMs, closed);
  const rate = Math.min(ceiling, ...budgets.map(({ meter }) => meter.rate));
  // What stands before us drains while we wait for our own time, but not while the partition is closed.
  const drainedMs = Math.max(0, startMs - Math.max(nowMs, closed));
  const waitMs = (perSecond: number) =>
    Math.max(0, (Math.max(0, aheadCost) / (perSecond * laneShare)) * 1000 - drainedMs);
  return {
    earliestMs: startMs + waitMs(ceiling),
    expectedMs: startMs + waitMs(rate),
    latestMs: startMs + waitMs(rate * LATEST_RATE_SHARE) + UNCERTAINTY_MS,
  };
}

/** One more cut of the rate (`CUT_FACTOR`), averaged with its recovery. */
const LATEST_RATE_SHARE = 0.7;

/** How long a backlog takes: `(B + N) / R` with what arrives meanwhile; null when it never drains. Milliseconds. */
export function forecastDrainMs(input: {
  backlogCost: number;
  addedCost: number;
  perSecond: number;
  arrivalsPerSecond: number;
}): number | null {
  const net = input.perSecond - input.arrivalsPerSecond;
  if (net <= 0) return input.backlogCost + input.addedCost <= 0 ? 0 : null;
  return ((input.backlogCost + input.addedCost) / net) * 1000;
}

/** The share of the rate that a lane gets beside the lanes that have work: its weight among theirs. */
export function laneShareOf(
  lane: string,
  lanes: readonly { lane: string; weight: number; busy: boolean }[],
): number {
  const own = lanes.find((entry) => entry.lane === lane);
  if (own === undefined) return 0;
  // Urgent work stands before everything.
  if (lane === "urgent") return 1;
  const total = lanes
    .filter((entry) => entry.lane !== "urgent" && (entry.busy || entry.lane === lane))
    .reduce((sum, entry) => sum + entry.weight, 0);
  return own.weight / total;
}
