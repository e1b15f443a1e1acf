import { type SQL, sql } from "drizzle-orm";
import { uuids } from "../connection";

/** What a row takes on when evidence of its acceptance comes after its holder let go, wherever it stands by then. */
export const BECOMES_DELIVERED = sql`state = 'delivered', reason = null, wish = null, last_class = 'accepted',
  unresolved_since = null, reconcile_at = null, next_eligible_at = null, lease_until = null, pass = null,
  admission_id = null, admitted_until = null, kept_by = null, kept_until = null,
  dismissed_at = null, acknowledged = false, finished_at = coalesce(finished_at, ledger_now())`;

/**
 * The statement that closes the attempts of deliveries which go on without their holders: recovered, or ended by evidence
 * from elsewhere. Nobody else would when the holder is dead; the answer of one that lives still takes its place.
 */
export function closingAttempts(deliveryIds: readonly string[]): SQL {
  return sql`update attempts set settled_at = ledger_now(), class = 'crashed'
    where delivery_id = any(${uuids(deliveryIds)}) and settled_at is null`;
}
