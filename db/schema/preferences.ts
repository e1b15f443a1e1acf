import { sql } from "drizzle-orm";
import { boolean, check, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { instant } from "./columns";
import { subscribers } from "./subscribers";

/** What a subscriber chose for one topic on one channel. A missing row means "on". */
export const preferences = pgTable(
  "preferences",
  {
    subscriberId: uuid("subscriber_id")
      .notNull()
      .references(() => subscribers.id, { onDelete: "cascade" }),
    topic: text("topic", { enum: ["reminders", "shipments"] }).notNull(),
    channel: text("channel", { enum: ["email", "sms", "push"] }).notNull(),
    enabled: boolean("enabled").notNull(),
    updatedAt: instant("updated_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.subscriberId, table.topic, table.channel] }),
    check("preferences_topic_known", sql`${table.topic} in ('reminders', 'shipments')`),
    check("preferences_channel_known", sql`${table.channel} in ('email', 'sms', 'push')`),
  ],
);
