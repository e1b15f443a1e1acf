import { sql } from "drizzle-orm";
import { alone, uuids } from "../connection";

/** Notes that the shop calls occurrences moot, as long as they wait: when they open, nobody is sent anything. */
export async function markMoot(occurrenceIds: readonly string[]): Promise<void> {
  if (occurrenceIds.length === 0) return;
  await alone(
    sql`update occurrences set answered_at = ledger_now(), answered_by = 'shop'
      where id = any(${uuids(occurrenceIds)}) and state = 'waiting' and answered_at is null`,
  );
}
