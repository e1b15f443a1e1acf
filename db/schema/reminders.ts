import { sql } from "drizzle-orm";
import { check, index, integer, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { instant } from "./columns";
import { subscribers } from "./subscribers";

/**
 * What a shopper or the shop's backend asked for. The wall time and its zone are the truth; `due_at` is derived from
 * them and derived again when zone data changes. `version` counts edits and snoozes: a delivery of an older version is stale.
 */
export const reminders = pgTable(
  "reminders",
  {
    id: uuid("id").primaryKey(),
    subscriberId: uuid("subscriber_id")
      .notNull()
      .references(() => subscribers.id, { onDelete: "restrict" }),
    title: text("title").notNull(),
    note: text("note"),
    url: text("url"),
    wallTime: text("wall_time").notNull(),
    timeZone: text("time_zone").notNull(),
    dueAt: instant("due_at").notNull(),
    channels: text("channels").array().notNull(),
    expiresAfterSeconds: integer("expires_after_seconds").notNull(),
    version: integer("version").notNull(),
    status: text("status", { enum: ["active", "cancelled"] }).notNull(),
    createdAt: instant("created_at").notNull(),
    updatedAt: instant("updated_at").notNull(),
    cancelledAt: instant("cancelled_at"),
  },
  (table) => [
    index("reminders_by_subscriber").on(table.subscriberId, table.dueAt, table.id),
    check("reminders_title_bounded", sql`char_length(${table.title}) between 1 and 400`),
    check("reminders_note_bounded", sql`char_length(${table.note}) <= 4000`),
    check("reminders_url_bounded", sql`char_length(${table.url}) <= 2000`),
    check(
      "reminders_channels_known",
      sql`cardinality(${table.channels}) between 1 and 3 and ${table.channels} <@ array['email', 'sms', 'push']::text[]`,
    ),
    check("reminders_usefulness_bounded", sql`${table.expiresAfterSeconds} between 60 and 604800`),
    check("reminders_version_positive", sql`${table.version} >= 1`),
    check("reminders_status_known", sql`${table.status} in ('active', 'cancelled')`),
    check(
      "reminders_cancelled_at",
      sql`(${table.status} = 'cancelled') = (${table.cancelledAt} is not null)`,
    ),
  ],
);
