import { sql } from "drizzle-orm";
import { check, integer, jsonb, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { instant } from "./columns";

/**
 * What was dead at one hour: `groups` counts by partition, reason and age, each with the change since the last report.
 * One per hour (`slot`, unique), so that ticks that overlap or are caught up write one. `alert` names what has lasted or
 * grown; `told_at` is set when a medium has taken the notice, `told_by` names the media.
 */
export const deadLetterReports = pgTable(
  "dead_letter_reports",
  {
    id: uuid("id").primaryKey(),
    slot: instant("slot").notNull(),
    createdAt: instant("created_at").notNull(),
    groups: jsonb("groups").notNull(),
    total: integer("total").notNull(),
    change: integer("change").notNull(),
    alert: text("alert", { enum: ["age", "growth"] }),
    /** Whether operators are to be told, beyond the row itself. */
    notify: text("notify", { enum: ["no", "daily", "alert"] }).notNull(),
    toldAt: instant("told_at"),
    toldBy: text("told_by"),
  },
  (table) => [
    uniqueIndex("dead_letter_reports_one_per_slot").on(table.slot),
    check("dead_letter_reports_alert_known", sql`${table.alert} in ('age', 'growth')`),
    check("dead_letter_reports_notify_known", sql`${table.notify} in ('no', 'daily', 'alert')`),
    check("dead_letter_reports_told", sql`(${table.toldAt} is null) = (${table.toldBy} is null)`),
  ],
);
