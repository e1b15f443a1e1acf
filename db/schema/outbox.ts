import { sql } from "drizzle-orm";
import { check, index, integer, jsonb, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { instant } from "./columns";

/**
 * Events that must reach the engine because a fact was committed: written in the fact's own transaction, published
 * after it. A row is claimed for a short while (`claimed_until`), so that two publishers do not send the same row at
 * once; a publisher that dies leaves a claim that runs out. `event_id` makes a repeat harmless for 24 h, the ledger for
 * ever.
 */
export const outbox = pgTable(
  "outbox",
  {
    id: uuid("id").primaryKey(),
    eventName: text("event_name").notNull(),
    eventId: text("event_id").notNull(),
    data: jsonb("data").notNull(),
    notBefore: instant("not_before").notNull(),
    createdAt: instant("created_at").notNull(),
    publishedAt: instant("published_at"),
    claimedUntil: instant("claimed_until"),
    tries: integer("tries").notNull().default(0),
    /** W3C trace context of the request that staged it: ids only. */
    trace: text("trace"),
  },
  (table) => [
    index("outbox_unpublished").on(table.notBefore, table.id).where(sql`published_at is null`),
    index("outbox_published").on(table.publishedAt).where(sql`published_at is not null`),
    check("outbox_event_id_bounded", sql`char_length(${table.eventId}) between 1 and 200`),
    check("outbox_trace_bounded", sql`char_length(${table.trace}) <= 55`),
  ],
);
