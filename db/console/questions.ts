import { type SQL, sql } from "drizzle-orm";
import { at, ledgerNowMs, rows, type Transaction, transact } from "../connection";
import type { Channel, Lane } from "../rules/outcome";
import { type Refused, readRefused } from "./refusals";

/** The first question: how old is the oldest ready delivery of a partition and lane, and the oldest overdue one? */
export interface QueueAge {
  partition: string;
  channel: Channel;
  lane: Lane;
  /** Ready now. Stops at `COUNT_MAX`. */
  ready: number;
  /** Waiting for a time of theirs: scheduled or deferred. Stops at `COUNT_MAX`. */
  waiting: number;
  sending: number;
  oldestReadyMs: number | null;
  /** Late against its own due time, deferrals included. */
  oldestOverdueMs: number | null;
  /** Ages of what is ready now, by due time; null when nothing is ready. */
  ageP50Ms: number | null;
  ageP99Ms: number | null;
  /** What the lane's ready work costs at the present rate: how long until it is gone, if nothing comes. */
  drainMs: number | null;
}

/** The second question: what share of what was attempted was delayed, and by whom? */
export interface Delays {
  channel: Channel;
  lane: Lane;
  /** Deliveries with an attempt in the window. */
  attempted: number;
  /** Of these: admitted over a second after they became eligible. */
  byAdmission: number;
  /** Of these: any attempt was answered with 429. */
  byThrottling: number;
  /** Calls begun in the window, and of these answered with 429. */
  attempts: number;
  throttled: number;
  accepted: number;
  /** Ended dead in the window. */
  died: number;
  /** From due to accepted, of what was accepted in the window; quiet hours do not count as lateness. */
  dueToAcceptedP50Ms: number | null;
  dueToAcceptedP99Ms: number | null;
  /** From due to the first call, of first calls begun in the window. */
  waitP50Ms: number | null;
  waitP99Ms: number | null;
}

/** The third question: how many are dead, by reason? */
export interface DeadCount {
  partition: string;
  reason: string;
  count: number;
}

/** The answers to the operators' four questions, read in one transaction. */
export interface Answers {
  atMs: number;
  sinceMs: number;
  queues: QueueAge[];
  delays: Delays[];
  dead: DeadCount[];
  /** The fourth: how often did the ledger refuse a claim, by reason? */
  refused: Refused[];
}

/** Beyond this an operator reads "100000 or more"; counting on would scan what nobody reads. */
export const COUNT_MAX = 100_000;

/** Local admission counts as a delay from here: a second is the busy pump's own tick. */
const ADMISSION_DELAY_MS = 1_000;

/**
 * The operators' four questions, answered from the ledger (DESIGN 8). Metrics, `ops` and the console read this one
 * function, so that their numbers are equal. `windowMs` bounds what is looked at of the past.
 */
export async function readAnswers(windowMs: number): Promise<Answers> {
  return transact(async (tx) => {
    const atMs = await ledgerNowMs(tx);
    const sinceMs = atMs - windowMs;
    return {
      atMs,
      sinceMs,
      queues: await readQueues(tx),
      delays: await readDelays(tx, sinceMs),
      dead: await readDead(tx),
      refused: await readRefused(tx, at(sinceMs)),
    };
  });
}

/** What the ledger holds now, per partition and lane. */
export function readQueues(tx: Transaction): Promise<QueueAge[]> {
  return rows<QueueAge>(
    tx,
    sql`select l.partition, p.channel, l.lane, r.ready, w.waiting, s.sending, r."oldestReadyMs",
        nullif(greatest(coalesce(r."oldestReadyMs", 0), coalesce(w."oldestWaitingMs", 0)), 0) as "oldestOverdueMs",
        r."ageP50Ms", r."ageP99Ms",
        case when r.cost > 0 and m.rate > 0 then r.cost / least(m.rate, greatest(p.ceiling, 0.001)) * 1000 end as "drainMs"
      from lanes l join partitions p on p.key = l.partition join meters m on m.key = l.partition,
      lateral (
        select count(*)::int as ready, max(age) as "oldestReadyMs", sum(cost)::float8 as cost,
          percentile_cont(0.5) within group (order by age) as "ageP50Ms",
          percentile_cont(0.99) within group (order by age) as "ageP99Ms"
        from (select greatest(0, epoch_ms(ledger_now()) - epoch_ms(d.scheduled_at)) as age, d.cost from deliveries d
          where d.partition = l.partition and d.lane = l.lane and d.state = 'ready' limit ${COUNT_MAX}) a
      ) r, lateral (
        select count(*)::int as waiting,
          max(epoch_ms(ledger_now()) - epoch_ms(d.scheduled_at)) filter (where d.scheduled_at <= ledger_now()) as "oldestWaitingMs"
        from (select d.scheduled_at from deliveries d where d.partition = l.partition and d.lane = l.lane
          and d.state in ('scheduled', 'deferred') limit ${COUNT_MAX}) d
      ) w, lateral (
        select count(*)::int as sending from deliveries d
        where d.partition = l.partition and d.lane = l.lane and d.state = 'sending'
      ) s
      order by l.partition, array_position(array['urgent', 'standard', 'bulk', 'redrive'], l.lane)`,
  );
}

/** True for a delivery whose due time lay in its subscriber's quiet hours: it was held on purpose. */
const HELD_BY_QUIET_HOURS = sql`(d.lane <> 'urgent' and q.quiet_from is not null and case
    when q.quiet_from < q.quiet_until then due.wall >= q.quiet_from and due.wall < q.quiet_until
    else due.wall >= q.quiet_from or due.wall < q.quiet_until end)`;

const WITH_QUIET_HOURS = sql`join subscribers q on q.id = d.subscriber_id
  cross join lateral (select to_char(d.scheduled_at at time zone q.time_zone, 'HH24:MI') as wall) due`;

/** What was tried and what ended since then, per channel and lane. */
export async function readDelays(tx: Transaction, sinceMs: number): Promise<Delays[]> {
  const since = at(sinceMs);
  return rows<Delays>(
    tx,
    sql`with called as (${callsSince(since)}), died as (
        select d.channel, d.lane, count(*)::int as died from deliveries d
        where d.state = 'dead' and d.finished_at >= ${since} group by d.channel, d.lane
      ), late as (
        select d.channel, d.lane, count(*)::int as accepted,
          percentile_cont(0.5) within group (order by lateness.ms) as p50,
          percentile_cont(0.99) within group (order by lateness.ms) as p99
        from deliveries d ${WITH_QUIET_HOURS}
        cross join lateral (select case when not ${HELD_BY_QUIET_HOURS}
          then greatest(0, epoch_ms(d.finished_at) - epoch_ms(greatest(d.scheduled_at, d.created_at))) end as ms) lateness
        where d.state = 'delivered' and d.finished_at >= ${since} group by d.channel, d.lane
      )
      select s.channel, s.lane, coalesce(called.attempted, 0) as attempted, coalesce(called.by_admission, 0) as "byAdmission",
        coalesce(called.by_throttling, 0) as "byThrottling", coalesce(called.attempts, 0) as attempts,
        coalesce(called.throttled, 0) as throttled, coalesce(late.accepted, 0) as accepted, coalesce(died.died, 0) as died,
        late.p50 as "dueToAcceptedP50Ms", late.p99 as "dueToAcceptedP99Ms", called.p50 as "waitP50Ms", called.p99 as "waitP99Ms"
      from slos s left join called using (channel, lane) left join died using (channel, lane) left join late using (channel, lane)
      order by s.channel, array_position(array['urgent', 'standard', 'bulk', 'redrive'], s.lane)`,
  );
}

function callsSince(since: SQL): SQL {
  return sql`select d.channel, d.lane, count(distinct d.id)::int as attempted,
      count(distinct d.id) filter (where not held.quiet
        and least(d.admitted_at, d.first_attempt_at) > greatest(d.scheduled_at, d.created_at) + ${ADMISSION_DELAY_MS} * interval '1 millisecond')::int as by_admission,
      count(distinct d.id) filter (where d.throttle_count > 0)::int as by_throttling,
      count(*)::int as attempts, count(*) filter (where a.class in ('throttled', 'quota'))::int as throttled,
      percentile_cont(0.5) within group (order by waited.ms) as p50,
      percentile_cont(0.99) within group (order by waited.ms) as p99
    from attempts a join deliveries d on d.id = a.delivery_id ${WITH_QUIET_HOURS}
    cross join lateral (select ${HELD_BY_QUIET_HOURS} as quiet) held
    cross join lateral (select case when a.number = 1 and not held.quiet
      then greatest(0, epoch_ms(a.begun_at) - epoch_ms(greatest(d.scheduled_at, d.created_at))) end as ms) waited
    where a.begun_at >= ${since} and a.class is distinct from 'not_made' group by d.channel, d.lane`;
}

/** What is dead now and not dismissed. */
export function readDead(tx: Transaction): Promise<DeadCount[]> {
  return rows<DeadCount>(
    tx,
    sql`select d.partition, d.reason, count(*)::int as count from deliveries d
      where d.state = 'dead' and d.dismissed_at is null group by d.partition, d.reason order by d.partition, d.reason`,
  );
}
