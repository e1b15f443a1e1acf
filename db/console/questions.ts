import { type SQL, sql } from "drizzle-orm";
import { alone, at, ledgerNowMs, rows, type Transaction, transact } from "../connection";
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
  /**
   * How long the oldest that is past its time waits to become ready: a moment, or on a partition that is paused or closed
   * as long as that lasts.
   */
  heldBackMs: number | null;
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
  /** Since when the past is looked at: the window that was asked for, or shorter when it holds over `CALLS_MAX` calls. */
  sinceMs: number;
  queues: QueueAge[];
  delays: Delays[];
  dead: DeadCount[];
  /** The fourth: how often did the ledger refuse a claim, by reason? */
  refused: Refused[];
}

/** Beyond this an operator reads "100000 or more"; counting on would scan what nobody reads. */
export const COUNT_MAX = 100_000;

/**
 * A window holds so many calls at most: of a faster system the newest speak for it (100 s at 100/s). Each costs two looks
 * at the ledger; of a lane with half of the work, fifty of them still stand above the 99th percentile.
 */
export const CALLS_MAX = 10_000;

/** Of a partition's rows that are past their time, so many are looked at for the oldest of each lane. */
const HELD_BACK_MAX = 1_000;

/** Local admission counts as a delay from here: a second is the busy pump's own tick. */
const ADMISSION_DELAY_MS = 1_000;

/**
 * The operators' four questions, answered from the ledger (DESIGN 8). Metrics, `ops` and the console read this one
 * function, so that their numbers are equal. `windowMs` bounds what is looked at of the past, `CALLS_MAX` and `COUNT_MAX`
 * what is looked at altogether.
 */
export function readAnswers(windowMs: number): Promise<Answers> {
  return transact((tx) => answersIn(tx, windowMs));
}

/** The same inside a transaction. */
export async function answersIn(tx: Transaction, windowMs: number): Promise<Answers> {
  const atMs = await ledgerNowMs(tx);
  const sinceMs = Math.max(atMs - windowMs, await newestCallsSinceMs(tx, atMs - windowMs));
  return {
    atMs,
    sinceMs,
    queues: await readQueues(tx),
    delays: await readDelays(tx, sinceMs),
    dead: await readDead(tx),
    refused: await readRefused(tx, at(sinceMs)),
  };
}

/** When the newest `CALLS_MAX` calls since then began; `sinceMs` itself when there are fewer. */
async function newestCallsSinceMs(tx: Transaction, sinceMs: number): Promise<number> {
  const [row] = await rows<{ ms: number }>(
    tx,
    sql`select epoch_ms(begun_at) as ms from attempts where begun_at >= ${at(sinceMs)}
      order by begun_at desc offset ${CALLS_MAX} limit 1`,
  );
  return row?.ms ?? sinceMs;
}

/** What the ledger holds now, per partition and lane: by the index on just what is live. */
function readQueues(tx: Transaction): Promise<QueueAge[]> {
  const ofLane = (state: SQL) =>
    sql`from deliveries d where d.partition = l.partition and d.lane = l.lane and d.state = ${state}`;
  const counted = (state: SQL) =>
    sql`(select count(*)::int as count, sum(cost)::float8 as cost, min(scheduled_at) as oldest
      from (select d.cost, d.scheduled_at ${ofLane(state)} order by d.scheduled_at limit ${COUNT_MAX}) c)`;
  // The age is computed of the one row, not of those that are passed over.
  const ageAtShare = (share: number) =>
    sql`(select ${ageOf(sql`a.scheduled_at`)} from (select d.scheduled_at ${ofLane(sql`'ready'`)} order by d.scheduled_at
      offset floor((r.count - 1) * ${share}::float8)::int limit 1) a)`;
  return rows<QueueAge>(
    tx,
    sql`with held as (
        select k.key as partition, d.lane, min(d.next_eligible_at) as oldest from partitions k cross join lateral (
          select d.lane, d.next_eligible_at from deliveries d
          where d.partition = k.key and d.state in ('scheduled', 'deferred') and d.next_eligible_at <= ledger_now()
          order by d.next_eligible_at limit ${HELD_BACK_MAX}) d
        group by k.key, d.lane
      )
      select l.partition, p.channel, l.lane, r.count as ready, s.count + w.count as waiting,
        (select count(*)::int ${ofLane(sql`'sending'`)}) as sending,
        ${ageOf(sql`r.oldest`)} as "oldestReadyMs",
        nullif(${ageOf(sql`least(r.oldest, s.oldest, w.oldest)`)}, 0) as "oldestOverdueMs",
        case when r.count > 0 then ${ageAtShare(0.5)} end as "ageP50Ms",
        case when r.count > 0 then ${ageAtShare(0.01)} end as "ageP99Ms",
        ${ageOf(sql`h.oldest`)} as "heldBackMs",
        case when r.cost > 0 and m.rate > 0 then r.cost / least(m.rate, greatest(p.ceiling, 0.001)) * 1000 end as "drainMs"
      from lanes l join partitions p on p.key = l.partition join meters m on m.key = l.partition
        cross join lateral ${counted(sql`'ready'`)} r cross join lateral ${counted(sql`'scheduled'`)} s
        cross join lateral ${counted(sql`'deferred'`)} w
        left join held h on h.partition = l.partition and h.lane = l.lane
      order by l.partition, array_position(array['urgent', 'standard', 'bulk', 'redrive'], l.lane)`,
  );
}

/** How long ago an instant was, in milliseconds; 0 when it is still to come. */
function ageOf(instant: SQL): SQL {
  return sql`case when ${instant} is not null then greatest(0, epoch_ms(ledger_now()) - epoch_ms(${instant})) end`;
}

/** The subscriber's quiet hours, where it has any and the lane heeds them. */
const WITH_QUIET_HOURS = sql`left join subscribers q on q.id = d.subscriber_id and q.quiet_from is not null and d.lane <> 'urgent'
  cross join lateral (select case when q.id is not null then to_char(d.scheduled_at at time zone q.time_zone, 'HH24:MI') end as wall) due`;

/** True for a delivery whose due time lay in its subscriber's quiet hours: it was held on purpose. */
const HELD_BY_QUIET_HOURS = sql`(q.id is not null and case
    when q.quiet_from < q.quiet_until then due.wall >= q.quiet_from and due.wall < q.quiet_until
    else due.wall >= q.quiet_from or due.wall < q.quiet_until end)`;

/** The 50th and the 99th percentile of an interval: sorted once, and as it is stored. */
const percentiles = (interval: SQL) =>
  sql`percentile_cont(array[0.5, 0.99]::float8[]) within group (order by ${interval})`;

const toMs = (interval: SQL) =>
  sql`case when ${interval} is not null then greatest(0, extract(epoch from ${interval}) * 1000)::float8 end`;

/** What was tried and what ended since then, per channel and lane. */
async function readDelays(tx: Transaction, sinceMs: number): Promise<Delays[]> {
  const since = at(sinceMs);
  return rows<Delays>(
    tx,
    sql`with called as (${callsSince(since)}), ended as (${endingsSince(since)}), late as (
        select d.channel, d.lane,
          ${percentiles(sql`case when not ${HELD_BY_QUIET_HOURS} then d.finished_at - greatest(d.scheduled_at, d.created_at) end`)} as p
        from deliveries d ${WITH_QUIET_HOURS}
        where d.state = 'delivered' and d.finished_at >= ${since} group by d.channel, d.lane
      )
      select s.channel, s.lane, coalesce(called.attempted, 0) as attempted, coalesce(called.by_admission, 0) as "byAdmission",
        coalesce(called.by_throttling, 0) as "byThrottling", coalesce(called.attempts, 0) as attempts,
        coalesce(called.throttled, 0) as throttled, coalesce(ended.accepted, 0) as accepted, coalesce(ended.died, 0) as died,
        ${toMs(sql`late.p[1]`)} as "dueToAcceptedP50Ms", ${toMs(sql`late.p[2]`)} as "dueToAcceptedP99Ms",
        ${toMs(sql`called.p[1]`)} as "waitP50Ms", ${toMs(sql`called.p[2]`)} as "waitP99Ms"
      from slos s left join called using (channel, lane) left join ended using (channel, lane) left join late using (channel, lane)
      order by s.channel, array_position(array['urgent', 'standard', 'bulk', 'redrive'], s.lane)`,
  );
}

function callsSince(since: SQL): SQL {
  return sql`with made as (
      select delivery_id, count(*) as attempts, count(*) filter (where class in ('throttled', 'quota')) as throttled,
        min(begun_at) filter (where number = 1) as first_at
      from attempts where begun_at >= ${since} and class is distinct from 'not_made' group by delivery_id
    )
    select d.channel, d.lane, count(*)::int as attempted,
      count(*) filter (where not held.quiet
        and least(d.admitted_at, d.first_attempt_at) > greatest(d.scheduled_at, d.created_at) + ${ADMISSION_DELAY_MS} * interval '1 millisecond')::int as by_admission,
      count(*) filter (where d.throttle_count > 0)::int as by_throttling,
      sum(c.attempts)::int as attempts, sum(c.throttled)::int as throttled,
      ${percentiles(sql`case when not held.quiet then c.first_at - greatest(d.scheduled_at, d.created_at) end`)} as p
    from made c
    -- offset 0: one look by id for each, never a pass over the whole ledger
    cross join lateral (select * from deliveries where id = c.delivery_id offset 0) d ${WITH_QUIET_HOURS}
    cross join lateral (select ${HELD_BY_QUIET_HOURS} as quiet) held
    group by d.channel, d.lane`;
}

/** Counted by their index alone: exact over any window. */
function endingsSince(since: SQL): SQL {
  return sql`select d.channel, d.lane, count(*) filter (where d.state = 'delivered')::int as accepted,
      count(*) filter (where d.state = 'dead')::int as died
    from deliveries d where d.state in ('delivered', 'dead') and d.finished_at >= ${since} group by d.channel, d.lane`;
}

/** What ended in a window: all that a burn rate needs of it. */
export interface Endings {
  channel: Channel;
  lane: Lane;
  accepted: number;
  died: number;
}

/** What was accepted and what died in the last `windowMs`, per channel and lane; lanes in which nothing ended are left out. */
export function readEndings(windowMs: number): Promise<Endings[]> {
  return alone<Endings>(endingsSince(sql`ledger_now() - ${windowMs} * interval '1 millisecond'`));
}

/** What is dead now and not dismissed. */
function readDead(tx: Transaction): Promise<DeadCount[]> {
  return rows<DeadCount>(
    tx,
    sql`select d.partition, d.reason, count(*)::int as count from deliveries d
      where d.state = 'dead' and d.dismissed_at is null group by d.partition, d.reason order by d.partition, d.reason`,
  );
}
