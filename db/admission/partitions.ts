import { type SQL, sql } from "drizzle-orm";
import { readConsumerGeneration } from "../config";
import { at, type Executor, rows } from "../connection";
import { LANE_WEIGHTS, LANES } from "../rules/fair-share";
import { type Gate, type GateFacts, gateOf, isProbing } from "../rules/gate";
import type { Meter, MeterLimits } from "../rules/meter";
import type { Channel } from "../rules/outcome";
import type { Budget } from "../rules/slots";

export interface PartitionDefaults {
  key: string;
  channel: Channel;
  provider: "resend" | "twilio" | "web-push";
  ceiling: number;
  burst: number;
  concurrency: number;
  /** The budget that it shares with others of its provider account. */
  account?: Omit<PartitionDefaults, "account">;
}

/** Whose limits hold for a call: the partition, and the account that it names. */
interface BudgetFacts extends GateFacts, MeterLimits {
  key: string;
  channel: Channel;
  concurrency: number;
  meter: Meter;
}

/** What a decision about a partition needs to know, read in one statement. */
export interface PartitionFacts extends BudgetFacts {
  owner: number;
  /** Share of the rate that `bulk` and `redrive` leave to the others. */
  headroom: number;
  laneClock: number;
  pumpGeneration: number;
  pumpUntilMs: number | null;
  promotedFlow: string | null;
  account: BudgetFacts | null;
}

/** The budgets that a call of this partition needs, its own first. */
export function budgetsOf(facts: PartitionFacts): [Budget, ...Budget[]] {
  const own = { meter: facts.meter, limits: facts };
  return facts.account === null ? [own] : [own, { meter: facts.account.meter, limits: facts.account }];
}

/** What closes the partition or its account, if anything does. */
export function closedBy(facts: PartitionFacts, nowMs: number): Gate | null {
  const own = gateOf(facts, facts.meter, nowMs);
  return own ?? (facts.account === null ? null : gateOf(facts.account, facts.account.meter, nowMs));
}

/** Whether one delivery at a time finds out if the partition, or its account, may be called again. */
export function isProbed(facts: PartitionFacts): boolean {
  return isProbing(facts) || (facts.account !== null && isProbing(facts.account));
}

/** The process's ledger generation: a restored copy gets another one and is held by itself (DESIGN: restore). */
export function processGeneration(): string {
  return process.env.LEDGER_GENERATION ?? "g1";
}

/** Call time assumed before the first call is measured; sizes the first admission window only. */
const INITIAL_CALL_MS = 200;

/**
 * Makes sure that the partitions and the accounts they name exist, with their meters and lanes. Existing ones keep what
 * operators set; one that names no account yet gets its own. New ones are inserted in key order: two openings that need
 * the same ones wait for each other in one direction only.
 */
export async function ensurePartitions(tx: Executor, wanted: readonly PartitionDefaults[]): Promise<void> {
  // An account's key is the beginning of its partitions' keys, so it comes before them.
  const accounts = new Map(wanted.flatMap(({ account }) => (account ? [[account.key, account]] : [])));
  for (const level of [[...accounts.values()], wanted]) await ensureLevel(tx, level);
}

async function ensureLevel(tx: Executor, wanted: readonly PartitionDefaults[]): Promise<void> {
  if (wanted.length === 0) return;
  const given = JSON.stringify(wanted.map((row) => ({ ...row, account: row.account?.key ?? null })));
  const created = await rows<{ key: string }>(
    tx,
    sql`insert into partitions (key, channel, provider, ceiling, burst, concurrency, account, owner, circuit, lane_clock,
        pump_generation, created_at)
      select w.key, w.channel, w.provider, w.ceiling, w.burst, w.concurrency, w.account,
        coalesce((select max(owner) from partitions), ${readConsumerGeneration(process.env)}::int, 1), 'closed', 0, 1, ledger_now()
      from jsonb_to_recordset(${given}::jsonb) as w(key text, channel text, provider text, ceiling float8, burst float8,
        concurrency int, account text)
      where not exists (select 1 from partitions p where p.key = w.key and (w.account is null or p.account is not null))
      order by w.key
      on conflict (key) do update set account = excluded.account where partitions.account is null returning key`,
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
export interface PartitionRow
  extends Omit<PartitionFacts, "meter" | "processGeneration" | "account">,
    Meter {}

/** The statement that takes the partition row FOR NO KEY UPDATE. */
export function lockingPartition(key: string): SQL {
  return sql`select key from partitions where key = ${key} for no key update`;
}

const METER_COLUMNS = sql`m.rate, epoch_ms(m.ready_at) as "readyAtMs", epoch_ms(m.blocked_until) as "blockedUntilMs",
  m.epoch::int as epoch, epoch_ms(m.last_cut_at) as "lastCutAtMs", m.observed_ceiling as "observedCeiling",
  m.call_ms as "callMs", m.calm_call_ms as "calmCallMs", epoch_ms(m.urgent_ready_at) as "urgentReadyAtMs",
  epoch_ms(m.last_feedback_at) as "lastFeedbackAtMs"`;

/**
 * Held is also what a copy of the database holds that nobody has promoted, and, while two builds share a ledger, a
 * partition that belongs to the other one.
 */
function presentMode(): SQL {
  return sql`case when s.installation <> ledger_installation() or p.owner <> ${readConsumerGeneration(process.env)}::int then 'held' else s.mode end`;
}

/**
 * The statement that reads a partition and its account, each with its meter, and the ledger's state, for
 * `toPartitionFacts`: one row or two, the partition's first.
 */
export function readingPartition(key: string): SQL {
  return sql`select p.key, p.channel, p.ceiling, p.burst, p.concurrency, p.headroom, p.owner, p.lane_clock as "laneClock",
        p.circuit, epoch_ms(p.circuit_probe_at) as "circuitProbeAtMs", epoch_ms(p.parked_until) as "parkedUntilMs",
        epoch_ms(p.paused_at) as "pausedAtMs", epoch_ms(p.paused_until) as "pausedUntilMs",
        p.pump_generation::int as "pumpGeneration", epoch_ms(p.pump_until) as "pumpUntilMs",
        p.promoted_flow as "promotedFlow", ${presentMode()} as mode, s.generation as "ledgerGeneration", ${METER_COLUMNS}
      from partitions p join meters m on m.key = p.key cross join ledger_state s
      where p.key = ${key} or p.key = (select account from partitions where key = ${key})
      order by p.key <> ${key}`;
}

/** What `readingPartition` found; null when there is no such partition. */
export function toPartitionFacts(found: readonly PartitionRow[]): PartitionFacts | null {
  const [own, account] = found.map(withMeter);
  return own === undefined ? null : { ...own, account: account ?? null };
}

function withMeter(row: PartitionRow): Omit<PartitionFacts, "account"> {
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
 * Reads a partition with its account, their meters and the ledger's state. `lock` takes the partition row FOR NO KEY
 * UPDATE: one admission at a time, and no opening stands behind it (a new delivery's foreign key wants FOR KEY SHARE).
 */
export async function readPartition(
  executor: Executor,
  key: string,
  options: { lock?: boolean } = {},
): Promise<PartitionFacts | null> {
  // Its own statement: after a wait for the lock, meter and state are read as they are then.
  if (options.lock === true) await rows(executor, lockingPartition(key));
  return toPartitionFacts(await rows<PartitionRow>(executor, readingPartition(key)));
}

export interface MeterRow extends Meter {
  key: string;
}

/**
 * The statement that locks the meters of a partition's budgets, in key order, and reads them; the clock is read
 * afterwards, in its own statement.
 */
export function lockingMeters(key: string): SQL {
  return sql`select m.key, ${METER_COLUMNS} from meters m
      where m.key = ${key} or m.key = (select account from partitions where key = ${key}) order by m.key for update of m`;
}

/** The partition with its meters as they are under their locks. */
export function withLockedMeters(facts: PartitionFacts, locked: readonly MeterRow[]): PartitionFacts {
  const { account } = facts;
  return {
    ...facts,
    meter: meterOf(facts.key, locked),
    account: account === null ? null : { ...account, meter: meterOf(account.key, locked) },
  };
}

function meterOf(key: string, locked: readonly MeterRow[]): Meter {
  const row = locked.find((entry) => entry.key === key);
  if (row === undefined) throw new Error(`Bug! meter ${key} does not exist`);
  const { key: _, ...meter } = row;
  return meter;
}

/** The statements that store what became of the budgets' meters, in the order of `budgetsOf`; their rows are locked. */
export function storingMeters(facts: PartitionFacts, meters: readonly Meter[]): SQL[] {
  const keys = facts.account === null ? [facts.key] : [facts.key, facts.account.key];
  return keys.flatMap((key, index) => {
    const meter = meters[index];
    return meter === undefined || meter === budgetsOf(facts)[index]?.meter ? [] : [storingMeter(key, meter)];
  });
}

function storingMeter(key: string, meter: Meter): SQL {
  const maybe = (ms: number | null) => sql`from_epoch_ms(${ms}::double precision)`;
  return sql`update meters set rate = ${meter.rate}, ready_at = ${at(meter.readyAtMs)}, blocked_until = ${at(meter.blockedUntilMs)},
        epoch = ${meter.epoch}, last_cut_at = ${maybe(meter.lastCutAtMs)}, observed_ceiling = ${meter.observedCeiling}::float8,
        call_ms = ${meter.callMs}, calm_call_ms = ${meter.calmCallMs}::float8, urgent_ready_at = ${at(meter.urgentReadyAtMs)},
        last_feedback_at = ${maybe(meter.lastFeedbackAtMs)}
      where key = ${key}`;
}
