import { sql } from "drizzle-orm";
import { check, index, jsonb, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { instant } from "./columns";

/** Every operator action with who and why, written in the action's own transaction. Never changed, never removed. */
export const operatorActions = pgTable(
  "operator_actions",
  {
    id: uuid("id").primaryKey(),
    operator: text("operator").notNull(),
    action: text("action").notNull(),
    /** What it was done to: a partition key, a redrive, a delivery. */
    target: text("target").notNull(),
    reason: text("reason").notNull(),
    details: jsonb("details").notNull(),
    createdAt: instant("created_at").notNull(),
  },
  (table) => [
    index("operator_actions_by_time").on(table.createdAt),
    index("operator_actions_by_target").on(table.target, table.createdAt),
    check("operator_actions_say_why", sql`char_length(trim(${table.reason})) between 1 and 1000`),
  ],
);
