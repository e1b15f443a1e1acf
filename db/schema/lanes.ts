import { sql } from "drizzle-orm";
import { check, doublePrecision, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { partitions } from "./partitions";

/**
 * A lane's share of one partition. `virtual_time` is the stride scheduler's clock: the lane with the smallest one goes
 * next and pays cost ÷ weight. `pass_floor` is the lane's own inner clock, at which an idle flow rejoins without credit
 * or debt.
 */
export const lanes = pgTable(
  "lanes",
  {
    partition: text("partition")
      .notNull()
      .references(() => partitions.key, { onDelete: "cascade" }),
    lane: text("lane", { enum: ["urgent", "standard", "bulk", "redrive"] }).notNull(),
    weight: doublePrecision("weight").notNull(),
    virtualTime: doublePrecision("virtual_time").notNull(),
    passFloor: doublePrecision("pass_floor").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.partition, table.lane] }),
    check("lanes_lane_known", sql`${table.lane} in ('urgent', 'standard', 'bulk', 'redrive')`),
    check("lanes_weight_positive", sql`${table.weight} > 0`),
  ],
);
