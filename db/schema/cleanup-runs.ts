import { sql } from "drizzle-orm";
import { check, index, integer, jsonb, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { instant } from "./columns";

/**
 * One pass of the cleanup: what it counted before it deleted anything (`counted`: state, reason, how many, older than
 * when), and what it removed. A pass that was not allowed to delete says why. While `lease_until` lies ahead no second
 * pass begins.
 */
export const cleanupRuns = pgTable(
  "cleanup_runs",
  {
    id: uuid("id").primaryKey(),
    mover: text("mover", { enum: ["cron", "command"] }).notNull(),
    startedAt: instant("started_at").notNull(),
    leaseUntil: instant("lease_until").notNull(),
    finishedAt: instant("finished_at"),
    outcome: text("outcome", { enum: ["running", "removed", "refused"] }).notNull(),
    why: text("why"),
    counted: jsonb("counted").notNull(),
    removed: integer("removed").notNull().default(0),
    batches: integer("batches").notNull().default(0),
  },
  (table) => [
    index("cleanup_runs_by_start").on(table.startedAt),
    check("cleanup_runs_mover_known", sql`${table.mover} in ('cron', 'command')`),
    check("cleanup_runs_outcome_known", sql`${table.outcome} in ('running', 'removed', 'refused')`),
    check("cleanup_runs_finished", sql`(${table.outcome} = 'running') = (${table.finishedAt} is null)`),
    check("cleanup_runs_refused_says_why", sql`${table.outcome} <> 'refused' or ${table.why} is not null`),
  ],
);
