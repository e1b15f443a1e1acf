import { sql } from "drizzle-orm";
import { check, doublePrecision, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { instant } from "./columns";

/**
 * What a channel and lane promise: how old the queue may be, how late an acceptance, how much the provider may refuse,
 * how much may die. The gate, the alerts, the console and the calm after a hand-over are measured against it.
 */
export const slos = pgTable(
  "slos",
  {
    channel: text("channel", { enum: ["email", "sms", "push"] }).notNull(),
    lane: text("lane", { enum: ["urgent", "standard", "bulk", "redrive"] }).notNull(),
    p99AgeMs: integer("p99_age_ms").notNull(),
    p99DueToAcceptedMs: integer("p99_due_to_accepted_ms").notNull(),
    throttledShare: doublePrecision("throttled_share").notNull(),
    deadPerThousand: doublePrecision("dead_per_thousand").notNull(),
    changedBy: text("changed_by"),
    changedAt: instant("changed_at"),
  },
  (table) => [
    primaryKey({ columns: [table.channel, table.lane] }),
    check("slos_channel_known", sql`${table.channel} in ('email', 'sms', 'push')`),
    check("slos_lane_known", sql`${table.lane} in ('urgent', 'standard', 'bulk', 'redrive')`),
    check("slos_times_positive", sql`${table.p99AgeMs} > 0 and ${table.p99DueToAcceptedMs} > 0`),
    check("slos_throttled_share", sql`${table.throttledShare} between 0 and 1`),
    check("slos_dead_per_thousand", sql`${table.deadPerThousand} between 0 and 1000`),
  ],
);
