import { sql } from "drizzle-orm";
import { rows, type Transaction, uuids } from "../connection";

/**
 * One channel, then the next: when nothing of the channels before can reach anybody any more, the next channel's
 * deliveries need not wait for their time, only for the reminder's own. Called with deliveries that have just ended; what
 * may still arrive (an unknown outcome) is waited for as planned, and so is a channel that somebody else holds at this
 * moment.
 *
 * Returns the partitions in which something has become due. Losing it costs the planned wait and nothing else.
 */
export async function pullForward(tx: Transaction, endedIds: readonly string[]): Promise<string[]> {
  if (endedIds.length === 0) return [];
  const pulled = await rows<{ partition: string }>(
    tx,
    sql`with failed as (
        select distinct d.occurrence_id as id, greatest(o.due_at, ledger_now()) as at from deliveries d
        join occurrences o on o.id = d.occurrence_id and o.state = 'opened' and o.answered_at is null
        join reminders r on r.id = o.reminder_id and r.step_minutes is not null and r.status = 'active'
        where d.id = any(${uuids(endedIds)}) and d.state in ('dead', 'expired')
      ), next as (
        select n.id, failed.at from failed
        cross join lateral (select min(w.scheduled_at) as at from deliveries w
          where w.occurrence_id = failed.id and w.state = 'scheduled' and w.last_class = 'not_before') planned
        join deliveries n on n.occurrence_id = failed.id and n.state = 'scheduled' and n.last_class = 'not_before'
          and n.scheduled_at = planned.at
        where planned.at > ledger_now() and not exists (
          select from deliveries before where before.occurrence_id = failed.id and before.scheduled_at < planned.at
            and (before.state not in ('dead', 'expired') or before.reason = 'outcome_unknown'))
        for update of n skip locked
      )
      update deliveries d set scheduled_at = next.at, next_eligible_at = next.at, last_class = null
      from next where d.id = next.id returning d.partition`,
  );
  return [...new Set(pulled.map((row) => row.partition))];
}
