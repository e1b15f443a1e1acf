import { type SQL, sql } from "drizzle-orm";
import {
  budgetsOf,
  closedBy,
  isProbed,
  lockingMeters,
  type MeterRow,
  type PartitionFacts,
  type PartitionRow,
  readingPartition,
  storingMeters,
  toPartitionFacts,
  withLockedMeters,
} from "../admission/partitions";
import { type Answers, at, CLOCK, inTwoTrips, type Queries, together, transact } from "../connection";
import { countingRefusals } from "../console/refusals";
import { effects } from "../effects";
import { type Gate, PROBE_UNDER_WAY } from "../rules/gate";
import { meteredCost, slotIntervalMs } from "../rules/meter";
import type { Channel, Lane } from "../rules/outcome";
import { leaseMs } from "../rules/retry-policy";
import {
  type Budget,
  DUE_AHEAD_MS,
  epochOf,
  GROUP_MS,
  HORIZON_MS,
  reserveSlots,
  toleranceOf,
} from "../rules/slots";
import { type ClaimFactsRow, readingClaimFacts } from "./claim-facts";
import { countingInFlight, type InFlight, roomFor } from "./in-flight";
import { lockingDeliveries } from "./lock";
import { type Refused, refuse } from "./refuse";
import { needsMore, type Sorted, sortVerdicts } from "./verdicts";

/** What a call needs, all of it immutable for this delivery. */
export interface Claim {
  deliveryId: string;
  key: string;
  reference: string;
  channel: Channel;
  lane: Lane;
  partition: string;
  attemptId: string;
  attemptNumber: number;
  token: number;
  epoch: number;
  /** What it costs against the meter. */
  cost: number;
  /** How long from the claim until the granted slot; the caller counts on its monotonic clock. */
  slotInMs: number;
  /** How late after the slot the call may still leave. */
  toleranceMs: number;
  /** How long from now until the lease ends. */
  leaseInMs: number;
  expiresInSeconds: number;
  content: unknown;
  contentHash: string;
  /** Whether the content hashes to what the first attempt stored. */
  sameContent: boolean;
  destination: { address: string; p256dh: string | null; auth: string | null };
}

export interface ClaimGroupInput {
  partition: string;
  channel: Channel;
  deliveryIds: readonly string[];
  runId: string;
  /** How long the claim's answer will take to arrive: an instant before that could not be kept. 0 unless given. */
  answerMs?: number;
  /**
   * Hash of what the provider would be sent: a pure function of content, destination, key and reference. The attempt is the
   * one that begins if the claim commits.
   */
  hashContent: (
    row: Pick<Claim, "key" | "content" | "destination" | "reference">,
    attempt: Pick<Claim, "attemptId" | "lane">,
  ) => string;
}

export interface ClaimGroupOutcome {
  /** The ledger's clock at the claim: every duration in here counts from it. */
  nowMs: number;
  begun: Claim[];
  /** Rows that this run has nothing more to do with. */
  refused: Refused[];
  /** Partitions in which something became due because of it. */
  awakened: string[];
  /** Rows whose instant has not come; the earliest wait in milliseconds from now. */
  laterInMs: number | null;
  /** Set when the meter granted fewer than asked: ask again after this wait. */
  retryInMs: number | null;
  /** How long from now until the meter has room for a whole group again; asking sooner brings little. */
  roomInMs: number;
  /** How many deliveries a group holds at most at the present rate: more of them need not be asked about. */
  groupSize: number;
  /** Between one slot and the next at the present rate. */
  intervalMs: number;
  /** Set when the partition lets nothing through: everything goes back. */
  gate: Gate | null;
}

/** When all calls that a slow provider may have are in flight, asking again sooner finds the same. */
const IN_FLIGHT_RETRY_MS = 50;

/** Rows that a claim looks at in one go: a group of slots is never larger at any sensible rate. */
const GROUP_MAX = 100;

/**
 * Reserves slots for the next group of a parcel and begins its attempts, in one transaction (P3, P6, P7).
 *
 * Lock order: deliveries by id, then the meter. Everything else is re-read in a second statement after the locks, so
 * that a cancel, an edit, an opt-out or a pause that committed first wins. The clock is read after the meter's lock.
 * Each begun row is `sending` with a new fencing token, a lease and an `attempts` row.
 *
 * A crash after it leaves leases; the sweep recovers them and records that the outcome is unknown.
 */
export async function claimGroup(input: ClaimGroupInput): Promise<ClaimGroupOutcome> {
  const bounded = { ...input, deliveryIds: input.deliveryIds.slice(0, GROUP_MAX) };
  // Nearly always nothing is refused, and the reads decide the writes; what is refused may write this and that.
  const quick = await inTwoTrips<ClaimResults, ClaimGroupOutcome>(claimReads(bounded), (results) => {
    const plan = planClaim(bounded, results);
    return needsMore(plan.sorted) ? null : { writes: plan.writes, value: plan.outcome };
  });
  if (quick !== null) return quick;
  return transact(async (tx) => {
    const { sorted, writes, outcome, nowMs } = planClaim(
      bounded,
      await together<ClaimResults>(tx, claimReads(bounded)),
    );
    await together(tx, writes);
    const { refused, awakened } = await refuse(tx, sorted, nowMs);
    return { ...outcome, refused: [...outcome.refused, ...refused], awakened };
  });
}

type ClaimResults = [unknown, ClaimFactsRow, PartitionRow, MeterRow, { nowMs: number }, InFlight];

/** Locks and reads, in this order: deliveries, then what may have changed before their locks, meter, clock. */
function claimReads({ deliveryIds, partition }: ClaimGroupInput): Queries<ClaimResults> {
  return [
    lockingDeliveries(deliveryIds),
    readingClaimFacts(deliveryIds),
    readingPartition(partition),
    lockingMeters(partition),
    CLOCK,
    countingInFlight(partition),
  ];
}

interface ClaimPlan {
  sorted: Sorted;
  writes: SQL[];
  outcome: ClaimGroupOutcome;
  nowMs: number;
}

function planClaim(input: ClaimGroupInput, results: Answers<ClaimResults>): ClaimPlan {
  const [, found, partitions, locked, [clock], [flying]] = results;
  const read = toPartitionFacts(partitions);
  if (read === null || clock === undefined)
    throw new Error(`Bug! partition ${input.partition} does not exist`);
  const partition = withLockedMeters(read, locked);
  const { nowMs } = clock;
  const room = roomFor(partition, flying ?? { own: 0, account: 0 });
  const gate = closedBy(partition, nowMs) ?? (isProbed(partition) && room === 0 ? PROBE_UNDER_WAY : null);
  const sorted = sortVerdicts(found, partition, { ...input, nowMs, gate });
  const budgets = budgetsOf(partition);
  const toleranceMs = toleranceOf(budgets);
  const reservation = reserveSlots(budgets, {
    nowMs,
    sends: sorted.go.slice(0, room).map((fact) => ({
      cost: meteredCost(fact.cost, fact.lane, partition.headroom),
      dueAtMs: fact.nextEligibleAtMs ?? nowMs,
    })),
    urgent: sorted.go[0]?.lane === "urgent",
    notBeforeMs: nowMs + (input.answerMs ?? 0) - toleranceMs,
  });
  const { slotsAtMs } = reservation;
  const granted = sorted.go.slice(0, slotsAtMs.length);
  const begun = claimsOf(input, { granted, slotsAtMs, toleranceMs, partition, nowMs });
  const retryInMs = Math.max(room < sorted.go.length ? IN_FLIGHT_RETRY_MS : 1, reservation.retryAtMs - nowMs);
  const missing = input.deliveryIds.filter((id) => !found.some((fact) => fact.id === id));
  const intervalMs = Math.max(...budgets.map(({ meter, limits }) => slotIntervalMs(meter, limits)));
  const outcome: ClaimGroupOutcome = {
    nowMs,
    begun,
    refused: [
      ...sorted.refused.map(({ row: refusal, reason }) => ({ deliveryId: refusal.id, reason })),
      ...missing.map((deliveryId) => ({ deliveryId, reason: "duplicate" as const })),
    ],
    awakened: [],
    laterInMs: sorted.laterAtMs === null ? null : Math.max(1, sorted.laterAtMs - DUE_AHEAD_MS - nowMs),
    retryInMs: granted.length < sorted.go.length ? retryInMs : null,
    roomInMs: Math.max(0, reservation.readyAtMs + GROUP_MS - HORIZON_MS - nowMs),
    groupSize: groupSize(budgets, intervalMs),
    intervalMs,
    gate,
  };
  const stored = [...storingMeters(partition, reservation.meters), beginning(begun, { ...input, nowMs })];
  const counted = countingRefusals(input.partition, [
    ...outcome.refused.map(({ reason }) => reason),
    ...sorted.ended.map(({ reason }) => (reason === "past_deadline" ? "expired" : reason)),
    ...sorted.held.map(() => "quiet_hours"),
  ]);
  return { sorted, writes: [...(begun.length > 0 ? stored : []), ...counted], outcome, nowMs };
}

/** How many deliveries of cost 1 one group can hold at most. */
function groupSize(budgets: readonly Budget[], intervalMs: number): number {
  const burst = Math.min(...budgets.map(({ limits }) => limits.burst));
  return Math.min(GROUP_MAX, Math.ceil(GROUP_MS / intervalMs + burst) + 1);
}

/** What each granted row needs for its call, with a new attempt and fencing token. */
function claimsOf(
  input: ClaimGroupInput,
  group: {
    granted: readonly ClaimFactsRow[];
    slotsAtMs: readonly number[];
    toleranceMs: number;
    partition: PartitionFacts;
    nowMs: number;
  },
): Claim[] {
  const { nowMs, partition, toleranceMs } = group;
  const epoch = epochOf(budgetsOf(partition));
  return group.granted.map((row, index): Claim => {
    const slotAtMs = group.slotsAtMs[index] ?? nowMs;
    const destination = { address: row.address, p256dh: row.p256dh, auth: row.auth };
    const attemptId = effects.newId();
    const contentHash = input.hashContent(
      { key: row.key, content: row.content, destination, reference: row.reference },
      { attemptId, lane: row.lane },
    );
    return {
      deliveryId: row.id,
      key: row.key,
      reference: row.reference,
      channel: row.channel,
      lane: row.lane,
      partition: input.partition,
      attemptId,
      attemptNumber: row.attemptCount + 1,
      token: row.token + 1,
      epoch,
      cost: meteredCost(row.cost, row.lane, partition.headroom),
      slotInMs: Math.max(0, slotAtMs - nowMs),
      toleranceMs,
      leaseInMs: Math.max(0, slotAtMs - nowMs) + leaseMs(row.channel),
      expiresInSeconds: Math.max(1, Math.floor((row.expiresAtMs - slotAtMs) / 1000)),
      content: row.content,
      contentHash,
      sameContent: row.contentHash === null || row.contentHash === contentHash,
      destination,
    };
  });
}

/** The statement that moves the claimed rows to `sending` and writes their attempts. */
function beginning(claims: readonly Claim[], run: { runId: string; nowMs: number }): SQL {
  const { runId, nowMs } = run;
  const begun = JSON.stringify(
    claims.map((claim) => ({
      id: claim.deliveryId,
      attemptId: claim.attemptId,
      number: claim.attemptNumber,
      token: claim.token,
      hash: claim.contentHash,
      epoch: claim.epoch,
      slotAtMs: nowMs + claim.slotInMs,
      leaseUntilMs: nowMs + claim.leaseInMs,
    })),
  );
  return sql`with w as (
        select * from jsonb_to_recordset(${begun}::jsonb) as w(id uuid, "attemptId" uuid, number int, token int, hash text, epoch bigint,
          "slotAtMs" float8, "leaseUntilMs" float8)
      ), claimed as (
        update deliveries d set state = 'sending', token = w.token, attempt_count = w.number,
          content_hash = coalesce(d.content_hash, w.hash), lease_until = from_epoch_ms(w."leaseUntilMs"),
          first_attempt_at = coalesce(d.first_attempt_at, from_epoch_ms(w."slotAtMs")), latest_attempt_at = from_epoch_ms(w."slotAtMs"),
          next_eligible_at = null, admission_id = null, admitted_until = null, kept_by = null, kept_until = null
        from w where d.id = w.id returning d.id
      )
      insert into attempts (id, delivery_id, number, token, run_id, epoch, slot_at, begun_at)
      select w."attemptId", w.id, w.number, w.token, ${runId}, w.epoch, from_epoch_ms(w."slotAtMs"), ${at(nowMs)}
      from w join claimed on claimed.id = w.id`;
}
