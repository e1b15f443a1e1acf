import { sql } from "drizzle-orm";
import { check, index, integer, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { instant } from "./columns";
import { shipments } from "./shipments";
import { subscribers } from "./subscribers";

/**
 * Who is told about a parcel, on which channels, of which milestones. Membership is counted in versions, not in time:
 * a follower hears of the versions after `joined_version` up to `left_version`, so that who belongs to a fan-out is the
 * same whenever it is asked. Whoever follows again after missing something gets a new row.
 */
export const shipmentFollowers = pgTable(
  "shipment_followers",
  {
    id: uuid("id").primaryKey(),
    shipmentId: uuid("shipment_id")
      .notNull()
      .references(() => shipments.id, { onDelete: "cascade" }),
    subscriberId: uuid("subscriber_id")
      .notNull()
      .references(() => subscribers.id, { onDelete: "restrict" }),
    channels: text("channels").array().notNull(),
    milestones: text("milestones").array().notNull(),
    policy: text("policy", { enum: ["every", "latest"] }).notNull(),
    joinedVersion: integer("joined_version").notNull(),
    leftVersion: integer("left_version"),
    createdAt: instant("created_at").notNull(),
    updatedAt: instant("updated_at").notNull(),
  },
  (table) => [
    // the pages of a fan-out
    index("shipment_followers_by_shipment").on(table.shipmentId, table.subscriberId),
    uniqueIndex("shipment_followers_one_present")
      .on(table.shipmentId, table.subscriberId)
      .where(sql`left_version is null`),
    index("shipment_followers_by_subscriber").on(table.subscriberId),
    check("shipment_followers_policy_known", sql`${table.policy} in ('every', 'latest')`),
    check(
      "shipment_followers_channels_known",
      sql`cardinality(${table.channels}) between 1 and 3 and ${table.channels} <@ array['email', 'sms', 'push']::text[]`,
    ),
    check(
      "shipment_followers_versions_in_order",
      sql`${table.joinedVersion} >= 0 and (${table.leftVersion} is null or ${table.leftVersion} >= ${table.joinedVersion})`,
    ),
  ],
);
