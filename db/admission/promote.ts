import { type SQL, sql } from "drizzle-orm";
import { rows, type Transaction } from "../connection";

/**
 * Of one flow so many are promoted at a time: about a parcel. More would only wait behind each other, and a thousand
 * reminders of one shopper would fill every round.
 */
const PER_FLOW = 25;

/** Flows that one round looks through when somebody crowds the others out; the next round goes on where it ended. */
const FLOWS_PER_ROUND = 200;

/** A row that was promoted. */
export interface Promoted {
  id: string;
  /** Whether the due rows of one flow filled the round, so that those of others may be behind them. */
  crowded: boolean;
}

/**
 * Makes rows `ready` whose time has come, the longest due first and at most `PER_FLOW` of one flow, and gives each its
 * pass: behind its own flow's last ready row, or at the lane's clock (`nextPass` in db/rules/fair-share.ts is the same
 * rule for one row; a test holds them together). A row that only met the local rate limit keeps the pass it had. Rows
 * that a run keeps, or that were admitted ahead of their time, are left to their holder until its hold runs out.
 */
export async function promoteDue(
  tx: Transaction,
  input: { partition: string; limit: number },
): Promise<number> {
  return (await rows(tx, promotingDue(input))).length;
}

/** The statement of `promoteDue`. */
export function promotingDue(input: { partition: string; limit: number }): SQL {
  const seen = sql`seen as (
        select id, lane, flow, cost, scheduled_at, last_class, pass,
          row_number() over (partition by lane, flow order by next_eligible_at, id) as place
        from (
          select * from deliveries d where d.partition = ${input.partition} and ${IS_DUE}
          order by next_eligible_at, id limit ${input.limit} for update skip locked
        ) found
      ), due as (select * from seen where place <= ${PER_FLOW})`;
  const crowded = sql`((select count(*) from seen) >= ${input.limit} and exists (select 1 from seen where place > ${PER_FLOW}))`;
  return placing(input.partition, seen, crowded);
}

/**
 * Promotes due rows of the flows behind `afterFlow`, in the order of their names and round after round, so that a flow
 * which fills the due rows' front holds up nobody: each round goes through `FLOWS_PER_ROUND` flows and remembers where
 * it ended. The partition row is locked.
 */
export async function promoteCrowdedOut(
  tx: Transaction,
  input: { partition: string; afterFlow: string | null },
): Promise<number> {
  const { partition, afterFlow } = input;
  const nextAfter = (flow: SQL) => sql`(select d.flow from deliveries d where d.partition = ${partition}
      and d.state in ('scheduled', 'deferred') and d.flow > ${flow} order by d.flow limit 1)`;
  const flows = sql`recursive flows as (
        select ${nextAfter(sql`${afterFlow ?? ""}`)} as flow, 1 as number
        union all
        select ${nextAfter(sql`flows.flow`)}, number + 1 from flows where flow is not null and number < ${FLOWS_PER_ROUND}
      )`;
  const due = sql`${flows}, moved as (
        update partitions set promoted_flow = (select flow from flows order by number desc limit 1) where key = ${partition}
      ), due as (
        select found.* from flows cross join lateral (
          select id, lane, flow, cost, scheduled_at, last_class, pass from deliveries d
          where d.partition = ${partition} and d.flow = flows.flow and ${IS_DUE}
          order by next_eligible_at limit ${PER_FLOW} for update skip locked
        ) found where flows.flow is not null
      )`;
  return (await rows(tx, placing(partition, due, sql`true`))).length;
}

const IS_DUE = sql`d.state in ('scheduled', 'deferred') and d.next_eligible_at <= ledger_now()
          and (d.kept_until is null or d.kept_until <= ledger_now())
          and (d.admitted_until is null or d.admitted_until <= ledger_now())`;

/** Makes the rows of `due` ready and gives each its pass. */
function placing(partition: string, due: SQL, crowded: SQL): SQL {
  return sql`with ${due}, behind as (
        select f.lane, f.flow, greatest(l.pass_floor, coalesce(
            (select max(r.pass) from deliveries r
              where r.partition = ${partition} and r.lane = f.lane and r.flow = f.flow and r.state = 'ready'),
            l.pass_floor)) as base
        from (select distinct lane, flow from due) f
        join lanes l on l.partition = ${partition} and l.lane = f.lane
      ), placed as (
        select due.id, coalesce(case when last_class in ('local_rate_limit', 'not_made') then due.pass end,
            behind.base + sum(due.cost) over (
              partition by due.lane, due.flow order by due.scheduled_at, due.id)) as pass
        from due join behind using (lane, flow)
      )
      update deliveries d set state = 'ready', pass = placed.pass, next_eligible_at = null, kept_by = null,
        kept_until = null, admission_id = null, admitted_until = null
      from placed where d.id = placed.id returning d.id, ${crowded} as crowded`;
}
