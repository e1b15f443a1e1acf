import { sql } from "drizzle-orm";
import { check, integer, pgTable, text } from "drizzle-orm/pg-core";
import { instant } from "./columns";

/**
 * One row: which ledger this is. Admission and begin require `mode = sending` and a `generation` equal to the
 * process's `LEDGER_GENERATION`, so that a restored copy holds itself until an operator promotes it. `installation` names
 * the database server's own identity (`ledger_installation()`); once it is set, a difference holds as well.
 *
 * After a hand-over or a promotion the ledger is uncertain (`uncertain_since`): cleanup is off and redrive closed until
 * queue age has been under its SLO for ten minutes without a break (`calm_since`, last looked at `calm_seen_at`).
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
    /** The cleanup's switch: off since when, by whom, why. */
    cleanupOffAt: instant("cleanup_off_at"),
    cleanupOffBy: text("cleanup_off_by"),
    cleanupOffReason: text("cleanup_off_reason"),
    uncertainSince: instant("uncertain_since"),
    uncertainWhy: text("uncertain_why"),
    calmSince: instant("calm_since"),
    calmSeenAt: instant("calm_seen_at"),
    /** The time of the snapshot that was promoted last, and when. */
    snapshotAt: instant("snapshot_at"),
    promotedAt: instant("promoted_at"),
  },
  (table) => [
    check("ledger_state_one_row", sql`${table.singleton} = 1`),
    check(
      "ledger_state_cleanup_off",
      sql`(${table.cleanupOffAt} is null) = (${table.cleanupOffBy} is null)
        and (${table.cleanupOffAt} is null) = (${table.cleanupOffReason} is null)`,
    ),
    check(
      "ledger_state_uncertain",
      sql`(${table.uncertainSince} is null) = (${table.uncertainWhy} is null)
        and (${table.uncertainSince} is not null or ${table.calmSince} is null)`,
    ),
    check("ledger_state_mode_known", sql`${table.mode} in ('sending', 'held')`),
  ],
);
