import { type SQL, sql } from "drizzle-orm";
import { notingAcceptance } from "../admission/forecast-samples";
import {
  budgetsOf,
  isProbed,
  lockingMeters,
  type MeterRow,
  type PartitionFacts,
  type PartitionRow,
  readingPartition,
  readPartition,
  storingMeters,
  toPartitionFacts,
  withLockedMeters,
} from "../admission/partitions";
import {
  CLOCK,
  inTwoTrips,
  ledgerNowMs,
  type Queries,
  rows,
  type Transaction,
  together,
  transact,
  uuids,
} from "../connection";
import { countingRefusals } from "../console/refusals";
import { stageDeaths } from "../outbox";
import { believeReports } from "../receipts/believe";
import type { DeliveryState } from "../rules/lifecycle";
import type { Outcome } from "../rules/outcome";
import { REPEAT_BY_CHANNEL } from "../rules/repeat-policy";
import { throttleFloorMs } from "../rules/retry-policy";
import { decideSettlement } from "../rules/settlement";
import { epochOf } from "../rules/slots";
import {
  applyPartitionFacts,
  countUnknownRefusals,
  fedMeters,
  sameMeter,
  storingCallTimes,
} from "./feedback";
import { lockMarkedDestinations, markDestinations } from "./mark-destinations";
import { pullForward } from "./pull-forward";
import {
  applyingSettlements,
  applyLateEvidence,
  applySettlements,
  type Decided,
  heedLateRefusals,
  lockingRows,
  lockRows,
  type RowFacts,
  recordingAttempts,
  toRowFacts,
  toSettled,
  toStale,
} from "./settle-rows";

/** How one begun call ended, as its adapter saw it. */
export interface SettledCall {
  attemptId: string;
  deliveryId: string;
  token: number;
  epoch: number;
  outcome: Outcome;
  status: number | null;
  code: string | null;
  /** The provider's header as sent. */
  retryAfterRaw: string | null;
  detail: string | null;
  /** The provider's own ceiling per second, where its headers say it. */
  observedRatePerSecond: number | null;
  callMs: number;
}

export interface SettleOutcome {
  deliveries: SettledDelivery[];
  /** The meter's epoch afterwards: slots of an older one are void. */
  epoch: number;
  /** Partitions in which something became due because of it (`pullForward`). */
  awakened: string[];
}

export interface SettledDelivery {
  deliveryId: string;
  class: Outcome["class"];
  state: DeliveryState;
  reason: string | null;
  nextEligibleInMs: number | null;
  /** The row had moved on before its answer came: recorded, not applied. */
  stale: boolean;
}

/**
 * Writes down how calls ended and what that means: attempt, delivery, meter, destination and burial in one transaction
 * (P3, P5, P9). Only the holder of the fencing token moves the row; a late answer of an older holder is recorded on its
 * attempt, and still counts where it is positive evidence, names a time or says what an address is. An answer counts
 * once: repeating a settlement changes nothing, neither row nor meter.
 *
 * Lock order: destinations (only when one is marked), the partition (only when these answers may close or open it),
 * deliveries by id, meter; the clock is read after the last lock.
 */
export async function settleAttempts(
  partition: string,
  calls: readonly SettledCall[],
): Promise<SettleOutcome> {
  if (calls.length === 0) return { deliveries: [], epoch: 0, awakened: [] };
  if (calls.every(({ outcome }) => outcome.class === "accepted")) {
    const settled = await settleQuietly(partition, calls);
    if (settled !== null) return settled;
  }
  return transact((tx) => settleInFull(tx, partition, calls));
}

async function settleInFull(
  tx: Transaction,
  partition: string,
  calls: readonly SettledCall[],
): Promise<SettleOutcome> {
  const ids = calls.map((call) => call.deliveryId);
  await lockMarkedDestinations(tx, calls);
  const read = await readSettlingPartition(tx, partition, calls);
  const locked = await lockRows(tx, ids);
  const facts = withLockedMeters(read, await rows<MeterRow>(tx, lockingMeters(partition)));
  const nowMs = await ledgerNowMs(tx);
  const { begunAt, recorded } = await recordAttempts(tx, calls);
  const unknownRefusalsInRow = await countUnknownRefusals(tx, partition, calls);
  const decided = calls.flatMap((call): Decided[] => {
    const row = locked.get(call.deliveryId);
    if (row === undefined) return [];
    const begunAtMs = begunAt.get(call.attemptId) ?? nowMs;
    return [decide({ call, row, begunAtMs }, { partition, nowMs, unknownRefusalsInRow })];
  });
  const current = decided.filter(isCurrent);
  await applySettlements(tx, current);
  await together(tx, notingAccepted(decided));
  const news = decided.filter(({ call }) => recorded.has(call.attemptId));
  const late = news.filter((entry) => !current.includes(entry) && entry.settlement.state === "delivered");
  const convinced = await applyLateEvidence(tx, late);
  await heedLateRefusals(
    tx,
    news.filter((entry) => !current.includes(entry)),
  );
  await markDestinations(tx, news);
  const budgets = budgetsOf(facts);
  const fed = fedMeters(budgets, news, nowMs);
  await together(tx, storingMeters(facts, fed));
  await applyPartitionFacts(tx, partition, news);
  const stale = news.filter((entry) => !current.includes(entry) && !convinced.has(entry.row.id));
  for (const counting of countingRefusals(
    partition,
    stale.map(() => "stale_token"),
  ))
    await rows(tx, counting);
  // A report may have come before the answer that was lost.
  const unknown = current.filter(({ call }) => call.outcome.class === "ambiguous");
  const reported = await believeReports(
    tx,
    unknown.map(({ row }) => row.id),
  );
  const over = current.filter(({ row }) => !reported.has(row.id));
  const idsOf = (states: readonly string[]) =>
    over.filter(({ settlement }) => states.includes(settlement.state)).map(({ row }) => row.id);
  await stageDeaths(tx, idsOf(["dead"]));
  return {
    awakened: await pullForward(tx, idsOf(["dead", "expired"])),
    deliveries: decided.map((entry) =>
      current.includes(entry) && !reported.has(entry.row.id)
        ? toSettled(entry, nowMs)
        : toStale(entry, convinced.has(entry.row.id) || reported.has(entry.row.id)),
    ),
    epoch: epochOf(budgets.map((budget, index) => ({ ...budget, meter: fed[index] ?? budget.meter }))),
  };
}

/**
 * The common case, in two round trips and without the meter's lock: everything was accepted, every row is still its
 * caller's, the partition has nothing to disprove, and no decision would be another for these answers. Null when that
 * does not hold; then nothing has been written.
 */
function settleQuietly(partition: string, calls: readonly SettledCall[]): Promise<SettleOutcome | null> {
  type Results = [RowFacts, { id: string }, PartitionRow, { nowMs: number }, unknown];
  const reads: Queries<Results> = [
    ...lockingRows(calls.map((call) => call.deliveryId)),
    readingPartition(partition),
    CLOCK,
    sql`select 1 from operator_notices where partition = ${partition} and closed_at is null limit 1`,
  ];
  return inTwoTrips<Results, SettleOutcome>(reads, ([locked, cancelled, read, [clock], [notice]]) => {
    const facts = toPartitionFacts(read);
    if (facts === null || clock === undefined || notice !== undefined) return null;
    const { nowMs } = clock;
    const rowOf = toRowFacts(locked, cancelled);
    const decided = calls.flatMap((call): Decided[] => {
      const row = rowOf.get(call.deliveryId);
      if (row === undefined) return [];
      const context = { partition, nowMs, unknownRefusalsInRow: 1 };
      return [decide({ call, row, begunAtMs: nowMs }, context)];
    });
    const plain = decided.length === calls.length && decided.every(isCurrent) && !isProbed(facts);
    const budgets = budgetsOf(facts);
    const fed = fedMeters(budgets, decided, nowMs);
    const pairs = budgets.map(({ meter }, index) => ({ stored: meter, fed: fed[index] ?? meter }));
    if (!plain || !pairs.every((pair) => sameMeter(pair.stored, pair.fed))) return null;
    const keys = [facts.key, facts.account?.key ?? ""];
    const callTimes = pairs.flatMap((pair, index) =>
      storingCallTimes(keys[index] ?? "", pair.stored, pair.fed),
    );
    return {
      writes: [
        recordingAttempts(calls),
        applyingSettlements(decided),
        ...notingAccepted(decided),
        ...callTimes,
      ],
      value: {
        deliveries: decided.map((entry) => toSettled(entry, nowMs)),
        epoch: epochOf(budgets),
        awakened: [],
      },
    };
  });
}

/** Acceptance is also what the forecasts of these deliveries are measured by. */
function notingAccepted(decided: readonly Decided[]): SQL[] {
  const accepted = decided.filter(({ settlement }) => settlement.state === "delivered");
  return accepted.length === 0 ? [] : [notingAcceptance(accepted.map(({ row }) => row.id))];
}

/** Whether the row is still the caller's: its state and fencing token say so. */
function isCurrent({ call, row }: Decided): boolean {
  return row.state === "sending" && row.token === call.token;
}

function decide(
  settled: Omit<Decided, "settlement">,
  context: { partition: string; nowMs: number; unknownRefusalsInRow: number },
): Decided {
  const { call, row, begunAtMs } = settled;
  const settlement = decideSettlement({
    outcome: call.outcome,
    nowMs: context.nowMs,
    begunAtMs,
    counters: row,
    unresolvedSinceMs: row.unresolvedSinceMs,
    repeat: REPEAT_BY_CHANNEL[row.channel],
    throttleFloorMs: throttleFloorMs(context.partition),
    seed: row.id,
    cancelWished: row.cancelWished,
    failureBudget: row.failureBudget,
    unknownRefusalsInRow: context.unknownRefusalsInRow,
    notBeforeMs: row.state === "sending" ? row.notBeforeMs : null,
  });
  return { ...settled, settlement };
}

/** The partition, locked where quota or configuration may close it, or acceptance may end such a closure. */
async function readSettlingPartition(
  tx: Transaction,
  partition: string,
  calls: readonly SettledCall[],
): Promise<PartitionFacts> {
  const closes = calls.some(
    ({ outcome }) => outcome.class === "quota" || outcome.class === "config_rejected",
  );
  const read = await readPartition(tx, partition, { lock: closes });
  const facts =
    read !== null && !closes && isProbed(read) ? await readPartition(tx, partition, { lock: true }) : read;
  if (facts === null) throw new Error(`Bug! partition ${partition} does not exist`);
  return facts;
}

/** Settles the attempt rows. Returns when each began, and which of the answers are news. */
async function recordAttempts(
  tx: Transaction,
  calls: readonly SettledCall[],
): Promise<{ begunAt: Map<string, number>; recorded: Set<string> }> {
  const attemptIds = calls.map((call) => call.attemptId);
  const [recorded, begun] = await together<[{ id: string }, { id: string; begunAtMs: number }]>(tx, [
    recordingAttempts(calls),
    sql`select id, epoch_ms(begun_at) as "begunAtMs" from attempts where id = any(${uuids(attemptIds)})`,
  ]);
  return {
    begunAt: new Map(begun.map((row) => [row.id, row.begunAtMs])),
    recorded: new Set(recorded.map((row) => row.id)),
  };
}
