import { sql } from "drizzle-orm";
import { check, index, integer, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { instant } from "./columns";
import { subscribers } from "./subscribers";

/**
 * Where a channel reaches a subscriber: an email address, a phone number in E.164, or one browser's push subscription.
 *
 * An address never changes in place (trigger `destinations_guard`): a new row replaces a retired one, so that the
 * provider request stays a pure function of an immutable row. `suppressed` means that the provider or the person said
 * stop; `retired` that it was replaced, removed, or the device is gone.
 */
export const destinations = pgTable(
  "destinations",
  {
    id: uuid("id").primaryKey(),
    subscriberId: uuid("subscriber_id")
      .notNull()
      .references(() => subscribers.id, { onDelete: "restrict" }),
    channel: text("channel", { enum: ["email", "sms", "push"] }).notNull(),
    /** Email address or E.164 number; for push the endpoint URL. */
    address: text("address").notNull(),
    p256dh: text("p256dh"),
    auth: text("auth"),
    /** What the owner calls this device. */
    label: text("label"),
    /** The most messages a day that its owner wants there, codes aside; null: no limit. */
    dailyLimit: integer("daily_limit"),
    state: text("state", { enum: ["active", "suppressed", "retired"] }).notNull(),
    stateReason: text("state_reason"),
    verifiedAt: instant("verified_at"),
    createdAt: instant("created_at").notNull(),
  },
  (table) => [
    index("destinations_by_subscriber").on(table.subscriberId, table.channel),
    uniqueIndex("destinations_one_per_address")
      .on(table.subscriberId, table.channel, sql`lower(${table.address})`)
      .where(sql`state <> 'retired'`),
    uniqueIndex("destinations_one_owner_per_device")
      .on(table.address)
      .where(sql`channel = 'push' and state = 'active'`),
    index("destinations_by_address")
      .on(table.channel, sql`lower(${table.address})`)
      .where(sql`state <> 'retired'`),
    check("destinations_channel_known", sql`${table.channel} in ('email', 'sms', 'push')`),
    check("destinations_state_known", sql`${table.state} in ('active', 'suppressed', 'retired')`),
    check("destinations_address_bounded", sql`char_length(${table.address}) between 3 and 2000`),
    check(
      "destinations_push_has_keys",
      sql`(${table.channel} = 'push') = (${table.p256dh} is not null and ${table.auth} is not null)`,
    ),
    check("destinations_daily_limit_bounded", sql`${table.dailyLimit} between 1 and 100`),
    check("destinations_label_bounded", sql`char_length(${table.label}) <= 80`),
  ],
);
