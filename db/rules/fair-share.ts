/**
 * Whose turn it is: stride scheduling over lanes, and passes for flows inside a lane (DESIGN: admission, "who goes
 * next"). Pure. Work-conserving: room is left only when nothing waits; no lane starves, because the lane that has waited
 * longest for its share has the smallest virtual time.
 */
export type Lane = "urgent" | "standard" | "bulk" | "redrive";

export const LANES: readonly Lane[] = ["urgent", "standard", "bulk", "redrive"];

/** Default weights: a bulk burst and a redrive give way to what people asked for, but never stop. Live-adjustable. */
export const LANE_WEIGHTS: Record<Lane, number> = { urgent: 8, standard: 4, bulk: 2, redrive: 1 };

export interface LaneDemand {
  lane: Lane;
  weight: number;
  virtualTime: number;
  /** Costs of the lane's waiting rows in pass order, as many as could get room. */
  costs: readonly number[];
}

export interface LaneShare {
  lane: Lane;
  /** How many of the lane's rows go, from the front. */
  count: number;
  virtualTime: number;
}

/**
 * Shares `room` rows among the lanes. `clock` is the scheduler's virtual time when it last ran: a lane that was idle
 * meanwhile rejoins there, without credit or debt. Returns the clock to store for the next call.
 */
export function shareRoom(
  demands: readonly LaneDemand[],
  room: number,
  clock: number,
): { shares: LaneShare[]; clock: number } {
  let now = clock;
  const active = demands
    .filter((demand) => demand.costs.length > 0)
    .map((demand) => ({ demand, count: 0, virtualTime: Math.max(demand.virtualTime, clock) }));
  for (let left = Math.floor(room); left > 0; left -= 1) {
    const open = active.filter((entry) => entry.count < entry.demand.costs.length);
    if (open.length === 0) break;
    const next = open.reduce((best, entry) => (entry.virtualTime < best.virtualTime ? entry : best));
    now = next.virtualTime;
    next.virtualTime += (next.demand.costs[next.count] ?? 1) / next.demand.weight;
    next.count += 1;
  }
  return {
    shares: active.map(({ demand, count, virtualTime }) => ({ lane: demand.lane, count, virtualTime })),
    clock: now,
  };
}

/**
 * The pass of a row that becomes ready: behind its own flow's last waiting row, or at the lane's clock when the flow has
 * none waiting. So ten reminders of one shopper hold up nobody else.
 */
export function nextPass(
  laneClock: number,
  flowHighestPass: number | null,
  cost: number,
  flowWeight = 1,
): number {
  return Math.max(laneClock, flowHighestPass ?? Number.NEGATIVE_INFINITY) + cost / flowWeight;
}
