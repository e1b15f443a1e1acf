import { sql } from "drizzle-orm";
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
 * `COUNT_MAX` per lane and state, so that the question stays cheap under a million waiting rows.
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
      sql`select l.partition, p.channel, l.lane, l.weight,
          (select count(*)::int from (select 1 from deliveries d where d.partition = l.partition and d.lane = l.lane
            and d.state = 'ready' limit ${COUNT_MAX}) c) as ready,
          (select count(*)::int from (select 1 from deliveries d where d.partition = l.partition and d.lane = l.lane
            and d.state in ('scheduled', 'deferred') limit ${COUNT_MAX}) c) as waiting,
          (select count(*)::int from deliveries d where d.partition = l.partition and d.lane = l.lane
            and d.state = 'sending') as sending,
          (select epoch_ms(ledger_now()) - epoch_ms(min(d.scheduled_at)) from deliveries d
            where d.partition = l.partition and d.lane = l.lane and d.state = 'ready') as "oldestReadyMs",
          (select greatest(0, epoch_ms(ledger_now()) - epoch_ms(min(d.scheduled_at))) from deliveries d
            where d.partition = l.partition and d.lane = l.lane and d.state in ('scheduled', 'ready', 'deferred')
              and d.scheduled_at <= ledger_now()) as "oldestOverdueMs"
        from lanes l join partitions p on p.key = l.partition
        order by l.partition, array_position(array['urgent', 'standard', 'bulk', 'redrive'], l.lane)`,
    );
    return partitions.map((row) => ({
      ...row,
      lanes: lanes.filter((lane) => lane.partition === row.partition),
    }));
  });
}

/** Beyond this an operator reads "100000 or more"; counting on would scan what nobody reads. */
const COUNT_MAX = 100_000;
