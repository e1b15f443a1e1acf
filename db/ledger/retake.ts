import {
  budgetsOf,
  closedBy,
  lockingMeters,
  type MeterRow,
  type PartitionRow,
  readingPartition,
  storingMeters,
  toPartitionFacts,
  withLockedMeters,
} from "../admission/partitions";
import { CLOCK, inTwoTrips } from "../connection";
import { epochOf, reserveSlots, toleranceOf } from "../rules/slots";

export interface NewSlots {
  /** The ledger's clock when they were granted. */
  nowMs: number;
  /** By the ledger's clock, in the order of the costs; fewer than asked when the horizon holds no more. */
  slotsAtMs: number[];
  toleranceMs: number;
}

/**
 * New slots for calls that missed theirs because the process stood still for a moment (P7): their attempts have begun, so
 * only the meter is asked again. Null when the gate has closed or the epoch has changed; then those calls are not made.
 *
 * A crash after it wastes slots and nothing else.
 */
export async function retakeSlots(
  partition: string,
  calls: { epoch: number; costs: readonly number[]; answerMs: number },
): Promise<NewSlots | null> {
  type Results = [PartitionRow, MeterRow, { nowMs: number }];
  const reads = [readingPartition(partition), lockingMeters(partition), CLOCK] as const;
  return inTwoTrips<Results, NewSlots>([...reads], ([found, locked, [clock]]) => {
    const read = toPartitionFacts(found);
    if (read === null || clock === undefined) return null;
    const facts = withLockedMeters(read, locked);
    const { nowMs } = clock;
    const budgets = budgetsOf(facts);
    if (epochOf(budgets) !== calls.epoch || closedBy(facts, nowMs) !== null) return null;
    const toleranceMs = toleranceOf(budgets);
    const reservation = reserveSlots(budgets, {
      nowMs,
      sends: calls.costs.map((cost) => ({ cost })),
      urgent: false,
      notBeforeMs: nowMs + calls.answerMs - toleranceMs,
    });
    if (reservation.slotsAtMs.length === 0) return null;
    return {
      writes: storingMeters(facts, reservation.meters),
      value: { nowMs, slotsAtMs: reservation.slotsAtMs, toleranceMs },
    };
  });
}
