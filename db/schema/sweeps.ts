import { sql } from "drizzle-orm";
import { check, index, jsonb, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { instant } from "./columns";

/** One pass of the sweep: who ran it and what it healed. The newest row tells health whether the net is up. */
export const sweeps = pgTable(
  "sweeps",
  {
    id: uuid("id").primaryKey(),
    mover: text("mover", { enum: ["cron", "start", "health", "sync", "command"] }).notNull(),
    startedAt: instant("started_at").notNull(),
    finishedAt: instant("finished_at"),
    counts: jsonb("counts"),
  },
  (table) => [
    index("sweeps_by_start").on(table.startedAt),
    check("sweeps_mover_known", sql`${table.mover} in ('cron', 'start', 'health', 'sync', 'command')`),
  ],
);
