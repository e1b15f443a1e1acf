import { sql } from "drizzle-orm";
import { check, date, index, integer, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { instant } from "./columns";

/**
 * One parcel. `external_id` is the shop's name for it; parcels of one order share `order_ref` and nothing else. Its
 * status only moves forward (`db/rules/shipment-status.ts`); `version` counts the changes that were announced, and is
 * what a delivery's key and a follower's membership name.
 */
export const shipments = pgTable(
  "shipments",
  {
    id: uuid("id").primaryKey(),
    externalId: text("external_id").notNull(),
    orderRef: text("order_ref"),
    carrier: text("carrier"),
    trackingNumber: text("tracking_number"),
    url: text("url"),
    status: text("status").notNull(),
    /** The carrier's time of the present status; null while nothing was announced. */
    statusAt: instant("status_at"),
    /** The day on which the carrier means to deliver it. */
    expectedOn: date("expected_on", { mode: "string" }),
    version: integer("version").notNull(),
    createdAt: instant("created_at").notNull(),
    updatedAt: instant("updated_at").notNull(),
  },
  (table) => [
    uniqueIndex("shipments_external_id").on(table.externalId),
    index("shipments_by_order").on(table.orderRef).where(sql`order_ref is not null`),
    check("shipments_external_id_bounded", sql`char_length(${table.externalId}) between 1 and 200`),
    check("shipments_version_not_negative", sql`${table.version} >= 0`),
    check("shipments_announced_at", sql`(${table.version} = 0) = (${table.statusAt} is null)`),
    check(
      "shipments_status_known",
      sql`${table.status} in ('pending', 'info_received', 'in_transit', 'out_for_delivery', 'failed_attempt', 'exception', 'available_for_pickup', 'delivered', 'returned', 'expired')`,
    ),
  ],
);
