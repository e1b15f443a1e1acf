import { sql } from "drizzle-orm";
import { check, doublePrecision, integer, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { instant } from "./columns";
import { partitions } from "./partitions";
import { redrives } from "./redrives";

/**
 * A redrive in one partition: its pace is that partition's. `next_at` is the instant of the next release, so that a tick
 * that runs twice releases nothing twice as fast; `canary_from` is how many had been released when the present stretch
 * began with its canaries.
 */
export const redrivePartitions = pgTable(
  "redrive_partitions",
  {
    redriveId: uuid("redrive_id")
      .notNull()
      .references(() => redrives.id, { onDelete: "cascade" }),
    partition: text("partition")
      .notNull()
      .references(() => partitions.key, { onDelete: "restrict" }),
    released: integer("released").notNull(),
    canaryFrom: integer("canary_from").notNull(),
    /** When the canaries had passed: the ramp counts from here. */
    pacedSince: instant("paced_since"),
    nextAt: instant("next_at").notNull(),
    /** Per second, as the last tick set it. */
    pace: doublePrecision("pace").notNull(),
    /** What holds the pace down, or what it waits for. */
    limitedBy: text("limited_by"),
  },
  (table) => [
    primaryKey({ columns: [table.redriveId, table.partition] }),
    check(
      "redrive_partitions_counts",
      sql`${table.released} >= ${table.canaryFrom} and ${table.canaryFrom} >= 0`,
    ),
    check("redrive_partitions_pace", sql`${table.pace} >= 0`),
  ],
);
