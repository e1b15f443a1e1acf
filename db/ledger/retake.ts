import {
  lockingMeter,
  type PartitionRow,
  readingPartition,
  storingMeter,
  toPartitionFacts,
} from "../admission/partitions";
import { CLOCK, inTwoTrips } from "../connection";
import { gateOf } from "../rules/gate";
import { type Meter, reserveSlots, slotToleranceMs } from "../rules/meter";

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
  calls: { epoch: number; costs: readonly number[] },
): Promise<NewSlots | null> {
  type Results = [PartitionRow, Meter, { nowMs: number }];
  const reads = [readingPartition(partition), lockingMeter(partition), CLOCK] as const;
  return inTwoTrips<Results, NewSlots>([...reads], ([[row], [meter], [clock]]) => {
    if (row === undefined || meter === undefined || clock === undefined) return null;
    const facts = toPartitionFacts(row);
    const { nowMs } = clock;
    if (meter.epoch !== calls.epoch || gateOf(facts, meter, nowMs) !== null) return null;
    const reservation = reserveSlots(meter, facts, { nowMs, costs: calls.costs, urgent: false });
    if (reservation.slotsAtMs.length === 0) return null;
    return {
      writes: [storingMeter(partition, reservation.meter)],
      value: {
        nowMs,
        slotsAtMs: reservation.slotsAtMs,
        toleranceMs: slotToleranceMs(meter, facts),
      },
    };
  });
}
