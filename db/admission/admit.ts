import { type SQL, sql } from "drizzle-orm";
import { at, CLOCK, rows, type Transaction, together, transact, uuids } from "../connection";
import { effects } from "../effects";
import { endWaiting, giveBack, lockingOverdue } from "../ledger/expire";
import {
  type Candidate,
  type LaneRow,
  parcelSizeOf,
  parcelsOf,
  planAdmission,
} from "../rules/admission-plan";
import type { Gate } from "../rules/gate";
import { admissionWindow } from "../rules/meter";
import type { Channel, Lane } from "../rules/outcome";
import { isWithinReach } from "../rules/slots";
import {
  budgetsOf,
  closedBy,
  isProbed,
  lockingPartition,
  type PartitionFacts,
  type PartitionRow,
  readingPartition,
  toPartitionFacts,
} from "./partitions";
import { type Promoted, promoteCrowdedOut, promotingDue } from "./promote";

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
 * Rows promoted by one admission. Those who drain a crowd wait for each admission, so the rest of the crowd is put in order
 * bit by bit: five hundred at a time took a quarter of a second each, and a herd left at four fifths of its rate until all
 * were in order. Three parcels' worth, more than the settled parcel that called for it has freed.
 */
const PROMOTED_MAX = 150;

const NOTHING: AdmitOutcome = { parcels: [], gate: null, promoted: 0, expired: 0 };

/**
 * Lets the next deliveries of a partition go: drops what is no longer wanted, promotes what has become due, and fills
 * the window. One short transaction that holds the partition row, so that there is one admission per partition at a
 * time; deliveries are touched with SKIP LOCKED only.
 *
 * A crash after it leaves admissions without an event: they run out after `ADMISSION_MS` and the rows are chosen again.
 */
export async function admit(partition: string): Promise<AdmitOutcome> {
  return transact(async (tx) => {
    const [, read, [clock], overdue] = await together<
      [unknown, PartitionRow, { nowMs: number }, { id: string }]
    >(tx, [
      lockingPartition(partition),
      readingPartition(partition),
      CLOCK,
      lockingOverdue({ partition, limit: BATCH_MAX }),
    ]);
    const facts = toPartitionFacts(read);
    if (facts === null || clock === undefined) return NOTHING;
    const { nowMs } = clock;
    const overdueIds = overdue.map((row) => row.id);
    const expired = (await endWaiting(tx, overdueIds, "past_deadline")).length;
    const gate = closedBy(facts, nowMs);
    if (gate !== null) return { ...NOTHING, gate, expired };
    const waiting = await promoteAndLook(tx, facts, nowMs);
    const now = chooseReady(facts, waiting);
    // A probe is one delivery: what is due goes, and only when nothing is, what will be.
    const early = isProbed(facts) && waiting.ready.length > 0 ? [] : waiting.early;
    const parcels = [...parcelsOf(now.chosen, now.size), ...parcelsOf(early)].map((parcel) =>
      toParcel(facts, parcel),
    );
    const admitted = await stampAdmissions(tx, facts, parcels, { ...now, nowMs });
    return { parcels: admitted, gate: null, promoted: waiting.promoted, expired };
  });
}

interface Waiting {
  promoted: number;
  window: number;
  lanes: LaneRow[];
  ready: ReadyRow[];
  early: Candidate[];
}

interface ReadyRow extends Candidate {
  /** How many are out already: sending, or admitted for now. */
  out: number;
}

/** Promotes what has become due, and reads as much of each lane as there could be room for. */
async function promoteAndLook(tx: Transaction, facts: PartitionFacts, nowMs: number): Promise<Waiting> {
  const probing = isProbed(facts);
  const budgets = budgetsOf(facts);
  const windows = budgets.map(({ meter, limits }) => admissionWindow(meter, limits));
  // Between the slots of a slow partition nothing goes: every waiting row would be tried in turn and come back.
  const window = probing ? 1 : isWithinReach(budgets, nowMs) ? Math.min(...windows, BATCH_MAX) : 0;
  const [promoted, lanes, first, early] = await together<[Promoted, LaneRow, ReadyRow, Candidate]>(tx, [
    promotingDue({ partition: facts.key, limit: PROMOTED_MAX }),
    sql`select lane, weight, virtual_time as "virtualTime", pass_floor as "passFloor" from lanes
      where partition = ${facts.key} order by array_position(array['urgent', 'standard', 'bulk', 'redrive'], lane)`,
    readingReady(facts.key, window),
    readingEarly(facts.key, window, nowMs),
  ]);
  if (promoted[0]?.crowded !== true) return { promoted: promoted.length, window, lanes, ready: first, early };
  const more = await promoteCrowdedOut(tx, { partition: facts.key, afterFlow: facts.promotedFlow });
  const ready = await rows<ReadyRow>(tx, readingReady(facts.key, window));
  return { promoted: promoted.length + more, window, lanes, ready, early };
}

/** Urgent work needs no room in the window; of every other lane as much as the whole room, at least one row. */
function readingReady(partition: string, window: number): SQL {
  return sql`with outstanding as (
        select (select count(*)::int from deliveries where partition = ${partition} and state = 'sending')
          + (select count(*)::int from deliveries where partition = ${partition} and admission_id is not null
              and admitted_until > ledger_now() and (state = 'ready' or next_eligible_at <= ledger_now())) as out
      )
      select c.*, o.out from outstanding o, unnest(array['urgent', 'standard', 'bulk', 'redrive']) as l(lane), lateral (
        select d.id, d.lane, d.pass, d.cost, d.alone from deliveries d
        where d.partition = ${partition} and d.lane = l.lane and d.state = 'ready'
          and (d.admitted_until is null or d.admitted_until <= ledger_now())
        order by d.pass, d.id
        limit case when l.lane = 'urgent' then ${BATCH_MAX}::int else greatest(1, ${window}::int - o.out) end
      ) c`;
}

/** Of one flow so many leave their place early: at one instant a provider takes few, and the others' turn comes as well. */
const EARLY_PER_FLOW = 4;

/** Rows that are due within `EARLY_MS` leave their place in time: their run waits for the exact instant in process. */
function readingEarly(partition: string, window: number, nowMs: number): SQL {
  return sql`with gone as (
        select flow, count(*)::int as count from deliveries where partition = ${partition} and admission_id is not null
          and admitted_until > ledger_now() and state = 'scheduled' and next_eligible_at > ledger_now() group by flow
      ), soon as (
        select id, lane, flow, coalesce(pass, 0) as pass, cost, alone, next_eligible_at from deliveries
        where partition = ${partition} and state = 'scheduled' and next_eligible_at > ledger_now()
          and next_eligible_at <= ${at(nowMs + EARLY_MS)} and (admitted_until is null or admitted_until <= ledger_now())
          and ${window}::int > 0
        order by next_eligible_at, id limit ${BATCH_MAX} for update skip locked
      ), placed as (
        select soon.*, row_number() over (partition by flow order by next_eligible_at, id) as place from soon
      )
      select id, lane, pass, cost, alone from placed left join gone using (flow)
      where place + coalesce(gone.count, 0) <= ${EARLY_PER_FLOW}
      order by next_eligible_at, placed.id limit greatest(0, ${window}::int - (select coalesce(sum(count), 0) from gone))`;
}

interface Chosen {
  chosen: Candidate[];
  /** Of each parcel, under backlog. */
  size?: number;
  lanes: LaneRow[];
  laneClock: number;
}

/**
 * While more waits than there is room for, only whole parcels go: room for less is left until the next settled parcel
 * adds to it, because a small parcel costs as much as a large one.
 */
function chooseReady(facts: PartitionFacts, { window, lanes, ready }: Waiting): Chosen {
  const nobody = { chosen: [], lanes: [], laneClock: facts.laneClock };
  const out = ready[0]?.out ?? 0;
  const room = Math.max(0, window - out);
  if (ready.length === 0 || (isProbed(facts) && room === 0)) return nobody;
  // A probe is one delivery whatever its lane.
  const offered = isProbed(facts) ? ready.slice(0, 1) : ready;
  const backlog = offered.filter((row) => row.lane !== "urgent").length >= room && window > 1;
  const size = parcelSizeOf(window);
  const usable = backlog && out > 0 ? Math.floor(room / size) * size : room;
  const plan = planAdmission(lanes, offered, usable, facts.laneClock);
  return plan.chosen.length === 0 ? nobody : { ...plan, ...(backlog ? { size } : {}) };
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

/**
 * Stamps what nobody else holds at this moment, and moves the lanes on. Returns the parcels of what it stamped. They are
 * the partition's owner's from here on: what was opened, or given back by its holder, while the partition was handed
 * over still has the owner of before.
 */
async function stampAdmissions(
  tx: Transaction,
  facts: PartitionFacts,
  parcels: readonly Parcel[],
  moved: { lanes: readonly LaneRow[]; laneClock: number; nowMs: number },
): Promise<Parcel[]> {
  if (parcels.length === 0) return [];
  const { nowMs } = moved;
  const stamps = parcels.flatMap(({ admissionId, deliveryIds }) =>
    deliveryIds.map((deliveryId) => ({ deliveryId, admissionId })),
  );
  const ids = uuids(stamps.map((stamp) => stamp.deliveryId));
  const [stamped] = await together<[{ id: string }, unknown, unknown]>(tx, [
    sql`with free as materialized (select id, state from deliveries where id = any(${ids}) for update skip locked)
      update deliveries d set admission_id = w."admissionId", admitted_at = ${at(nowMs)}, owner = ${facts.owner},
        admitted_until = greatest(${at(nowMs)}, coalesce(case when d.state = 'scheduled' then d.next_eligible_at end, ${at(nowMs)}))
          + ${ADMISSION_MS} * interval '1 millisecond'
      from jsonb_to_recordset(${JSON.stringify(stamps)}::jsonb) as w("deliveryId" uuid, "admissionId" uuid), free
      where d.id = w."deliveryId" and d.id = free.id and free.state in ('ready', 'scheduled') returning d.id`,
    sql`update lanes l set virtual_time = w."virtualTime", pass_floor = w."passFloor"
      from jsonb_to_recordset(${JSON.stringify(moved.lanes)}::jsonb) as w(lane text, "virtualTime" float8, "passFloor" float8)
      where l.partition = ${facts.key} and l.lane = w.lane
        and (l.virtual_time, l.pass_floor) is distinct from (w."virtualTime", w."passFloor")`,
    sql`update partitions set lane_clock = ${moved.laneClock} where key = ${facts.key} and lane_clock <> ${moved.laneClock}`,
  ]);
  const free = new Set(stamped.map((row) => row.id));
  return parcels.flatMap((parcel) => {
    const deliveryIds = parcel.deliveryIds.filter((id) => free.has(id));
    return deliveryIds.length === 0 ? [] : [{ ...parcel, deliveryIds }];
  });
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
