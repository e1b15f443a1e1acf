import { sql } from "drizzle-orm";
import { check, index, integer, jsonb, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { instant } from "./columns";

/**
 * What was answered to a request that carried an `Idempotency-Key`: written in the transaction of its effect, so that
 * the key and the reminder exist together or not at all. Keys are scoped to the caller and the route.
 */
export const idempotencyKeys = pgTable(
  "idempotency_keys",
  {
    scope: text("scope").notNull(),
    key: text("key").notNull(),
    bodyHash: text("body_hash").notNull(),
    status: integer("status").notNull(),
    response: jsonb("response").notNull(),
    createdAt: instant("created_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.scope, table.key] }),
    index("idempotency_keys_by_age").on(table.createdAt),
    check("idempotency_keys_bounded", sql`char_length(${table.key}) between 1 and 255`),
  ],
);
