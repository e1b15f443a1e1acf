import { sql } from "drizzle-orm";
import { check, index, pgTable, uuid } from "drizzle-orm/pg-core";
import { instant } from "./columns";
import { deliveries } from "./deliveries";

/**
 * What was forecast of a waiting delivery, and when it was accepted: a sample that every pump takes now and then, so that
 * the forecast's accuracy can be reported. One that ends otherwise than accepted keeps no `accepted_at`.
 */
export const forecasts = pgTable(
  "forecasts",
  {
    deliveryId: uuid("delivery_id")
      .primaryKey()
      .references(() => deliveries.id, { onDelete: "cascade" }),
    madeAt: instant("made_at").notNull(),
    earliestAt: instant("earliest_at").notNull(),
    expectedAt: instant("expected_at").notNull(),
    latestAt: instant("latest_at").notNull(),
    acceptedAt: instant("accepted_at"),
  },
  (table) => [
    index("forecasts_accepted").on(table.acceptedAt).where(sql`accepted_at is not null`),
    check(
      "forecasts_range_holds",
      sql`${table.earliestAt} <= ${table.expectedAt} and ${table.expectedAt} <= ${table.latestAt}`,
    ),
  ],
);
