import { sql } from "drizzle-orm";
import { rows, transact, uuids } from "./connection";

/** What operators have not been told yet. */
export interface UntoldNotice {
  id: string;
  partition: string;
  kind: "quota" | "config_rejected";
  detail: string;
  openedAtMs: number;
}

/** Notices that no medium has taken yet, oldest first. */
export async function readUntoldNotices(limit = 20): Promise<UntoldNotice[]> {
  return transact((tx) =>
    rows<UntoldNotice>(
      tx,
      sql`select id, partition, kind, detail, epoch_ms(opened_at) as "openedAtMs" from operator_notices
        where told_at is null order by opened_at, id limit ${limit}`,
    ),
  );
}

/** Records that a medium has taken these notices. */
export async function markTold(ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await transact((tx) =>
    rows(
      tx,
      sql`update operator_notices set told_at = ledger_now() where id = any(${uuids(ids)}) and told_at is null`,
    ),
  );
}
