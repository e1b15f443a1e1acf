import { sql } from "drizzle-orm";
import { check, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { instant } from "./columns";
import { deliveries } from "./deliveries";

/**
 * The runs of `dead-letter` that a burial has had, and what each came to. The first stands for the burial in the Inngest
 * dashboard; a later one is an operator's rerun or a repeated event, and a run that is executed twice finds its answer.
 */
export const deadLetterRuns = pgTable(
  "dead_letter_runs",
  {
    burialId: uuid("burial_id").notNull(),
    runId: text("run_id").notNull(),
    deliveryId: uuid("delivery_id")
      .notNull()
      .references(() => deliveries.id, { onDelete: "cascade" }),
    seenAt: instant("seen_at").notNull(),
    verdict: text("verdict", { enum: ["first", "repeat", "redriven", "refused"] }).notNull(),
    /** Why it was not redriven. */
    why: text("why"),
    redriveId: uuid("redrive_id"),
  },
  (table) => [
    primaryKey({ columns: [table.burialId, table.runId] }),
    check(
      "dead_letter_runs_verdict_known",
      sql`${table.verdict} in ('first', 'repeat', 'redriven', 'refused')`,
    ),
    check(
      "dead_letter_runs_redriven",
      sql`(${table.verdict} = 'redriven') = (${table.redriveId} is not null)`,
    ),
  ],
);
