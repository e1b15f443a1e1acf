import { type LaneDemand, shareRoom } from "./fair-share";
import type { Lane } from "./outcome";

/** A row that could be admitted now. */
export interface Candidate {
  id: string;
  lane: Lane;
  pass: number;
  cost: number;
  /** Rescued after a crash: travels in a parcel of its own. */
  alone: boolean;
}

export interface LaneRow {
  lane: Lane;
  weight: number;
  virtualTime: number;
  passFloor: number;
}

export interface AdmissionPlan {
  chosen: Candidate[];
  lanes: LaneRow[];
  laneClock: number;
}

/** A parcel never holds more: a group of slots at 500/s, and small enough to lose. */
export const PARCEL_SIZE_MAX = 50;

/** Below this many, each delivery travels alone and nothing waits for a neighbour; above, parcels grow. */
const PARCELS_AT_ONCE = 8;

/**
 * Chooses from each lane's waiting rows, in pass order, who gets the room (stride over lanes). `urgent` needs no room:
 * what waits there goes whole.
 */
export function planAdmission(
  lanes: readonly LaneRow[],
  candidates: readonly Candidate[],
  room: number,
  laneClock: number,
): AdmissionPlan {
  const byLane = new Map<Lane, Candidate[]>(lanes.map((lane) => [lane.lane, []]));
  for (const candidate of candidates) byLane.get(candidate.lane)?.push(candidate);
  const urgent = byLane.get("urgent") ?? [];
  const demands: LaneDemand[] = lanes
    .filter((lane) => lane.lane !== "urgent")
    .map((lane) => ({
      lane: lane.lane,
      weight: lane.weight,
      virtualTime: lane.virtualTime,
      costs: (byLane.get(lane.lane) ?? []).map((candidate) => candidate.cost),
    }));
  const { shares, clock } = shareRoom(demands, Math.max(0, room - urgent.length), laneClock);
  const counts = new Map<Lane, number>([["urgent", urgent.length]]);
  for (const share of shares) counts.set(share.lane, share.count);
  const chosen = lanes.flatMap((lane) => (byLane.get(lane.lane) ?? []).slice(0, counts.get(lane.lane) ?? 0));
  return {
    chosen,
    laneClock: clock,
    lanes: lanes.map((lane) => {
      const taken = (byLane.get(lane.lane) ?? []).slice(0, counts.get(lane.lane) ?? 0);
      const share = shares.find((entry) => entry.lane === lane.lane);
      return {
        ...lane,
        virtualTime: share !== undefined && share.count > 0 ? share.virtualTime : lane.virtualTime,
        passFloor: Math.max(lane.passFloor, ...taken.map((candidate) => candidate.pass)),
      };
    }),
  };
}

/**
 * Under backlog the window is refilled in parcels of this size: an eighth of it, so that a settled parcel makes room for
 * one like itself instead of for eight small ones.
 */
export function parcelSizeOf(window: number): number {
  return Math.min(PARCEL_SIZE_MAX, Math.max(1, Math.ceil(window / PARCELS_AT_ONCE)));
}

/**
 * Groups what was chosen into parcels of one lane: of `size`, or else of one when few are chosen and larger the more
 * there are. Keeps the order.
 */
export function parcelsOf<Row extends { lane: Lane; alone: boolean }>(
  rows: readonly Row[],
  size?: number,
): Row[][] {
  const parcels: Row[][] = [];
  const lanes = new Set(rows.map((row) => row.lane));
  for (const lane of lanes) {
    const together = rows.filter((row) => row.lane === lane && !row.alone);
    const each = size ?? parcelSizeOf(together.length);
    for (let start = 0; start < together.length; start += each)
      parcels.push(together.slice(start, start + each));
    for (const row of rows) if (row.lane === lane && row.alone) parcels.push([row]);
  }
  return parcels;
}
