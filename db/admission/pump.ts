import { type SQL, sql } from "drizzle-orm";
import { alone, at, ledgerNowMs, rows, type Transaction, transact } from "../connection";
import { EARLY_MS } from "./admit";
import { closedBy, readPartition } from "./partitions";

/**
 * The heartbeat of a partition, owned in the ledger: a sleeping run holds no engine slot, so the engine cannot make it
 * single; the partition row's `pump_generation` does. A run whose generation is not the row's ends.
 */
export interface Ring {
  partition: string;
  generation: number;
}

/** A pump that has not renewed for this long after its wake-up is taken for dead, and the sweep rings a new one. */
const PUMP_GRACE_MS = 30_000;

/** While work moves the pump looks each second: a settled parcel refills the window by itself, this is the net. */
const BUSY_TICK_MS = 1_000;

/** However far away the next eligible time is, a pump looks once a minute. */
const IDLE_TICK_MS = 60_000;

/**
 * Whether one of a partition's rows is in a state, asked through that state's own index: the order is the index's, so
 * that no plan looks for the first one by reading the table from its front, where the oldest rows have long ended.
 */
function oneOf(partition: SQL, states: SQL, order: SQL): SQL {
  return sql`coalesce((select true from deliveries d where d.partition = ${partition} and d.state ${states}
    order by ${order} limit 1), false)`;
}

const hasReady = (partition: SQL) => oneOf(partition, sql`= 'ready'`, sql`d.lane, d.pass, d.id`);
const hasSending = (partition: SQL) => oneOf(partition, sql`= 'sending'`, sql`d.lease_until`);
const hasWaiting = (partition: SQL) =>
  oneOf(partition, sql`in ('scheduled', 'deferred')`, sql`d.next_eligible_at`);

const HAS_LIVE_ROWS = sql`(${hasReady(sql`p.key`)} or ${hasSending(sql`p.key`)} or ${hasWaiting(sql`p.key`)})`;

/** Renews the pump's hold; false when another generation has taken over and this run must end. */
export async function renewPump(ring: Ring): Promise<boolean> {
  const held = await alone(
    sql`update partitions set pump_until = ledger_now() + ${PUMP_GRACE_MS} * interval '1 millisecond'
      where key = ${ring.partition} and pump_generation = ${ring.generation} returning key`,
  );
  return held.length > 0;
}

export type Rest = { rest: "superseded" } | { rest: "idle" } | { rest: "sleep"; ms: number };

/**
 * Decides how long the pump sleeps, and lets go of the partition when nothing is live any more: it bumps the generation,
 * so that the next ring has a new event id. The caller then looks once more (`ringIfLive`) in a new transaction: work
 * that committed in between is found there, or its producer rings with the new generation itself.
 */
export async function restPump(ring: Ring): Promise<Rest> {
  return transact(async (tx): Promise<Rest> => {
    const facts = await readPartition(tx, ring.partition, { lock: true });
    if (facts === null || facts.pumpGeneration !== ring.generation) return { rest: "superseded" };
    const nowMs = await ledgerNowMs(tx);
    const work = await readWork(tx, ring.partition);
    if (!work.busy && work.nextMs === null) {
      await rows(
        tx,
        sql`update partitions set pump_generation = pump_generation + 1, pump_until = null where key = ${ring.partition}`,
      );
      return { rest: "idle" };
    }
    const gate = closedBy(facts, nowMs);
    const wakeAtMs = gate !== null ? gate.untilMs : work.busy ? nowMs + BUSY_TICK_MS : work.nextMs;
    const ms = Math.min(IDLE_TICK_MS, Math.max(BUSY_TICK_MS, (wakeAtMs ?? Number.POSITIVE_INFINITY) - nowMs));
    await rows(
      tx,
      sql`update partitions set pump_until = ${at(nowMs + ms + PUMP_GRACE_MS)} where key = ${ring.partition}`,
    );
    return { rest: "sleep", ms: Math.ceil(ms) };
  });
}

async function readWork(
  tx: Transaction,
  partition: string,
): Promise<{ busy: boolean; nextMs: number | null }> {
  const [row] = await rows<{ busy: boolean; nextMs: number | null }>(
    tx,
    sql`select ${hasReady(sql`${partition}`)} or ${hasSending(sql`${partition}`)} as busy,
        (select epoch_ms(d.next_eligible_at) from deliveries d
          where d.partition = ${partition} and d.state in ('scheduled', 'deferred')
          order by d.next_eligible_at limit 1) as "nextMs"`,
  );
  return row ?? { busy: false, nextMs: null };
}

/** Starts a new generation of a pump that is still needed; the run of the old one ends at its next tick. */
export async function handOverPump(ring: Ring): Promise<Ring | null> {
  const [row] = await alone<{ generation: number }>(
    sql`update partitions set pump_generation = pump_generation + 1,
        pump_until = ledger_now() + ${PUMP_GRACE_MS} * interval '1 millisecond'
      where key = ${ring.partition} and pump_generation = ${ring.generation}
      returning pump_generation::int as generation`,
  );
  return row === undefined ? null : { partition: ring.partition, generation: row.generation };
}

/**
 * The ring that a producer owes after its own commit: the present generation of a partition that has live rows and no
 * pump. Null when a pump is alive, or nothing waits.
 */
export async function ringIfLive(partition: string): Promise<Ring | null> {
  const [row] = await alone<{ generation: number }>(
    sql`select p.pump_generation::int as generation from partitions p
      where p.key = ${partition} and (p.pump_until is null or p.pump_until <= ledger_now()) and ${HAS_LIVE_ROWS}`,
  );
  return row === undefined ? null : { partition, generation: row.generation };
}

/** What a partition needs from whoever has just committed something in it. */
export interface Needs {
  /** Something waits that an admission could let go, promote or end. */
  admission: boolean;
  /** The pump to ring: live rows, and no pump. */
  ring: Ring | null;
}

/**
 * Looks at a partition in one statement, without a lock: after most settlements under light load nothing waits, and an
 * admission would take the partition's lock to find that out. What commits after the look is its own producer's to see.
 */
export async function lookAt(partition: string): Promise<Needs> {
  const free = sql`(d.admitted_until is null or d.admitted_until <= ledger_now())`;
  const [row] = await alone<{ admission: boolean; ringGeneration: number | null }>(
    sql`select
        coalesce((select true from deliveries d where d.partition = p.key and d.state = 'ready' and ${free}
          order by d.lane, d.pass, d.id limit 1), false)
        or coalesce((select true from deliveries d where d.partition = p.key and d.state in ('scheduled', 'deferred')
          and d.next_eligible_at <= ledger_now() + ${EARLY_MS} * interval '1 millisecond' and ${free}
          order by d.next_eligible_at limit 1), false)
        or coalesce((select true from deliveries d where d.partition = p.key and d.state in ('scheduled', 'ready', 'deferred')
          and d.expires_at <= ledger_now() order by d.expires_at limit 1), false) as admission,
        case when (p.pump_until is null or p.pump_until <= ledger_now()) and ${HAS_LIVE_ROWS}
          then p.pump_generation::int end as "ringGeneration"
      from partitions p where p.key = ${partition}`,
  );
  const generation = row?.ringGeneration ?? null;
  return {
    admission: row?.admission ?? false,
    ring: generation === null ? null : { partition, generation },
  };
}

/**
 * Bumps every partition that has live rows and no living pump, and says whom to ring (P5). `all` also bumps living
 * ones: at process start their runs may belong to an engine that has forgotten them.
 */
export async function bumpSilentPumps(options: { all: boolean }): Promise<Ring[]> {
  return transact(async (tx) => {
    // Locked in key order, in a statement of its own: two sweeps that meet wait for each other in one direction only.
    const silent = await rows<{ key: string }>(
      tx,
      sql`select p.key from partitions p
        where ${options.all ? sql`true` : sql`(p.pump_until is null or p.pump_until <= ledger_now())`} and ${HAS_LIVE_ROWS}
        order by p.key for no key update`,
    );
    if (silent.length === 0) return [];
    return rows<Ring>(
      tx,
      sql`update partitions p set pump_generation = pump_generation + 1,
          pump_until = ledger_now() + ${PUMP_GRACE_MS} * interval '1 millisecond'
        from jsonb_to_recordset(${JSON.stringify(silent)}::jsonb) as w(key text) where p.key = w.key
        returning p.key as partition, pump_generation::int as generation`,
    );
  });
}
