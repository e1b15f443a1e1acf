import { sql } from "drizzle-orm";
import { bigint, check, index, integer, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { instant } from "./columns";
import { deliveries } from "./deliveries";

/**
 * Every call that was begun, and how it ended: append-only, settled once (trigger `attempts_guard`). A row without
 * `settled_at` whose lease has passed is a crash: nobody knows the outcome. `detail` is the provider's text, cleaned of
 * anything personal.
 */
export const attempts = pgTable(
  "attempts",
  {
    id: uuid("id").primaryKey(),
    deliveryId: uuid("delivery_id")
      .notNull()
      .references(() => deliveries.id, { onDelete: "cascade" }),
    number: integer("number").notNull(),
    token: integer("token").notNull(),
    runId: text("run_id").notNull(),
    epoch: bigint("epoch", { mode: "number" }).notNull(),
    /** The instant the meter granted. */
    slotAt: instant("slot_at").notNull(),
    begunAt: instant("begun_at").notNull(),
    settledAt: instant("settled_at"),
    class: text("class"),
    status: integer("status"),
    code: text("code"),
    /** The provider's header as sent. */
    retryAfter: text("retry_after"),
    providerMessageId: text("provider_message_id"),
    detail: text("detail"),
    /** How long the call took. */
    callMs: integer("call_ms"),
  },
  (table) => [
    uniqueIndex("attempts_number").on(table.deliveryId, table.number),
    index("attempts_begun").on(table.begunAt),
    check(
      "attempts_class_known",
      sql`${table.class} in ('accepted', 'throttled', 'quota', 'transient', 'ambiguous', 'destination_rejected', 'message_rejected', 'config_rejected', 'not_made', 'crashed')`,
    ),
    check("attempts_settled_has_class", sql`(${table.settledAt} is null) = (${table.class} is null)`),
    check("attempts_detail_bounded", sql`char_length(${table.detail}) <= 400`),
    check("attempts_retry_after_bounded", sql`char_length(${table.retryAfter}) <= 200`),
  ],
);
