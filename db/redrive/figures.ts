import { type SQL, sql } from "drizzle-orm";
import { budgetsOf, closedBy, type PartitionFacts } from "../admission/partitions";
import { at, rows, type Transaction } from "../connection";
import { effectiveCeiling } from "../rules/meter";
import type { RedriveFigures } from "../rules/redrive-pace";

/** Rates are of the last minute: long enough to be steady, short enough to be the present. */
const WINDOW_SECONDS = 60;

/** An answer of the window may belong to a call that began a lease before it. */
const BEGUN_SECONDS = WINDOW_SECONDS + 40;

/** More live work than this is "much", and counting on would cost more than knowing it better is worth. */
const BACKLOG_MAX = 20_000;

/** What waits longest stands in front of its lane, or nearly: passes keep flows, not instants, in order. */
const OLDEST_AMONG = 1_000;

/** Work that was never tried and waits for its turn only: retries and holds have reasons of their own to be old. */
const FRESH = sql`d.lane <> 'redrive' and d.first_attempt_at is null
  and coalesce(d.last_class, '') not in ('quiet_hours', 'sms_hours', 'paused', 'not_before')`;

/**
 * What is observed in a partition beside a redrive. `sinceMs` is when the redrive's present stretch began: 429s of the
 * time before are the reason for its last pause and not for another one.
 */
export async function readFigures(
  tx: Transaction,
  partition: PartitionFacts,
  input: { nowMs: number; sinceMs: number },
): Promise<RedriveFigures> {
  const { nowMs, sinceMs } = input;
  const fromMs = nowMs - WINDOW_SECONDS * 1000;
  const [row] = await rows<{
    calls: number;
    throttled: number;
    accepted: number;
    arrivals: number;
    liveBacklog: number;
    oldestMs: number | null;
  }>(
    tx,
    sql`with answered as (
        select a.class, d.cost, a.settled_at from attempts a join deliveries d on d.id = a.delivery_id
        where a.begun_at >= ${at(nowMs - BEGUN_SECONDS * 1000)} and d.partition = ${partition.key}
          and a.settled_at >= ${at(fromMs)} and a.class not in ('not_made', 'crashed')
      ), ready as (${readingReady(partition.key)})
      select (select count(*)::int from answered where settled_at >= ${at(sinceMs)}) as calls,
        (select count(*)::int from answered where settled_at >= ${at(sinceMs)} and class in ('throttled', 'quota')) as throttled,
        (select coalesce(sum(cost), 0)::float8 from answered where class = 'accepted') as accepted,
        (select coalesce(sum(d.cost), 0)::float8 from attempts a join deliveries d on d.id = a.delivery_id
          where a.begun_at >= ${at(fromMs)} and a.number = 1 and d.partition = ${partition.key} and d.lane <> 'redrive'
            and d.scheduled_at >= ${at(fromMs)})
          + (select coalesce(sum(cost), 0)::float8 from ready where scheduled_at >= ${at(fromMs)}) as arrivals,
        (select coalesce(sum(cost), 0)::float8 from ready) as "liveBacklog",
        (select epoch_ms(min(o.scheduled_at)) from (${readingOldest(partition.key)}) o) as "oldestMs"`,
  );
  const oldestMs = row?.oldestMs ?? null;
  return {
    nowMs,
    gate: closedBy(partition, nowMs),
    rate: Math.min(
      ...budgetsOf(partition).flatMap(({ meter, limits }) => [meter.rate, effectiveCeiling(meter, limits)]),
    ),
    calls: row?.calls ?? 0,
    throttled: row?.throttled ?? 0,
    acceptedPerSecond: (row?.accepted ?? 0) / WINDOW_SECONDS,
    arrivalsPerSecond: (row?.arrivals ?? 0) / WINDOW_SECONDS,
    liveBacklog: row?.liveBacklog ?? 0,
    liveAgeMs: oldestMs === null ? null : Math.max(0, nowMs - oldestMs),
  };
}

function readingReady(partition: string): SQL {
  return sql`select d.cost, d.scheduled_at from deliveries d
    where d.partition = ${partition} and d.state = 'ready' and ${FRESH} limit ${BACKLOG_MAX}`;
}

function readingOldest(partition: string): SQL {
  return sql`select l.scheduled_at from unnest(array['urgent', 'standard', 'bulk']) as lanes(lane), lateral (
      select d.scheduled_at from deliveries d
      where d.partition = ${partition} and d.lane = lanes.lane and d.state = 'ready' and ${FRESH}
      order by d.pass, d.id limit ${OLDEST_AMONG}) l
    union all
    (select d.scheduled_at from deliveries d
      where d.partition = ${partition} and d.state in ('scheduled', 'deferred') and d.next_eligible_at <= ledger_now() and ${FRESH}
      order by d.next_eligible_at limit ${OLDEST_AMONG})`;
}
