import { sql } from "drizzle-orm";
import { check, integer, pgTable, text } from "drizzle-orm/pg-core";
import { instant } from "./columns";

/**
 * How long finished deliveries are kept, one row per terminal state, and for how long what they said (`content`). Nothing of a state is removed before two people
 * have approved its row: who answers for the service level, and who answers for records. A change of the days withdraws
 * both approvals. Under the redrive horizon (14 days) a row is refused: a redrive must find what it may still send.
 */
export const retention = pgTable(
  "retention",
  {
    state: text("state", { enum: ["delivered", "dead", "expired", "content"] }).primaryKey(),
    keepDays: integer("keep_days").notNull(),
    sloOwner: text("slo_owner"),
    sloApprovedAt: instant("slo_approved_at"),
    recordsOwner: text("records_owner"),
    recordsApprovedAt: instant("records_approved_at"),
  },
  (table) => [
    check("retention_state_known", sql`${table.state} in ('delivered', 'dead', 'expired', 'content')`),
    check("retention_covers_redrive", sql`${table.keepDays} between 14 and 3650`),
    check("retention_slo_approval", sql`(${table.sloOwner} is null) = (${table.sloApprovedAt} is null)`),
    check(
      "retention_records_approval",
      sql`(${table.recordsOwner} is null) = (${table.recordsApprovedAt} is null)`,
    ),
    check("retention_two_people", sql`${table.sloOwner} <> ${table.recordsOwner}`),
  ],
);
