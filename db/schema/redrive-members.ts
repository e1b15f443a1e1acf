import { sql } from "drizzle-orm";
import {
  boolean,
  check,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { instant } from "./columns";
import { deliveries } from "./deliveries";
import { partitions } from "./partitions";
import { redrives } from "./redrives";

/**
 * One dead letter of a redrive's frozen set, as it was chosen and what became of it. `active` from the start until its
 * outcome is known or the redrive ends; the unique index lets a burial be in one active set only, so that two clicks or
 * two operators make one redrive.
 */
export const redriveMembers = pgTable(
  "redrive_members",
  {
    redriveId: uuid("redrive_id")
      .notNull()
      .references(() => redrives.id, { onDelete: "cascade" }),
    deliveryId: uuid("delivery_id")
      .notNull()
      .references(() => deliveries.id, { onDelete: "cascade" }),
    /** The burial that was chosen: a later one is another dead letter. */
    burialId: uuid("burial_id").notNull(),
    partition: text("partition")
      .notNull()
      .references(() => partitions.key, { onDelete: "restrict" }),
    /** Order in which they go: what expires first goes first. */
    position: integer("position").notNull(),
    /** Why it was dead. */
    reason: text("reason").notNull(),
    /** What would have become of it when it was chosen. */
    verdict: text("verdict").notNull(),
    state: text("state", {
      enum: ["left_out", "pending", "released", "skipped", "delivered", "dead", "expired"],
    }).notNull(),
    /** Why it was skipped, expired or died again. */
    outcome: text("outcome"),
    active: boolean("active").notNull(),
    releasedAt: instant("released_at"),
    endedAt: instant("ended_at"),
  },
  (table) => [
    primaryKey({ columns: [table.redriveId, table.deliveryId] }),
    uniqueIndex("redrive_members_one_active").on(table.burialId).where(sql`active`),
    index("redrive_members_by_delivery").on(table.deliveryId),
    index("redrive_members_in_order").on(table.redriveId, table.position),
    // who goes next, and what is out
    index("redrive_members_next")
      .on(table.redriveId, table.partition, table.position)
      .where(sql`state = 'pending'`),
    index("redrive_members_out").on(table.redriveId, table.partition).where(sql`state = 'released'`),
    check(
      "redrive_members_state_known",
      sql`${table.state} in ('left_out', 'pending', 'released', 'skipped', 'delivered', 'dead', 'expired')`,
    ),
    check(
      "redrive_members_released_at",
      sql`${table.state} not in ('released', 'delivered', 'dead', 'expired') or ${table.releasedAt} is not null`,
    ),
    check("redrive_members_active", sql`not ${table.active} or ${table.state} in ('pending', 'released')`),
  ],
);
