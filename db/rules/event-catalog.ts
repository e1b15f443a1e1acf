import { z } from "zod";
import { PARCEL_SIZE_MAX } from "./admission-plan";

/** Ids are UUIDs; room for another kind. */
const id = z.string().max(64);

/** Names that are put together: partitions with the name of a host, keys with several ids. */
const name = z.string().max(500);

/**
 * Every event that crosses the engine, with its version. Events carry ids only: no address, no text, nothing personal.
 * Every field is bounded, so that no event can grow beyond what the engine takes.
 *
 * A change of shape is a new version: its reader ships before its writer, and the old reader stays until no run that
 * started from the old version can still be asleep (5 days, `MAX_WAIT_MS`).
 */
export const reminderScheduledV1 = z.object({
  v: z.literal(1),
  /** The due second, as seconds since the epoch: all reminders of one second share one sleeping run. */
  dueSecond: z.number().int(),
  /** The ledger generation that armed the wait; a restored copy does not act on it. */
  generation: id,
  /** For a crowded second: how many seconds before it the run opens what waits. A second run wakes as usual. */
  aheadSeconds: z.number().int().positive().optional(),
});

/** Shipment events per announcement: a run of few steps, and a 1,000-event import is twenty runs, not a thousand. */
export const ANNOUNCED_PER_EVENT = 50;

export const shipmentAnnouncedV1 = z.object({
  v: z.literal(1),
  shipmentEventIds: z.array(id).min(1).max(ANNOUNCED_PER_EVENT),
});

export const deliveryAdmittedV1 = z.object({
  v: z.literal(1),
  channel: z.enum(["email", "sms", "push"]),
  /** Required: the engine's concurrency and throttle are keyed by it, and a missing field would be one shared bucket. */
  partition: name.min(1),
  lane: z.enum(["urgent", "standard", "bulk", "redrive"]),
  admissionId: id,
  deliveryIds: z.array(id).min(1).max(PARCEL_SIZE_MAX),
});

export const pumpRungV1 = z.object({
  v: z.literal(1),
  partition: name.min(1),
  generation: z.number().int(),
});

export const deliveryDeadV1 = z.object({
  v: z.literal(1),
  deliveryId: id,
  burialId: id,
  key: name,
  reason: name,
});

export const redriveCalledV1 = z.object({
  v: z.literal(1),
  redriveId: id,
  generation: z.number().int(),
});

export const EVENTS = {
  "reminder/scheduled": reminderScheduledV1,
  "shipment/announced": shipmentAnnouncedV1,
  "delivery/admitted": deliveryAdmittedV1,
  "partition/pump.rung": pumpRungV1,
  "delivery/dead": deliveryDeadV1,
  "redrive/called": redriveCalledV1,
} as const;

export type EventName = keyof typeof EVENTS;
export type EventData<Name extends EventName> = z.infer<(typeof EVENTS)[Name]>;
export type ReminderScheduled = EventData<"reminder/scheduled">;
export type DeliveryAdmitted = EventData<"delivery/admitted">;
export type PumpRung = EventData<"partition/pump.rung">;
export type DeliveryDead = EventData<"delivery/dead">;

/** The id under which all reminders of one second meet in one wait run. */
export function dueEventId(dueSecond: number, generation: string): string {
  return `due:${dueSecond}:${generation}`;
}

/** The id of the second wait of a crowded second, the one that opens ahead: once per second and generation too. */
export function crowdEventId(dueSecond: number, generation: string): string {
  return `${dueEventId(dueSecond, generation)}:crowd`;
}

/** The id that makes a pump single per generation as far as the engine remembers ids (24 h). */
export function pumpEventId(partition: string, generation: number): string {
  return `pump:${partition}:${generation}`;
}

/** The id of a burial's event: whoever sends it again by hand has another one. */
export function burialEventId(burialId: string): string {
  return `dead:${burialId}`;
}

/** The id that makes a redrive's driver single per generation as far as the engine remembers ids (24 h). */
export function redriveEventId(redriveId: string, generation: number): string {
  return `redrive:${redriveId}:${generation}`;
}
