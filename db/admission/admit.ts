import { sql } from "drizzle-orm";
import { at, ledgerNowMs, rows, type Transaction, transact, uuids } from "../connection";
import { effects } from "../effects";
import { expireDue, giveBack } from "../ledger/expire";
import { type Candidate, type LaneRow, parcelsOf, planAdmission } from "../rules/admission-plan";
import { type Gate, gateOf, isProbing } from "../rules/gate";
import { admissionWindow } from "../rules/meter";
import type { Channel, Lane } from "../rules/outcome";
import { type PartitionFacts, readPartition } from "./partitions";
import { promoteDue } from "./promote";

/** A handful of deliveries of one partition and lane, on its way to one deliver run. */
export interface Parcel {
  admissionId: string;
  channel: Channel;
  partition: string;
  lane: Lane;
  deliveryIds: string[];
}

export interface AdmitOutcome {
  parcels: Parcel[];
  /** Why nothing more was let through, if something stands in the way. */
  gate: Gate | null;
  promoted: number;
  expired: number;
}

/** An admission that is lost with its event costs this long and nothing else. */
const ADMISSION_MS = 30_000;

/** Occurrences open about 2 s before their second begins; the engine rounds by half a second, the second is one long. */
export const EARLY_MS = 4_000;

/** Rows handled by one admission besides the window: keeps the partition lock short under any backlog. */
const BATCH_MAX = 500;

/**
 * Lets the next deliveries of a partition go: drops what is no longer wanted, promotes what has become due, and fills
 * the window. One short transaction that holds the partition row, so that there is one admission per partition at a
 * time; deliveries are touched with SKIP LOCKED only.
 *
 * A crash after it leaves admissions without an event: they run out after `ADMISSION_MS` and the rows are chosen again.
 */
export async function admit(partition: string): Promise<AdmitOutcome> {
  return transact(async (tx) => {
    const facts = await readPartition(tx, partition, { lock: true });
    if (facts === null) return { parcels: [], gate: null, promoted: 0, expired: 0 };
    const nowMs = await ledgerNowMs(tx);
    const expired = await expireDue(tx, { partition, limit: BATCH_MAX });
    const gate = gateOf(facts, facts.meter, nowMs);
    if (gate !== null) return { parcels: [], gate, promoted: 0, expired };
    const promoted = await promoteDue(tx, { partition, limit: BATCH_MAX });
    const out = await countOutstanding(tx, partition);
    const window = isProbing(facts) ? 1 : Math.min(admissionWindow(facts.meter, facts), BATCH_MAX);
    const now = await admitReady(tx, facts, window - out.now, isProbing(facts));
    const early = isProbing(facts) ? [] : await admitEarly(tx, facts, window - out.early, nowMs);
    const parcels = [...parcelsOf(now), ...parcelsOf(early)].map((parcel) => toParcel(facts, parcel));
    await stampAdmissions(tx, parcels, nowMs);
    return { parcels, gate: null, promoted, expired };
  });
}

/** What is out already: sending or admitted for now, and admitted ahead of its time. */
async function countOutstanding(tx: Transaction, partition: string): Promise<{ now: number; early: number }> {
  const [row] = await rows<{ now: number; early: number }>(
    tx,
    sql`select
        (select count(*)::int from deliveries where partition = ${partition} and state = 'sending')
        + count(*) filter (where state = 'ready' or next_eligible_at <= ledger_now())::int as now,
        count(*) filter (where state = 'scheduled' and next_eligible_at > ledger_now())::int as early
      from deliveries
      where partition = ${partition} and admission_id is not null and admitted_until > ledger_now()`,
  );
  return row ?? { now: 0, early: 0 };
}

interface CandidateRow extends Candidate {
  number: number;
}

async function admitReady(
  tx: Transaction,
  facts: PartitionFacts,
  room: number,
  probing: boolean,
): Promise<Candidate[]> {
  const lanes = await rows<LaneRow>(
    tx,
    sql`select lane, weight, virtual_time as "virtualTime", pass_floor as "passFloor" from lanes
      where partition = ${facts.key} order by array_position(array['urgent', 'standard', 'bulk', 'redrive'], lane)`,
  );
  // Urgent work needs no room in the window; a probe is one delivery whatever its lane.
  const limit = Math.max(room, probing ? 0 : 1);
  if (limit <= 0) return [];
  const candidates = await rows<CandidateRow>(
    tx,
    sql`select c.* from unnest(array['urgent', 'standard', 'bulk', 'redrive']) as l(lane), lateral (
        select d.id, d.lane, d.pass, d.cost, d.alone from deliveries d
        where d.partition = ${facts.key} and d.lane = l.lane and d.state = 'ready'
          and (d.admitted_until is null or d.admitted_until <= ledger_now())
        order by d.pass, d.id limit case when l.lane = 'urgent' then ${BATCH_MAX}::int else ${limit}::int end
      ) c`,
  );
  if (candidates.length === 0) return [];
  const offered = probing ? candidates.slice(0, 1) : candidates;
  const plan = planAdmission(lanes, offered, Math.max(0, room), facts.laneClock);
  if (plan.chosen.length === 0) return [];
  const locked = await rows<{ id: string }>(
    tx,
    sql`select id from deliveries where id = any(${uuids(plan.chosen.map((row) => row.id))}) and state = 'ready'
      for update skip locked`,
  );
  const free = new Set(locked.map((row) => row.id));
  await storeLanes(tx, facts.key, plan.lanes, plan.laneClock);
  return plan.chosen.filter((row) => free.has(row.id));
}

/** Rows that are due within `EARLY_MS` leave their place in time: their run waits for the exact instant in process. */
async function admitEarly(
  tx: Transaction,
  facts: PartitionFacts,
  room: number,
  nowMs: number,
): Promise<Candidate[]> {
  if (room <= 0) return [];
  return rows<Candidate>(
    tx,
    sql`select id, lane, coalesce(pass, 0) as pass, cost, alone from deliveries
      where partition = ${facts.key} and state = 'scheduled' and next_eligible_at > ledger_now()
        and next_eligible_at <= ${at(nowMs + EARLY_MS)} and (admitted_until is null or admitted_until <= ledger_now())
      order by next_eligible_at, id limit ${room} for update skip locked`,
  );
}

async function storeLanes(tx: Transaction, partition: string, lanes: readonly LaneRow[], laneClock: number) {
  await rows(
    tx,
    sql`update lanes l set virtual_time = w."virtualTime", pass_floor = w."passFloor"
      from jsonb_to_recordset(${JSON.stringify(lanes)}::jsonb) as w(lane text, "virtualTime" float8, "passFloor" float8)
      where l.partition = ${partition} and l.lane = w.lane
        and (l.virtual_time, l.pass_floor) is distinct from (w."virtualTime", w."passFloor")`,
  );
  await rows(
    tx,
    sql`update partitions set lane_clock = ${laneClock} where key = ${partition} and lane_clock <> ${laneClock}`,
  );
}

function toParcel(facts: PartitionFacts, parcel: readonly Candidate[]): Parcel {
  return {
    admissionId: effects.newId(),
    channel: facts.channel,
    partition: facts.key,
    lane: parcel[0]?.lane ?? "standard",
    deliveryIds: parcel.map((row) => row.id),
  };
}

async function stampAdmissions(tx: Transaction, parcels: readonly Parcel[], nowMs: number): Promise<void> {
  if (parcels.length === 0) return;
  const stamps = parcels.flatMap(({ admissionId, deliveryIds }) =>
    deliveryIds.map((deliveryId) => ({ deliveryId, admissionId })),
  );
  await rows(
    tx,
    sql`update deliveries d set admission_id = w."admissionId", admitted_at = ${at(nowMs)},
        admitted_until = greatest(${at(nowMs)}, coalesce(case when d.state = 'scheduled' then d.next_eligible_at end, ${at(nowMs)}))
          + ${ADMISSION_MS} * interval '1 millisecond'
      from jsonb_to_recordset(${JSON.stringify(stamps)}::jsonb) as w("deliveryId" uuid, "admissionId" uuid)
      where d.id = w."deliveryId"`,
  );
}

/** Takes admissions back whose event the engine refused: their rows are chosen again at once. */
export async function releaseAdmissions(admissionIds: readonly string[]): Promise<void> {
  if (admissionIds.length === 0) return;
  await transact(async (tx) => {
    const held = await rows<{ id: string }>(
      tx,
      sql`select id from deliveries where admission_id = any(${uuids(admissionIds)}) order by id for update`,
    );
    await giveBack(
      tx,
      held.map((row) => row.id),
    );
  });
}
