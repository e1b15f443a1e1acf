import { type SQL, sql } from "drizzle-orm";
import { at, type Executor, rows, type Transaction } from "../connection";
import { LANE_WEIGHTS, LANES } from "../rules/fair-share";
import type { GateFacts } from "../rules/gate";
import type { Meter, MeterLimits } from "../rules/meter";
import type { Channel } from "../rules/outcome";

export interface PartitionDefaults {
  key: string;
  channel: Channel;
  provider: "resend" | "twilio" | "web-push";
  ceiling: number;
  burst: number;
  concurrency: number;
}

/** What a decision about a partition needs to know, read in one statement. */
export interface PartitionFacts extends GateFacts, MeterLimits {
  key: string;
  channel: Channel;
  owner: number;
  concurrency: number;
  /** Share of the rate that `bulk` and `redrive` leave to the others. */
  headroom: number;
  laneClock: number;
  pumpGeneration: number;
  pumpUntilMs: number | null;
  meter: Meter;
}

/** The process's ledger generation: a restored copy gets another one and is held by itself (DESIGN: restore). */
export function processGeneration(): string {
  return process.env.LEDGER_GENERATION ?? "g1";
}

/** Call time assumed before the first call is measured; sizes the first admission window only. */
const INITIAL_CALL_MS = 200;

/**
 * Makes sure that the partitions exist, with their meters and lanes. Existing ones keep what operators set. New ones are
 * inserted in key order: two openings that need the same ones wait for each other in one direction only.
 */
export async function ensurePartitions(tx: Executor, wanted: readonly PartitionDefaults[]): Promise<void> {
  if (wanted.length === 0) return;
  const given = JSON.stringify(wanted);
  const created = await rows<{ key: string }>(
    tx,
    sql`insert into partitions (key, channel, provider, ceiling, burst, concurrency, owner, circuit, lane_clock, pump_generation, created_at)
      select w.key, w.channel, w.provider, w.ceiling, w.burst, w.concurrency, 1, 'closed', 0, 1, ledger_now()
      from jsonb_to_recordset(${given}::jsonb) as w(key text, channel text, provider text, ceiling float8, burst float8, concurrency int)
      where not exists (select 1 from partitions p where p.key = w.key)
      order by w.key on conflict (key) do nothing returning key`,
  );
  if (created.length === 0) return;
  await rows(
    tx,
    sql`insert into meters (key, rate, ready_at, blocked_until, epoch, call_ms, urgent_ready_at)
      select w.key, greatest(w.ceiling, 0.5), ledger_now(), ledger_now(), 1, ${INITIAL_CALL_MS}, ledger_now()
      from jsonb_to_recordset(${given}::jsonb) as w(key text, ceiling float8) on conflict (key) do nothing`,
  );
  const lanes = JSON.stringify(LANES.map((lane) => ({ lane, weight: LANE_WEIGHTS[lane] })));
  await rows(
    tx,
    sql`insert into lanes (partition, lane, weight, virtual_time, pass_floor)
      select w.key, l.lane, l.weight, 0, 0
      from jsonb_to_recordset(${given}::jsonb) as w(key text), jsonb_to_recordset(${lanes}::jsonb) as l(lane text, weight float8)
      on conflict (partition, lane) do nothing`,
  );
}

/** A partition with its meter, as one row. */
export interface PartitionRow extends Omit<PartitionFacts, "meter" | "processGeneration">, Meter {}

/** The statement that takes the partition row FOR NO KEY UPDATE. */
export function lockingPartition(key: string): SQL {
  return sql`select key from partitions where key = ${key} for no key update`;
}

/** The statement that reads a partition with its meter and the ledger's state, for `toPartitionFacts`. */
export function readingPartition(key: string): SQL {
  return sql`select p.key, p.channel, p.ceiling, p.burst, p.concurrency, p.headroom, p.owner, p.lane_clock as "laneClock",
        p.circuit, epoch_ms(p.circuit_probe_at) as "circuitProbeAtMs", epoch_ms(p.parked_until) as "parkedUntilMs",
        epoch_ms(p.paused_at) as "pausedAtMs", epoch_ms(p.paused_until) as "pausedUntilMs",
        p.pump_generation::int as "pumpGeneration", epoch_ms(p.pump_until) as "pumpUntilMs",
        s.mode, s.generation as "ledgerGeneration",
        m.rate, epoch_ms(m.ready_at) as "readyAtMs", epoch_ms(m.blocked_until) as "blockedUntilMs", m.epoch::int as epoch,
        epoch_ms(m.last_cut_at) as "lastCutAtMs", m.observed_ceiling as "observedCeiling", m.call_ms as "callMs",
        m.calm_call_ms as "calmCallMs", epoch_ms(m.urgent_ready_at) as "urgentReadyAtMs", epoch_ms(m.last_feedback_at) as "lastFeedbackAtMs"
      from partitions p join meters m on m.key = p.key cross join ledger_state s
      where p.key = ${key}`;
}

export function toPartitionFacts(row: PartitionRow): PartitionFacts {
  const { rate, readyAtMs, blockedUntilMs, epoch, lastCutAtMs, observedCeiling, callMs, ...rest } = row;
  const { calmCallMs, urgentReadyAtMs, lastFeedbackAtMs, ...partition } = rest;
  return {
    ...partition,
    processGeneration: processGeneration(),
    meter: {
      rate,
      readyAtMs,
      blockedUntilMs,
      epoch,
      lastCutAtMs,
      observedCeiling,
      callMs,
      calmCallMs,
      urgentReadyAtMs,
      lastFeedbackAtMs,
    },
  };
}

/**
 * Reads a partition with its meter and the ledger's state. `lock` takes the partition row FOR NO KEY UPDATE: one
 * admission at a time, and no opening stands behind it (a new delivery's foreign key wants FOR KEY SHARE).
 */
export async function readPartition(
  executor: Executor,
  key: string,
  options: { lock?: boolean } = {},
): Promise<PartitionFacts | null> {
  // Its own statement: after a wait for the lock, meter and state are read as they are then.
  if (options.lock === true) await rows(executor, lockingPartition(key));
  const [row] = await rows<PartitionRow>(executor, readingPartition(key));
  return row === undefined ? null : toPartitionFacts(row);
}

/** The statement that locks a meter row and reads it; the clock is read afterwards, in its own statement. */
export function lockingMeter(key: string): SQL {
  return sql`select rate, epoch_ms(ready_at) as "readyAtMs", epoch_ms(blocked_until) as "blockedUntilMs", epoch::int as epoch,
        epoch_ms(last_cut_at) as "lastCutAtMs", observed_ceiling as "observedCeiling", call_ms as "callMs",
        calm_call_ms as "calmCallMs", epoch_ms(urgent_ready_at) as "urgentReadyAtMs", epoch_ms(last_feedback_at) as "lastFeedbackAtMs"
      from meters where key = ${key} for update`;
}

/** Locks a meter row and reads it; the caller reads the clock afterwards, in its own statement. */
export async function lockMeter(tx: Transaction, key: string): Promise<Meter> {
  const [meter] = await rows<Meter>(tx, lockingMeter(key));
  if (meter === undefined) throw new Error(`Bug! meter ${key} does not exist`);
  return meter;
}

/** The statement that stores a meter which its transaction has locked. */
export function storingMeter(key: string, meter: Meter): SQL {
  const maybe = (ms: number | null) => sql`from_epoch_ms(${ms}::double precision)`;
  return sql`update meters set rate = ${meter.rate}, ready_at = ${at(meter.readyAtMs)}, blocked_until = ${at(meter.blockedUntilMs)},
        epoch = ${meter.epoch}, last_cut_at = ${maybe(meter.lastCutAtMs)}, observed_ceiling = ${meter.observedCeiling}::float8,
        call_ms = ${meter.callMs}, calm_call_ms = ${meter.calmCallMs}::float8, urgent_ready_at = ${at(meter.urgentReadyAtMs)},
        last_feedback_at = ${maybe(meter.lastFeedbackAtMs)}
      where key = ${key}`;
}

/** Stores a meter that this transaction has locked. */
export async function storeMeter(tx: Transaction, key: string, meter: Meter): Promise<void> {
  await rows(tx, storingMeter(key, meter));
}
