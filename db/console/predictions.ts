import { type SQL, sql } from "drizzle-orm";
import { type PartitionFacts, readPartition } from "../admission/partitions";
import { at, ledgerNowMs, rows, type Transaction, transact } from "../connection";
import { forecastDrainMs, laneShareOf } from "../rules/forecast";
import { effectiveCeiling } from "../rules/meter";
import { affectedBy, type LaneDegradation } from "../shipments/degradation";

/** Beyond this an operator reads "or more": the decision is the same, and counting on would cost what it protects. */
export const PREDICTED_MAX = 100_000;

/** What a pause would do, had it begun now. */
export interface PausePrediction {
  /** Deliveries of the partition that would have left before its end. */
  waiting: number;
  /** Reminders of the channel that come due before its end and are not in the ledger yet. */
  comingDue: number;
  /** How many of both are of no use any more at its end. */
  pastDeadline: number;
}

/**
 * Counts what a pause of `forMs` delays, and what it ends: null for a partition that does not exist. Without an end it
 * holds everything that waits, and everything that waits will pass its deadline.
 */
export async function predictPause(key: string, forMs: number | null): Promise<PausePrediction | null> {
  return transact(async (tx) => {
    const partition = await readPartition(tx, key);
    if (partition === null) return null;
    const untilMs = forMs === null ? null : (await ledgerNowMs(tx)) + forMs;
    const before = (column: SQL) => (untilMs === null ? sql`true` : sql`${column} < ${at(untilMs)}`);
    const ofKey = sql`select from deliveries d where d.partition = ${key}`;
    const coming =
      untilMs === null
        ? sql`false`
        : sql`o.state = 'waiting' and o.due_at < ${at(untilMs)} and ${partition.channel} = any(o.channels)`;
    // Each by its own index: what is ready, what becomes due, what expires.
    const ready = await countUpTo(tx, sql`${ofKey} and d.state = 'ready'`);
    const due = await countUpTo(
      tx,
      sql`${ofKey} and d.state in ('scheduled', 'deferred') and ${before(sql`d.next_eligible_at`)}`,
    );
    const late = await countUpTo(
      tx,
      sql`${ofKey} and d.state in ('scheduled', 'ready', 'deferred') and ${before(sql`d.expires_at`)}
        and (d.state = 'ready' or ${before(sql`d.next_eligible_at`)})`,
    );
    const comingDue = await countUpTo(tx, sql`select from occurrences o where ${coming}`);
    const comingLate = await countUpTo(
      tx,
      sql`select from occurrences o join reminders r on r.id = o.reminder_id
        where ${coming} and ${before(sql`o.due_at + r.expires_after_seconds * interval '1 second'`)}`,
    );
    return { waiting: ready + due, comingDue, pastDeadline: late + comingLate };
  });
}

/** How long the present backlog takes, and how many deliveries end before their turn. */
export interface DrainPrediction {
  perSecond: number;
  /** Milliseconds; null when it never drains. */
  drainMs: number | null;
  pastDeadline: number;
}

export interface LimitsPrediction {
  /** Deliveries that are due and have not left. */
  backlog: number;
  arrivalsPerSecond: number;
  now: DrainPrediction;
  after: DrainPrediction;
}

/** What the next minutes bring stands for what arrives: half a quarter of an hour, in which 09:00 is one minute. */
const ARRIVALS_MS = 450_000;

/** What another ceiling does to the backlog: null for a partition that does not exist. */
export async function predictCeiling(key: string, ceiling: number): Promise<LimitsPrediction | null> {
  return transact(async (tx) => {
    const partition = await readPartition(tx, key);
    if (partition === null) return null;
    const nowMs = await ledgerNowMs(tx);
    const [backlog] = await rows<{ count: number; cost: number }>(
      tx,
      sql`select count(*)::int as count, coalesce(sum(cost), 0)::float8 as cost from (
          select d.cost from deliveries d where d.partition = ${key} and d.state in ('scheduled', 'ready', 'deferred')
            and coalesce(d.next_eligible_at, d.scheduled_at) <= ${at(nowMs)} limit ${PREDICTED_MAX}) due`,
    );
    const [coming] = await rows<{ cost: number }>(
      tx,
      sql`select (select count(*) from (select from occurrences o where o.state = 'waiting'
            and o.due_at < ${at(nowMs + ARRIVALS_MS)} and ${partition.channel} = any(o.channels) limit ${PREDICTED_MAX}) o)::float8
        + (select count(*) from (select from deliveries d where d.partition = ${key} and d.state in ('scheduled', 'deferred')
            and d.next_eligible_at > ${at(nowMs)} and d.next_eligible_at < ${at(nowMs + ARRIVALS_MS)} limit ${PREDICTED_MAX}) d)::float8
        as cost`,
    );
    const arrivalsPerSecond = (coming?.cost ?? 0) / (ARRIVALS_MS / 1000);
    const cost = backlog?.cost ?? 0;
    const drain = (perSecond: number) =>
      predictDrain(tx, { partition, nowMs, cost, perSecond, arrivalsPerSecond });
    const proposed = { ...partition, ceiling };
    return {
      backlog: backlog?.count ?? 0,
      arrivalsPerSecond,
      now: await drain(effectiveCeiling(partition.meter, partition)),
      after: await drain(effectiveCeiling(partition.meter, proposed)),
    };
  });
}

async function predictDrain(
  tx: Transaction,
  input: {
    partition: PartitionFacts;
    nowMs: number;
    cost: number;
    perSecond: number;
    arrivalsPerSecond: number;
  },
): Promise<DrainPrediction> {
  const { partition, nowMs, cost, perSecond, arrivalsPerSecond } = input;
  const drainMs = forecastDrainMs({ backlogCost: cost, addedCost: 0, perSecond, arrivalsPerSecond });
  const endMs = drainMs === null ? null : nowMs + drainMs;
  const pastDeadline = await countUpTo(
    tx,
    sql`select from deliveries d where d.partition = ${partition.key} and d.state in ('scheduled', 'ready', 'deferred')
      and coalesce(d.next_eligible_at, d.scheduled_at) <= ${at(nowMs)}
      and ${endMs === null ? sql`true` : sql`d.expires_at < ${at(endMs)}`}`,
  );
  return { perSecond, drainMs, pastDeadline };
}

/** A lane's share of the rate beside the lanes that have work, now and after the change. */
export interface LaneSharePrediction {
  lane: string;
  busy: boolean;
  now: number;
  after: number;
}

/** What another weight of one lane does to every lane's share. */
export async function predictLaneShares(
  key: string,
  lane: string,
  weight: number,
): Promise<LaneSharePrediction[]> {
  return transact(async (tx) => {
    const present = await rows<{ lane: string; weight: number; busy: boolean }>(
      tx,
      sql`select l.lane, l.weight, exists (select from deliveries d where d.partition = l.partition and d.lane = l.lane
            and d.state = 'ready') as busy
        from lanes l where l.partition = ${key}
        order by array_position(array['urgent', 'standard', 'bulk', 'redrive'], l.lane)`,
    );
    const proposed = present.map((entry) => (entry.lane === lane ? { ...entry, weight } : entry));
    return present.map((entry) => ({
      lane: entry.lane,
      busy: entry.busy,
      now: laneShareOf(entry.lane, present),
      after: laneShareOf(entry.lane, proposed),
    }));
  });
}

/** The updates of a lane that wait, and how many of them a policy for overload would act on now. */
export function predictDegradation(
  policy: Omit<LaneDegradation, "untilMs">,
): Promise<{ waiting: number; affected: number }> {
  const { partition, lane } = policy;
  return transact(async (tx) => ({
    waiting: await countUpTo(
      tx,
      sql`select from deliveries d where d.partition = ${partition} and d.lane = ${lane}
        and d.state in ('scheduled', 'ready', 'deferred') and d.shipment_event_id is not null`,
    ),
    affected: await countUpTo(tx, sql`select from deliveries d where ${affectedBy(policy)}`),
  }));
}

async function countUpTo(tx: Transaction, query: SQL): Promise<number> {
  const [row] = await rows<{ count: number }>(
    tx,
    sql`select count(*)::int as count from (${query} limit ${PREDICTED_MAX}) counted`,
  );
  return row?.count ?? 0;
}
