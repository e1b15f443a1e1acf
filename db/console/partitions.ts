import { type SQL, sql } from "drizzle-orm";
import { rows, transact } from "../connection";

/** A partition and lane as operators see it: one row of the health strip. */
export interface LaneHealth {
  partition: string;
  channel: string;
  lane: string;
  weight: number;
  ready: number;
  waiting: number;
  sending: number;
  /** Age of the oldest ready delivery, in milliseconds; null when none is ready. */
  oldestReadyMs: number | null;
  /** How long the most overdue delivery is late, deferrals included. */
  oldestOverdueMs: number | null;
}

export interface PartitionHealth {
  partition: string;
  channel: string;
  provider: string;
  ceiling: number;
  burst: number;
  concurrency: number;
  rate: number;
  observedCeiling: number | null;
  epoch: number;
  callMs: number;
  owner: number;
  /** Why nothing leaves, in words; null when it does. */
  closed: string | null;
  closedUntilMs: number | null;
  lanes: LaneHealth[];
}

/**
 * Every partition with its lanes, read from the ledger: the first of the operators' four questions. Counts stop at
 * `LANE_COUNT_MAX` per lane and state, so that the question stays cheap under a million waiting rows.
 */
export async function readPartitionHealth(): Promise<PartitionHealth[]> {
  return transact(async (tx) => {
    const partitions = await rows<Omit<PartitionHealth, "lanes">>(
      tx,
      sql`select p.key as partition, p.channel, p.provider, p.ceiling, p.burst, p.concurrency, m.rate, p.owner,
          m.observed_ceiling as "observedCeiling", m.epoch::int as epoch, m.call_ms as "callMs",
          case when s.mode <> 'sending' then 'held'
            when p.paused_at is not null and (p.paused_until is null or p.paused_until > ledger_now()) then 'paused by ' || p.paused_by || ': ' || coalesce(p.paused_reason, '')
            when p.ceiling <= 0 then 'rate 0'
            when p.circuit <> 'closed' then 'circuit ' || p.circuit || ': ' || coalesce(p.circuit_reason, '')
            when p.parked_until > ledger_now() then 'parked: quota'
            when m.blocked_until > ledger_now() then 'gate: 429' end as closed,
          epoch_ms(case when p.paused_at is not null and (p.paused_until is null or p.paused_until > ledger_now()) then p.paused_until
            when p.circuit <> 'closed' then p.circuit_probe_at
            when p.parked_until > ledger_now() then p.parked_until
            when m.blocked_until > ledger_now() then m.blocked_until end) as "closedUntilMs"
        from partitions p join meters m on m.key = p.key cross join ledger_state s order by p.key`,
    );
    const lanes = await rows<LaneHealth>(
      tx,
      sql`select l.partition, p.channel, l.lane, l.weight, r.count as ready, s.count + d.count as waiting,
          (select count(*)::int from deliveries o where o.partition = l.partition and o.lane = l.lane
            and o.state = 'sending') as sending,
          epoch_ms(ledger_now()) - r."oldestMs" as "oldestReadyMs",
          nullif(greatest(0, epoch_ms(ledger_now()) - least(r."oldestMs", s."oldestMs", d."oldestMs")), 0) as "oldestOverdueMs"
        from lanes l join partitions p on p.key = l.partition
          cross join lateral ${standing("ready")} r cross join lateral ${standing("scheduled")} s
          cross join lateral ${standing("deferred")} d
        order by l.partition, array_position(array['urgent', 'standard', 'bulk', 'redrive'], l.lane)`,
    );
    return partitions.map((row) => ({
      ...row,
      lanes: lanes.filter((lane) => lane.partition === row.partition),
    }));
  });
}

/** Beyond this an operator reads "10,000 or more"; counting on would scan what nobody reads. */
export const LANE_COUNT_MAX = 10_000;

/** How many of a lane are in a waiting state, and since when the oldest of them is due: by the index on just these. */
function standing(state: "ready" | "scheduled" | "deferred"): SQL {
  const ofLane = sql`d.partition = l.partition and d.lane = l.lane and d.state = ${state}`;
  return sql`(select (select count(*)::int from (select from deliveries d where ${ofLane} limit ${LANE_COUNT_MAX}) c) as count,
    (select epoch_ms(d.scheduled_at) from deliveries d where ${ofLane} order by d.scheduled_at limit 1) as "oldestMs")`;
}
