import { type SQL, sql } from "drizzle-orm";
import { rows, type Transaction } from "../connection";

/**
 * Makes rows `ready` whose time has come, and gives each its pass: behind its own flow's last ready row, or at the
 * lane's clock (`nextPass` in db/rules/fair-share.ts is the same rule for one row; a test holds them together). A row
 * that only met the local rate limit keeps the pass it had. Rows that a run keeps, or that were admitted ahead of their
 * time, are left to their holder until its hold runs out.
 */
export async function promoteDue(
  tx: Transaction,
  input: { partition: string; limit: number },
): Promise<number> {
  return (await rows(tx, promotingDue(input))).length;
}

/** The statement of `promoteDue`. */
export function promotingDue(input: { partition: string; limit: number }): SQL {
  return sql`with due as (
        select id, lane, flow, cost, scheduled_at,
          case when last_class in ('local_rate_limit', 'not_made') then pass end as kept_pass
        from deliveries
        where partition = ${input.partition} and state in ('scheduled', 'deferred') and next_eligible_at <= ledger_now()
          and (kept_until is null or kept_until <= ledger_now())
          and (admitted_until is null or admitted_until <= ledger_now())
        order by next_eligible_at, id limit ${input.limit} for update skip locked
      ), behind as (
        select f.lane, f.flow, greatest(l.pass_floor, coalesce(
            (select max(r.pass) from deliveries r
              where r.partition = ${input.partition} and r.lane = f.lane and r.flow = f.flow and r.state = 'ready'),
            l.pass_floor)) as base
        from (select distinct lane, flow from due) f
        join lanes l on l.partition = ${input.partition} and l.lane = f.lane
      ), placed as (
        select due.id, coalesce(due.kept_pass, behind.base + sum(due.cost) over (
            partition by due.lane, due.flow order by due.scheduled_at, due.id)) as pass
        from due join behind using (lane, flow)
      )
      update deliveries d set state = 'ready', pass = placed.pass, next_eligible_at = null, kept_by = null,
        kept_until = null, admission_id = null, admitted_until = null
      from placed where d.id = placed.id returning d.id`;
}
