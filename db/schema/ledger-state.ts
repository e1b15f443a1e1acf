import { sql } from "drizzle-orm";
import { check, integer, pgTable, text } from "drizzle-orm/pg-core";

/**
 * One row: which ledger this is. Admission and begin require `mode = sending` and a `generation` equal to the
 * process's `LEDGER_GENERATION`, so that a restored copy holds itself until an operator promotes it.
 */
export const ledgerState = pgTable(
  "ledger_state",
  {
    singleton: integer("singleton").primaryKey().default(1),
    generation: text("generation").notNull(),
    mode: text("mode", { enum: ["sending", "held"] }).notNull(),
    installation: text("installation"),
    /** Version of the zone data by which the instants of waiting occurrences were derived last. */
    zoneData: text("zone_data"),
  },
  (table) => [
    check("ledger_state_one_row", sql`${table.singleton} = 1`),
    check("ledger_state_mode_known", sql`${table.mode} in ('sending', 'held')`),
  ],
);
