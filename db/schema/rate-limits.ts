import { sql } from "drizzle-orm";
import { check, index, pgTable, text } from "drizzle-orm/pg-core";
import { instant } from "./columns";

/**
 * Limits on what somebody may ask for (`db/rules/rate-limit.ts`), shared by all processes: one instant per limit and
 * subject, up to which turns are taken. `key` names the limit and a keyed hash of the subject: no address is here.
 */
export const rateLimits = pgTable(
  "rate_limits",
  {
    key: text("key").primaryKey(),
    takenUntil: instant("taken_until").notNull(),
  },
  (table) => [
    index("rate_limits_by_time").on(table.takenUntil),
    check("rate_limits_key_bounded", sql`char_length(${table.key}) between 3 and 100`),
  ],
);
