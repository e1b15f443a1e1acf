import { sql } from "drizzle-orm";
import { check, index, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { instant } from "./columns";
import { deliveries } from "./deliveries";

/**
 * What providers reported about a message after they took it, once per report (`provider`, `report_id`).
 *
 * Reports come late, twice and in any order, so nothing is ever taken back: what a delivery shows is the report that
 * weighs most (`RECEIPT_MEANINGS`, lightest first). `delivery_id` is empty when the delivery is unknown or erased; the
 * row still keeps a repeat from being looked into again. Nothing personal is here.
 */
export const receipts = pgTable(
  "receipts",
  {
    id: uuid("id").primaryKey(),
    provider: text("provider", { enum: ["resend", "twilio"] }).notNull(),
    /** Svix's message id; Twilio's message and status; or the look-up's own id. */
    reportId: text("report_id").notNull(),
    deliveryId: uuid("delivery_id").references(() => deliveries.id, { onDelete: "cascade" }),
    meaning: text("meaning", {
      enum: ["not_found", "accepted", "delayed", "arrived", "not_arrived", "complained"],
    }).notNull(),
    providerMessageId: text("provider_message_id"),
    /** The provider's own word or number for it, such as `30003`. */
    code: text("code"),
    reportedAt: instant("reported_at").notNull(),
  },
  (table) => [
    uniqueIndex("receipts_once").on(table.provider, table.reportId),
    index("receipts_by_delivery").on(table.deliveryId),
    index("receipts_reported").on(table.reportedAt),
    check("receipts_provider_known", sql`${table.provider} in ('resend', 'twilio')`),
    check(
      "receipts_meaning_known",
      sql`${table.meaning} in ('not_found', 'accepted', 'delayed', 'arrived', 'not_arrived', 'complained')`,
    ),
    check("receipts_report_id_bounded", sql`char_length(${table.reportId}) between 1 and 200`),
    check("receipts_message_id_bounded", sql`char_length(${table.providerMessageId}) <= 200`),
    check("receipts_code_bounded", sql`char_length(${table.code}) <= 100`),
  ],
);
