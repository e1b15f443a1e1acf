import { type AdmitOutcome, admit, type Parcel, releaseAdmissions } from "../db/admission/admit";
import { lookAt, type Ring } from "../db/admission/pump";
import type { RedriveCall } from "../db/redrive/step";
import { pumpEventId, redriveEventId } from "../db/rules/event-catalog";
import { inTurn, isAwaited } from "./in-turn";
import { type OutgoingEvent, sendEvents } from "./send";

/** What an admission came to, for logs and step outputs. */
export interface Dispatched {
  parcels: number;
  deliveries: number;
  gate: string | null;
}

/**
 * Lets a partition's next deliveries go and hands the parcels to the engine. Runs inline after an opening, after every
 * settled parcel and in every pump tick, so the window refills at the pace of the provider. A refused event gives its
 * admission back at once.
 */
export async function dispatch(partition: string): Promise<Dispatched> {
  const outcome = await inTurn(admissionOf(partition), () => admit(partition));
  await sendParcels(outcome.parcels);
  return describe(outcome);
}

const admissionOf = (partition: string) => `admission ${partition}`;

/** The same after a settled parcel: an admission that waits for its turn in this process will see what that has freed. */
export async function refillAfter(partition: string): Promise<void> {
  if (!isAwaited(admissionOf(partition))) await dispatch(partition);
}

function describe(outcome: AdmitOutcome): Dispatched {
  return {
    parcels: outcome.parcels.length,
    deliveries: outcome.parcels.reduce((sum, parcel) => sum + parcel.deliveryIds.length, 0),
    gate: outcome.gate?.why ?? null,
  };
}

async function sendParcels(parcels: readonly Parcel[]): Promise<void> {
  if (parcels.length === 0) return;
  const events = parcels.map((parcel): OutgoingEvent<"delivery/admitted"> => {
    const { admissionId, channel, partition, lane, deliveryIds } = parcel;
    return {
      id: admissionId,
      name: "delivery/admitted",
      data: { v: 1, channel, partition, lane, admissionId, deliveryIds },
    };
  });
  const taken = await sendEvents(events);
  if (!taken) await releaseAdmissions(parcels.map((parcel) => parcel.admissionId));
}

/** Dispatches the partitions in which something waits and makes sure that each with live rows has a pump. */
export async function dispatchAll(partitions: readonly string[]): Promise<Dispatched[]> {
  const results: Dispatched[] = [];
  for (const partition of new Set(partitions)) {
    const { admission, ring } = await lookAt(partition);
    if (admission) results.push(await dispatch(partition));
    if (ring !== null) await ringPumps([ring]);
  }
  return results;
}

/** Starts pumps: one event per partition and generation. A ring that is lost is the sweep's. */
export async function ringPumps(rings: readonly Ring[]): Promise<boolean> {
  if (rings.length === 0) return true;
  return sendEvents(
    rings.map(({ partition, generation }) => ({
      id: pumpEventId(partition, generation),
      name: "partition/pump.rung" as const,
      data: { v: 1 as const, partition, generation },
    })),
  );
}

/** Calls drivers of redrives: one event per redrive and generation. A call that is lost is the sweep's. */
export async function callRedrives(calls: readonly RedriveCall[]): Promise<boolean> {
  if (calls.length === 0) return true;
  return sendEvents(
    calls.map(({ redriveId, generation }) => ({
      id: redriveEventId(redriveId, generation),
      name: "redrive/called" as const,
      data: { v: 1 as const, redriveId, generation },
    })),
  );
}
