import { sql } from "drizzle-orm";
import { check, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { instant } from "./columns";

/** A key of the shop's backend. Only its hash is kept; `prefix` is what people see in lists. */
export const apiKeys = pgTable(
  "api_keys",
  {
    id: uuid("id").primaryKey(),
    name: text("name").notNull(),
    prefix: text("prefix").notNull(),
    hash: text("hash").notNull(),
    /** What it opens (`db/rules/api-scopes.ts`). */
    scopes: text("scopes")
      .array()
      .notNull()
      .default(sql`array['subscribers', 'reminders', 'shipments', 'notices', 'privacy']::text[]`),
    createdAt: instant("created_at").notNull(),
    lastUsedAt: instant("last_used_at"),
    revokedAt: instant("revoked_at"),
  },
  (table) => [
    uniqueIndex("api_keys_hash").on(table.hash),
    check(
      "api_keys_scopes_known",
      sql`cardinality(${table.scopes}) between 1 and 5
        and ${table.scopes} <@ array['subscribers', 'reminders', 'shipments', 'notices', 'privacy']::text[]`,
    ),
  ],
);
