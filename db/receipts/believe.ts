import { sql } from "drizzle-orm";
import { rows, type Transaction, uuids } from "../connection";
import { BECOMES_DELIVERED } from "../ledger/delivered";

/**
 * Ends as delivered whatever of these still waits, or whose outcome is unknown, although the provider has reported it:
 * no report but "not found" comes without an acceptance (P5, P9). A row that is being sent is its holder's; who settles or
 * recovers it asks here afterwards, under the row's lock. Returns the rows that it ended.
 */
export async function believeReports(tx: Transaction, deliveryIds: readonly string[]): Promise<Set<string>> {
  if (deliveryIds.length === 0) return new Set();
  const ended = await rows<{ id: string }>(
    tx,
    sql`update deliveries d set ${BECOMES_DELIVERED},
        provider_message_id = coalesce(d.provider_message_id, reported.message_id)
      from (select delivery_id, min(provider_message_id) as message_id from receipts
        where delivery_id = any(${uuids(deliveryIds)}) and meaning <> 'not_found' group by delivery_id) as reported
      where d.id = reported.delivery_id and d.first_attempt_at is not null
        and (d.state in ('scheduled', 'ready', 'deferred') or (d.state = 'dead' and d.reason = 'outcome_unknown'))
      returning d.id`,
  );
  return new Set(ended.map((row) => row.id));
}
