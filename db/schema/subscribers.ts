import { sql } from "drizzle-orm";
import { check, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { instant } from "./columns";

/**
 * A person who can be reminded. `external_id` is the shop's name for them, `user_id` the account they sign in with;
 * either may be missing. Quiet hours are wall times in the subscriber's own zone: both or none.
 */
export const subscribers = pgTable(
  "subscribers",
  {
    id: uuid("id").primaryKey(),
    externalId: text("external_id"),
    userId: text("user_id"),
    timeZone: text("time_zone").notNull(),
    locale: text("locale").notNull(),
    quietFrom: text("quiet_from"),
    quietUntil: text("quiet_until"),
    /** Hours in which a text message may come, in the recipient's zone: both or none. */
    smsFrom: text("sms_from"),
    smsUntil: text("sms_until"),
    /** Everything but codes is held until then. */
    pausedUntil: instant("paused_until"),
    createdAt: instant("created_at").notNull(),
    /** Erased: what is left names nobody, and nothing is sent any more. */
    erasedAt: instant("erased_at"),
  },
  (table) => [
    uniqueIndex("subscribers_external_id").on(table.externalId),
    uniqueIndex("subscribers_user_id").on(table.userId),
    check(
      "subscribers_erased_names_nobody",
      sql`${table.erasedAt} is null or (${table.externalId} is null and ${table.userId} is null)`,
    ),
    check("subscribers_external_id_bounded", sql`char_length(${table.externalId}) between 1 and 200`),
    check(
      "subscribers_quiet_hours_both_or_none",
      sql`(${table.quietFrom} is null) = (${table.quietUntil} is null)
        and (${table.quietFrom} is null or (${table.quietFrom} ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'
        and ${table.quietUntil} ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'))`,
    ),
    check(
      "subscribers_sms_hours_both_or_none",
      sql`(${table.smsFrom} is null) = (${table.smsUntil} is null)
        and (${table.smsFrom} is null or (${table.smsFrom} ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'
        and ${table.smsUntil} ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'))`,
    ),
  ],
);
