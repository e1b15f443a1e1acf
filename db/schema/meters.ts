import { sql } from "drizzle-orm";
import { bigint, check, doublePrecision, pgTable, text } from "drizzle-orm/pg-core";
import { instant } from "./columns";

/**
 * The exact clock of one budget: a GCRA meter in one hot row. `ready_at` is the instant of the next free slot; a slot is
 * granted by moving it. `epoch` changes with every rate cut: a slot of an older epoch is void. `blocked_until` is the
 * provider's gate: no slot lies before it.
 *
 * The table is made with fillfactor 10, so that every update of the hot row stays on its page.
 */
export const meters = pgTable(
  "meters",
  {
    key: text("key").primaryKey(),
    rate: doublePrecision("rate").notNull(),
    readyAt: instant("ready_at").notNull(),
    blockedUntil: instant("blocked_until").notNull(),
    epoch: bigint("epoch", { mode: "number" }).notNull(),
    lastCutAt: instant("last_cut_at"),
    /** The provider's own ceiling as its headers last said, per second; null while it says nothing. */
    observedCeiling: doublePrecision("observed_ceiling"),
    /** Smoothed call time, which sizes the admission window. */
    callMs: doublePrecision("call_ms").notNull(),
    /** What calls take when the provider is well: follows `call_ms` down at once, up only slowly. */
    calmCallMs: doublePrecision("calm_call_ms"),
    /** The urgent lane's own meter: urgent sends stand in front of reserved slots while it has room. */
    urgentReadyAt: instant("urgent_ready_at").notNull(),
    lastFeedbackAt: instant("last_feedback_at"),
  },
  (table) => [check("meters_rate_positive", sql`${table.rate} > 0`)],
);
