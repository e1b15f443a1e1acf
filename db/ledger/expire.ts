import { type SQL, sql } from "drizzle-orm";
import { rows, type Transaction, uuids } from "../connection";
import { effects } from "../effects";
import { stageDeaths } from "../outbox";
import type { ExpiredReason } from "../rules/lifecycle";
import { RECONCILE_AFTER_MS } from "../rules/retry-policy";

export interface Ended {
  id: string;
  state: "expired" | "dead";
}

/**
 * Ends waiting deliveries as no longer wanted: `expired` with the reason, or, where an earlier outcome is unknown,
 * `dead/outcome_unknown` with the reason as its wish, because a receipt may still arrive. Rows that are not waiting do not
 * move.
 */
export async function endWaiting(
  tx: Transaction,
  ids: readonly string[],
  reason: ExpiredReason | "outcome_unknown",
): Promise<Ended[]> {
  if (ids.length === 0) return [];
  const burials = JSON.stringify(ids.map((id) => ({ id, burialId: effects.newId() })));
  const ended = await rows<Ended>(
    tx,
    sql`update deliveries d set
        state = case when d.unresolved_since is null then 'expired' else 'dead' end,
        reason = case when d.unresolved_since is null then ${reason} else 'outcome_unknown' end,
        wish = case when d.unresolved_since is null then null else nullif(${reason}, 'outcome_unknown') end,
        burial_id = case when d.unresolved_since is null then d.burial_id else w."burialId" end,
        reconcile_at = case when d.unresolved_since is null then null
          else ledger_now() + ${RECONCILE_AFTER_MS} * interval '1 millisecond' end,
        finished_at = ledger_now(), next_eligible_at = null, pass = null,
        admission_id = null, admitted_until = null, kept_by = null, kept_until = null
      from jsonb_to_recordset(${burials}::jsonb) as w(id uuid, "burialId" uuid)
      where d.id = w.id and d.state in ('scheduled', 'ready', 'deferred')
      returning d.id, d.state`,
  );
  await stageDeaths(
    tx,
    ended.filter((row) => row.state === "dead").map((row) => row.id),
  );
  return ended;
}

/** Ends what waits past its usefulness. Bounded; SKIP LOCKED, so that it never stands behind a claim or an edit. */
export async function expireDue(
  tx: Transaction,
  input: { partition: string | null; limit: number },
): Promise<number> {
  const due = await rows<{ id: string }>(tx, lockingOverdue(input));
  const ended = await endWaiting(
    tx,
    due.map((row) => row.id),
    "past_deadline",
  );
  return ended.length;
}

/** The statement that finds and locks what `expireDue` ends. */
export function lockingOverdue(input: { partition: string | null; limit: number }): SQL {
  return sql`select id from deliveries
      where ${input.partition === null ? sql`true` : sql`partition = ${input.partition}`}
        and state in ('scheduled', 'ready', 'deferred') and expires_at <= ledger_now()
      order by expires_at limit ${input.limit} for update skip locked`;
}

/** Puts waiting rows under an admission or a kept run back where admission finds them, each in its state. */
export async function giveBack(tx: Transaction, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await rows(
    tx,
    sql`update deliveries set admission_id = null, admitted_until = null, kept_by = null, kept_until = null
      where id = any(${uuids(ids)}) and state in ('scheduled', 'ready', 'deferred')
        and (admission_id is not null or kept_by is not null)`,
  );
}
