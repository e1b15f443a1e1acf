import { sql } from "drizzle-orm";
import { check, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { instant } from "./columns";

/**
 * Addresses that must not be written to, remembered without the address: a keyed hash that survives erasure of the
 * person. As long as a row is not lifted, every destination with this address is `suppressed`, also one that is added
 * later. `scope` is `*`, or the partition whose sender was told to stop.
 */
export const suppressions = pgTable(
  "suppressions",
  {
    id: uuid("id").primaryKey(),
    channel: text("channel", { enum: ["email", "sms"] }).notNull(),
    /** HMAC-SHA256 of the normalised address under `SUPPRESSION_SECRET`, in hex. */
    addressHash: text("address_hash").notNull(),
    scope: text("scope").notNull(),
    reason: text("reason", {
      enum: ["opted_out", "bounced", "complained", "unreachable", "operator"],
    }).notNull(),
    createdAt: instant("created_at").notNull(),
    liftedAt: instant("lifted_at"),
    /** `reply` when the person said START; otherwise the operator. */
    liftedBy: text("lifted_by"),
  },
  (table) => [
    uniqueIndex("suppressions_one_standing")
      .on(table.channel, table.addressHash, table.scope)
      .where(sql`lifted_at is null`),
    check("suppressions_channel_known", sql`${table.channel} in ('email', 'sms')`),
    check(
      "suppressions_reason_known",
      sql`${table.reason} in ('opted_out', 'bounced', 'complained', 'unreachable', 'operator')`,
    ),
    check("suppressions_hash_is_hex", sql`${table.addressHash} ~ '^[0-9a-f]{64}$'`),
    check("suppressions_lifted_by_somebody", sql`(${table.liftedAt} is null) = (${table.liftedBy} is null)`),
  ],
);
