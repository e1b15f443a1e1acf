import { sql } from "drizzle-orm";
import { at } from "../connection";
import { type Check, OVERDUE, type Scope, tolerance } from "./invariant-checks";

/** Finished fan-outs of the scope with those who followed at the event. */
const members = ({
  sinceMs,
}: Scope) => sql`shipment_events e join shipment_followers f on f.shipment_id = e.shipment_id
    and f.joined_version < e.version and (f.left_version is null or f.left_version >= e.version)
  where e.fanned_out_at >= ${at(sinceMs)}`;

/** First attempts of shipment updates in the scope, with the parcel's event. */
const updates = ({ sinceMs }: Scope) => sql`attempts a join deliveries d on d.id = a.delivery_id
    join shipment_events e on e.id = d.shipment_event_id
  where a.begun_at >= ${at(sinceMs)}`;

/** The promises as far as shipment updates have their own: followers at the event = rows of its fan-out, order, coalescing. */
export const SHIPMENT_CHECKS: readonly Check[] = [
  {
    promise: "P1",
    name: "one delivery per parcel version, follower, channel and destination",
    find: (scope) => sql`select d.key from ${updates(scope)} and exists (select 1 from deliveries other
      where other.id <> d.id and other.shipment_event_id = d.shipment_event_id and other.subscriber_id = d.subscriber_id
        and other.channel = d.channel and other.destination_id = d.destination_id)`,
  },
  {
    promise: "P5",
    name: "an announced scan is fanned out",
    find: () => sql`select e.id::text as key from shipment_events e
      where e.version is not null and e.fanned_out_at is null and e.recorded_at < ledger_now() - ${OVERDUE}`,
  },
  {
    promise: "P5",
    name: "every follower at the event has a row",
    find: (scope) => sql`select e.id::text || ':' || f.subscriber_id as key from ${members(scope)}
      and not exists (select 1 from deliveries d where d.shipment_event_id = e.id and d.subscriber_id = f.subscriber_id)`,
  },
  {
    promise: "P5",
    name: "every row of a fan-out is of a follower at the event",
    find: ({
      sinceMs,
    }) => sql`select d.key from shipment_events e join deliveries d on d.shipment_event_id = e.id
      where e.fanned_out_at >= ${at(sinceMs)} and not exists (select 1 from shipment_followers f
        where f.shipment_id = e.shipment_id and f.subscriber_id = d.subscriber_id
          and f.joined_version < e.version and (f.left_version is null or f.left_version >= e.version))`,
  },
  {
    promise: "P6",
    name: "no attempt begins for an overtaken version",
    // Of a follower who has wanted only the latest since before the newer scan.
    find: (scope) => sql`select d.key from ${updates(scope)} and a.number = 1 and exists (
      select 1 from shipment_events newer join shipment_followers f on f.shipment_id = newer.shipment_id
      where newer.shipment_id = e.shipment_id and newer.version > e.version and f.subscriber_id = d.subscriber_id
        and f.left_version is null and f.policy = 'latest' and newer.status = any(f.milestones)
        and f.updated_at < newer.recorded_at and newer.recorded_at + ${tolerance(scope)} < a.begun_at)`,
  },
  {
    promise: "P6",
    name: "no attempt begins while an older version still goes to the same address",
    // One that was redriven goes again since its release; before that it had ended.
    find: (scope) => sql`select d.key from ${updates(scope)} and exists (
      select 1 from deliveries older join shipment_events oe on oe.id = older.shipment_event_id
      where oe.shipment_id = e.shipment_id and oe.version < e.version and older.subscriber_id = d.subscriber_id
        and older.channel = d.channel and older.destination_id = d.destination_id
        and greatest(older.created_at, (select max(m.released_at) from redrive_members m
          where m.delivery_id = older.id)) + ${tolerance(scope)} < a.begun_at
        and a.begun_at + ${tolerance(scope)} < coalesce(older.finished_at, 'infinity'))`,
  },
];
