import { sql } from "drizzle-orm";
import { boolean, check, index, integer, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { instant } from "./columns";
import { subscribers } from "./subscribers";

/**
 * What a shopper or the shop's backend asked for. The wall time and its zone are the truth; `due_at` is derived from
 * them and derived again when zone data changes. `version` counts edits and snoozes: a delivery of an older version is stale.
 *
 * A repeated reminder is a series of wall times: `recurrence` (RFC 5545) counted from `series_start`, of which
 * `series_last` is the latest element that has an occurrence. `wall_time` and `due_at` are those of the next occurrence,
 * or of the last one.
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
    /** An RRULE of the subset that `db/rules/recurrence.ts` takes; null: it comes once. */
    recurrence: text("recurrence"),
    seriesStart: text("series_start"),
    seriesLast: text("series_last"),
    /** The zone is wherever the subscriber is: it follows `subscribers.time_zone`. */
    floating: boolean("floating").notNull().default(false),
    /** The subscriber was asked, and wants this one in quiet hours too. */
    throughQuiet: boolean("through_quiet").notNull().default(false),
    /** Null: all channels at once. Else one after the other in their order, this long apart, until it is opened or done. */
    stepMinutes: integer("step_minutes"),
    /** Asked at opening whether the thing still makes sense; only hosts that the installation allows. */
    checkUrl: text("check_url"),
    version: integer("version").notNull(),
    status: text("status", { enum: ["active", "paused", "done", "cancelled"] }).notNull(),
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
    check("reminders_status_known", sql`${table.status} in ('active', 'paused', 'done', 'cancelled')`),
    check("reminders_recurrence_bounded", sql`char_length(${table.recurrence}) between 9 and 200`),
    check(
      "reminders_series_whole",
      sql`num_nonnulls(${table.recurrence}, ${table.seriesStart}, ${table.seriesLast}) in (0, 3)`,
    ),
    check("reminders_step_bounded", sql`${table.stepMinutes} between 1 and 1440`),
    check("reminders_check_url_bounded", sql`char_length(${table.checkUrl}) <= 2000`),
    check(
      "reminders_cancelled_at",
      sql`(${table.status} = 'cancelled') = (${table.cancelledAt} is not null)`,
    ),
  ],
);
