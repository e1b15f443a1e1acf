import { sql } from "drizzle-orm";
import { rows, transact } from "../connection";

/** What closes, slows or turns one partition, beside the ages of its lanes. */
export interface PartitionPulse {
  partition: string;
  circuit: "closed" | "open" | "half_open";
  circuitReason: string | null;
  pausedBy: string | null;
  pausedReason: string | null;
  pausedAtMs: number | null;
  pausedUntilMs: number | null;
  limitsUntilMs: number | null;
  headroom: number;
  /** Whether somebody looks after the partition: its pump has renewed its hold. */
  pumpLive: boolean;
  pumpUntilMs: number | null;
  lastCutAtMs: number | null;
  blockedUntilMs: number;
  /** Calls of the last minutes that were answered, and how many of them with 429. */
  calls: number;
  throttled: number;
  /** At most `DEAD_MAX`. */
  dead: number;
}

/** Something that operators were told, or will be, and that is still so. */
export interface OpenNotice {
  partition: string;
  kind: string;
  detail: string;
  openedAtMs: number;
  toldAtMs: number | null;
}

export interface Pulse {
  partitions: PartitionPulse[];
  notices: OpenNotice[];
  held: boolean;
  generation: string;
  lastSweepAgeMs: number | null;
}

/** The share of 429 is that of the last five minutes: long enough to mean something, short enough to be the present. */
export const SHARE_MS = 300_000;

/** Of a faster system the newest calls stand for the rest; each is one look at the ledger. */
const SHARE_CALLS_MAX = 5_000;

export const DEAD_MAX = 10_000;

/** The state of every partition apart from its queues. Bounded whatever the ledger holds. */
export async function readPulse(): Promise<Pulse> {
  return transact(async (tx) => {
    const partitions = await rows<PartitionPulse>(
      tx,
      sql`with answers as (
          select d.partition, count(*)::int as calls, count(*) filter (where a.class in ('throttled', 'quota'))::int as throttled
          from (select delivery_id, class from attempts
            where begun_at > ledger_now() - ${SHARE_MS} * interval '1 millisecond' and class is not null and class <> 'not_made'
            order by begun_at desc limit ${SHARE_CALLS_MAX}) a
          join deliveries d on d.id = a.delivery_id group by d.partition)
        select p.key as partition, p.circuit, p.circuit_reason as "circuitReason", p.paused_by as "pausedBy",
          p.paused_reason as "pausedReason", epoch_ms(p.paused_at) as "pausedAtMs", epoch_ms(p.paused_until) as "pausedUntilMs",
          epoch_ms(p.limits_until) as "limitsUntilMs", p.headroom,
          coalesce(p.pump_until > ledger_now(), false) as "pumpLive", epoch_ms(p.pump_until) as "pumpUntilMs",
          epoch_ms(m.last_cut_at) as "lastCutAtMs", epoch_ms(m.blocked_until) as "blockedUntilMs",
          coalesce(a.calls, 0) as calls, coalesce(a.throttled, 0) as throttled,
          (select count(*)::int from (select 1 from deliveries d where d.partition = p.key and d.state = 'dead' and d.dismissed_at is null limit ${DEAD_MAX}) c) as dead
        from partitions p join meters m on m.key = p.key left join answers a on a.partition = p.key order by p.key`,
    );
    const notices = await rows<OpenNotice>(
      tx,
      sql`select partition, kind, detail, epoch_ms(opened_at) as "openedAtMs", epoch_ms(told_at) as "toldAtMs"
        from operator_notices where closed_at is null order by opened_at desc limit 20`,
    );
    const [state] = await rows<{ held: boolean; generation: string; lastSweepAgeMs: number | null }>(
      tx,
      sql`select s.mode <> 'sending' as held, s.generation,
          epoch_ms(ledger_now()) - epoch_ms((select max(started_at) from sweeps)) as "lastSweepAgeMs"
        from ledger_state s`,
    );
    return {
      partitions,
      notices,
      held: state?.held ?? false,
      generation: state?.generation ?? "",
      lastSweepAgeMs: state?.lastSweepAgeMs ?? null,
    };
  });
}

/** The keys of all partitions, for choices. */
export async function readPartitionKeys(): Promise<string[]> {
  const found = await transact((tx) =>
    rows<{ key: string }>(tx, sql`select key from partitions order by key limit 200`),
  );
  return found.map(({ key }) => key);
}
