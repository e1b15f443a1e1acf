import { sql } from "drizzle-orm";
import { check, index, integer, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { instant } from "./columns";
import { reminders } from "./reminders";

/**
 * One time at which a reminder is due. This row, not the delivery, is the dedupe memory: it is opened exactly once, in
 * the transaction that inserts its deliveries, and refuses to open again whether or not those still exist. It goes only
 * with its reminder.
 *
 * `channels` is what this occurrence delivers on: after an edit of content only, just the channels whose older delivery
 * was superseded.
 */
export const occurrences = pgTable(
  "occurrences",
  {
    id: uuid("id").primaryKey(),
    reminderId: uuid("reminder_id")
      .notNull()
      .references(() => reminders.id, { onDelete: "cascade" }),
    number: integer("number").notNull(),
    origin: text("origin", { enum: ["schedule", "series", "edit", "snooze", "resume", "undo"] }).notNull(),
    wallTime: text("wall_time").notNull(),
    timeZone: text("time_zone").notNull(),
    dueAt: instant("due_at").notNull(),
    channels: text("channels").array().notNull(),
    version: integer("version").notNull(),
    state: text("state", { enum: ["waiting", "opened", "missed", "cancelled"] }).notNull(),
    openedAt: instant("opened_at"),
    /** Somebody opened or finished it, or the shop said that it is moot: channels that still wait end as `answered`. */
    answeredAt: instant("answered_at"),
    answeredBy: text("answered_by", { enum: ["opened", "done", "shop"] }),
    createdAt: instant("created_at").notNull(),
    /** W3C trace context of the request that made it: ids only. */
    trace: text("trace"),
  },
  (table) => [
    uniqueIndex("occurrences_number").on(table.reminderId, table.number),
    index("occurrences_waiting_by_due").on(table.dueAt, table.id).where(sql`state = 'waiting'`),
    check("occurrences_state_known", sql`${table.state} in ('waiting', 'opened', 'missed', 'cancelled')`),
    check(
      "occurrences_origin_known",
      sql`${table.origin} in ('schedule', 'series', 'edit', 'snooze', 'resume', 'undo')`,
    ),
    check("occurrences_answered_by_known", sql`${table.answeredBy} in ('opened', 'done', 'shop')`),
    check("occurrences_answered_both", sql`(${table.answeredAt} is null) = (${table.answeredBy} is null)`),
    check("occurrences_opened_at", sql`(${table.state} = 'opened') = (${table.openedAt} is not null)`),
    check("occurrences_trace_bounded", sql`char_length(${table.trace}) <= 55`),
    check("occurrences_channels_some", sql`cardinality(${table.channels}) between 1 and 3`),
  ],
);
