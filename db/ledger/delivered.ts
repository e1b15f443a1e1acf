import { sql } from "drizzle-orm";

/** What a row takes on when evidence of its acceptance comes after its holder let go, wherever it stands by then. */
export const BECOMES_DELIVERED = sql`state = 'delivered', reason = null, wish = null, last_class = 'accepted',
  unresolved_since = null, reconcile_at = null, next_eligible_at = null, lease_until = null, pass = null,
  admission_id = null, admitted_until = null, kept_by = null, kept_until = null,
  dismissed_at = null, acknowledged = false, finished_at = coalesce(finished_at, ledger_now())`;
