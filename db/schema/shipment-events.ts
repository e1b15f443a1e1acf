import { sql } from "drizzle-orm";
import { check, index, integer, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { instant } from "./columns";
import { shipments } from "./shipments";

/**
 * One scan of a carrier, kept whether or not it was announced. An announced one has the shipment's next `version` and is
 * fanned out exactly once: `cursor` is the last follower who has rows, moved in the transaction that inserts them, and
 * `fanned_out_at` is the dedupe memory (as `occurrences.opened_at` is for reminders).
 */
export const shipmentEvents = pgTable(
  "shipment_events",
  {
    id: uuid("id").primaryKey(),
    shipmentId: uuid("shipment_id")
      .notNull()
      .references(() => shipments.id, { onDelete: "cascade" }),
    /** Who counts the carrier's event ids: the shop's backend, or an adapter. */
    source: text("source", { enum: ["shop", "aftership"] }).notNull(),
    carrierEventId: text("carrier_event_id").notNull(),
    status: text("status").notNull(),
    occurredAt: instant("occurred_at").notNull(),
    recordedAt: instant("recorded_at").notNull(),
    detail: text("detail"),
    location: text("location"),
    pickUpCode: text("pick_up_code"),
    outcome: text("outcome", { enum: ["announced", "repeated", "out_of_order"] }).notNull(),
    version: integer("version"),
    cursor: uuid("cursor"),
    fannedOutAt: instant("fanned_out_at"),
    /** W3C trace context of the request that reported it: ids only. */
    trace: text("trace"),
  },
  (table) => [
    uniqueIndex("shipment_events_carrier_id").on(table.source, table.carrierEventId),
    uniqueIndex("shipment_events_version")
      .on(table.shipmentId, table.version)
      .where(sql`version is not null`),
    index("shipment_events_history").on(table.shipmentId, table.occurredAt),
    // the sweep: announced, and not everybody has a row yet
    index("shipment_events_unfinished")
      .on(table.recordedAt, table.id)
      .where(sql`version is not null and fanned_out_at is null`),
    // imports, newest first
    index("shipment_events_announced").on(table.recordedAt).where(sql`version is not null`),
    check("shipment_events_source_known", sql`${table.source} in ('shop', 'aftership')`),
    check(
      "shipment_events_outcome_known",
      sql`${table.outcome} in ('announced', 'repeated', 'out_of_order')`,
    ),
    check(
      "shipment_events_announced_version",
      sql`(${table.outcome} = 'announced') = (${table.version} is not null)`,
    ),
    check("shipment_events_trace_bounded", sql`char_length(${table.trace}) <= 55`),
    check("shipment_events_id_bounded", sql`char_length(${table.carrierEventId}) between 1 and 200`),
    check(
      "shipment_events_fanned_out_once_announced",
      sql`${table.version} is not null or (${table.cursor} is null and ${table.fannedOutAt} is null)`,
    ),
  ],
);
