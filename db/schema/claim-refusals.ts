import { sql } from "drizzle-orm";
import { bigint, check, index, integer, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { instant } from "./columns";

/**
 * Claims that the ledger refused, written where they were refused: inserted only, so that no two claims meet on a
 * counter. A day later the sweep folds them into `claim_refusal_totals`.
 */
export const claimRefusals = pgTable(
  "claim_refusals",
  {
    id: uuid("id").primaryKey(),
    partition: text("partition").notNull(),
    reason: text("reason").notNull(),
    count: integer("count").notNull(),
    refusedAt: instant("refused_at").notNull(),
  },
  (table) => [
    index("claim_refusals_by_time").on(table.refusedAt),
    check("claim_refusals_some", sql`${table.count} > 0`),
  ],
);

/** What has been folded: with the rows above it makes a counter that only grows. */
export const claimRefusalTotals = pgTable(
  "claim_refusal_totals",
  {
    partition: text("partition").notNull(),
    reason: text("reason").notNull(),
    count: bigint("count", { mode: "number" }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.partition, table.reason] })],
);
