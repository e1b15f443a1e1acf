import { sql } from "drizzle-orm";
import { check, doublePrecision, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { instant } from "./columns";
import { partitions } from "./partitions";

/**
 * A lane's share of one partition. `virtual_time` is the stride scheduler's clock: the lane with the smallest one goes
 * next and pays cost ÷ weight. `pass_floor` is the lane's own inner clock, at which an idle flow rejoins without credit
 * or debt.
 *
 * `degradation` is what the lane gives up first when its queue grows too old, written down beforehand; it acts until
 * `degradation_until`. Only lanes of shipment updates may have one: what people asked for is never given up.
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
    degradation: text("degradation", { enum: ["expire_oldest", "coalesce", "other_channel"] }),
    /** What has waited longer than this is given up; for `coalesce` however long it has waited. */
    degradationWindowSeconds: integer("degradation_window_seconds"),
    degradationUntil: instant("degradation_until"),
  },
  (table) => [
    primaryKey({ columns: [table.partition, table.lane] }),
    check("lanes_lane_known", sql`${table.lane} in ('urgent', 'standard', 'bulk', 'redrive')`),
    check(
      "lanes_degradation_known",
      sql`${table.degradation} is null or (${table.degradation} in ('expire_oldest', 'coalesce', 'other_channel') and ${table.lane} in ('standard', 'bulk'))`,
    ),
    check(
      "lanes_degradation_window",
      sql`(${table.degradation} is null) = (${table.degradationWindowSeconds} is null) and ${table.degradationWindowSeconds} between 60 and 604800`,
    ),
    check(
      "lanes_degradation_written",
      sql`${table.degradationUntil} is null or ${table.degradation} is not null`,
    ),
    check("lanes_weight_positive", sql`${table.weight} > 0`),
  ],
);
