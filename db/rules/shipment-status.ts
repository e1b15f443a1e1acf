/**
 * What can become of a parcel, in the order in which it becomes it. The number is the rank: a parcel's status only moves
 * to a higher one, whatever order its scans arrive in, so that nobody is told that a delivered parcel is on its way.
 * Gaps leave room for a status between two.
 */
const RANK = {
  pending: 0,
  info_received: 10,
  in_transit: 20,
  out_for_delivery: 30,
  failed_attempt: 40,
  exception: 45,
  available_for_pickup: 50,
  expired: 55,
  delivered: 60,
  returned: 70,
} as const;

export type ShipmentStatus = keyof typeof RANK;

/** What a carrier can report; `pending` is a parcel that nobody has reported yet. */
export type Milestone = Exclude<ShipmentStatus, "pending">;

export const MILESTONES = [
  "info_received",
  "in_transit",
  "out_for_delivery",
  "failed_attempt",
  "exception",
  "available_for_pickup",
  "expired",
  "delivered",
  "returned",
] as const satisfies readonly Milestone[];

/** Followers who choose nothing hear of everything that asks something of them or ends the wait, not of every hub. */
export const DEFAULT_MILESTONES: readonly Milestone[] = [
  "out_for_delivery",
  "failed_attempt",
  "exception",
  "available_for_pickup",
  "delivered",
  "returned",
];

/** After these nothing but a real change is believed: a scan must be later by the carrier's clock. */
const TERMINAL: readonly ShipmentStatus[] = ["delivered", "returned"];

export interface ShipmentState {
  status: ShipmentStatus;
  /** The carrier's time of the status; null while nothing was announced. */
  statusAtMs: number | null;
  version: number;
}

export interface Scan {
  status: Milestone;
  occurredAtMs: number;
}

export type ScanOutcome = "announced" | "repeated" | "out_of_order";

/**
 * What a scan means for its parcel: a step forward is announced, everything else is recorded only. Ordered by rank, not
 * by arrival; after a terminal status by the carrier's time as well, so that `delivered`, then `returned` is announced
 * and a late scan of the journey is not.
 */
export function decideScan(state: ShipmentState, scan: Scan): { outcome: ScanOutcome; state: ShipmentState } {
  if (scan.status === state.status) return { outcome: "repeated", state };
  const isLater = state.statusAtMs === null || scan.occurredAtMs > state.statusAtMs;
  const isForward = RANK[scan.status] > RANK[state.status];
  if (!isForward || (TERMINAL.includes(state.status) && !isLater)) return { outcome: "out_of_order", state };
  return {
    outcome: "announced",
    state: { status: scan.status, statusAtMs: scan.occurredAtMs, version: state.version + 1 },
  };
}

/** Scans of one batch in the order in which they happened: by the carrier's time, then by rank. Stable. */
export function inScanOrder<T extends Scan>(scans: readonly T[]): T[] {
  return scans.toSorted(
    (one, other) => one.occurredAtMs - other.occurredAtMs || RANK[one.status] - RANK[other.status],
  );
}

/**
 * The lane of an update: what asks somebody to act (a failed attempt, an exception, a parcel to be picked up with its
 * code, one that goes back) travels with what people asked for; the rest gives way.
 */
export function laneOfMilestone(status: Milestone): "standard" | "bulk" {
  switch (status) {
    case "failed_attempt":
    case "exception":
    case "available_for_pickup":
    case "returned":
      return "standard";
    case "info_received":
    case "in_transit":
    case "out_for_delivery":
    case "expired":
    case "delivered":
      return "bulk";
  }
}

/** An update is of use for two days after the scan (DESIGN, constants); later the shopper has the parcel in hand. */
export const SHIPMENT_USEFUL_MS = 48 * 3_600_000;

/** Until when an update is of use: counted from the scan, or from its arrival where the carrier's clock is ahead. */
export function updateExpiresAtMs(occurredAtMs: number, recordedAtMs: number): number {
  return Math.min(occurredAtMs, recordedAtMs) + SHIPMENT_USEFUL_MS;
}
