import { sql } from "drizzle-orm";
import { database, rows } from "../../db/connection";
import { testClock } from "./test-clock";

/** A Monday noon, 13:00 in Berlin, far from any change of daylight saving. */
export const NOON_MS = Date.UTC(2026, 2, 2, 12);

/** What a test fills; what refers to these tables is emptied with them. */
const FILLED =
  "subscribers, partitions, redrives, meters, payloads, outbox, sweeps, idempotency_keys, operator_actions, suppressions, inbound_texts, auth_users, auth_verifications, rate_limits, claim_refusals, claim_refusal_totals, cleanup_runs, dead_letter_reports, shipments";

/**
 * The same as a truncate, which makes some two hundred files anew and takes fifty times as long: every table at once, so
 * that no reference is in the way of another, and only when no transaction of before is under way in any.
 */
const DELETE_ALL = `do $$ declare emptied regclass[]; begin
  with recursive found(id) as (
    select unnest('{${FILLED}}'::regclass[])
    union select conrelid from pg_constraint join found on confrelid = id where contype = 'f')
  select array_agg(id::regclass) into emptied from found;
  execute 'lock table ' || array_to_string(emptied, ', ');
  execute (select 'with ' || string_agg(format('t%s as (delete from %s)', n, name), ', ') || ' select'
    from unnest(emptied) with ordinality as each(name, n));
end $$`;

/** Empties every table that a test fills, partitions included, and sets the clock to noon. */
export async function emptyLedger(): Promise<void> {
  await testClock.set(NOON_MS);
  await rows(database(), sql.raw(DELETE_ALL));
  await resetLedgerState();
}

/** The same with files as new: rows lie in the order in which they are written, and the same story finds them in it. */
export async function freshLedger(): Promise<void> {
  await testClock.set(NOON_MS);
  await rows(database(), sql.raw(`truncate ${FILLED} cascade`));
  await resetLedgerState();
}

/** The ledger's own row and the retention as migrations leave them. */
export async function resetLedgerState(): Promise<void> {
  await rows(
    database(),
    sql`update ledger_state set mode = 'sending', generation = 'g1', installation = null, cleanup_off_at = null,
      cleanup_off_by = null, cleanup_off_reason = null, uncertain_since = null, uncertain_why = null, calm_since = null,
      calm_seen_at = null, snapshot_at = null, promoted_at = null`,
  );
  await rows(
    database(),
    sql`update retention set keep_days = case state when 'dead' then 90 else 30 end, slo_owner = null,
      slo_approved_at = null, records_owner = null, records_approved_at = null`,
  );
}
