import { sql } from "drizzle-orm";
import { check, index, integer, jsonb, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { instant } from "./columns";

/**
 * Rendered content, written before deliveries open and never changed (trigger `payloads_guard`): every attempt, retry
 * and redrive of a delivery sends the same bytes. `content` becomes null exactly once, when it is wiped. With
 * `destinations` this is the only place of the sending side that holds personal data.
 */
export const payloads = pgTable(
  "payloads",
  {
    id: uuid("id").primaryKey(),
    /** The occurrence, notice or shipment event it was rendered for. */
    sourceId: uuid("source_id").notNull(),
    channel: text("channel", { enum: ["email", "sms", "push"] }).notNull(),
    version: integer("version").notNull(),
    /** Tells renderings of one source apart: the language of a shipment update, the device of a notice; else empty. */
    variant: text("variant").notNull().default(""),
    content: jsonb("content"),
    /** SMS segments, else 1: what one send costs against the meter. */
    cost: integer("cost").notNull(),
    createdAt: instant("created_at").notNull(),
    wipedAt: instant("wiped_at"),
  },
  (table) => [
    uniqueIndex("payloads_one_per_version").on(table.sourceId, table.channel, table.version, table.variant),
    // cleanup: contents that nobody needs any more
    index("payloads_with_content").on(table.createdAt).where(sql`content is not null`),
    check("payloads_channel_known", sql`${table.channel} in ('email', 'sms', 'push')`),
    check("payloads_cost_bounded", sql`${table.cost} between 1 and 11`),
    check("payloads_wiped", sql`(${table.content} is null) = (${table.wipedAt} is not null)`),
  ],
);
