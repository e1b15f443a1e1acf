import { type SQL, sql } from "drizzle-orm";
import { rows, type Transaction, uuids } from "../connection";

/** The statement of `lockDeliveries`. */
export function lockingDeliveries(ids: readonly string[]): SQL {
  return sql`select id from deliveries where id = any(${uuids(ids)}) order by id for update`;
}

/**
 * Locks deliveries by id, the one order in which anybody waits for several of them: an update of many rows locks them in
 * the order of its plan, so it comes after this. Rows that do not exist are passed over.
 */
export async function lockDeliveries(tx: Transaction, ids: readonly string[]): Promise<void> {
  await rows(tx, lockingDeliveries(ids));
}
