import { sql } from "drizzle-orm";
import { lockMeter, type PartitionFacts, readPartition, storeMeter } from "../admission/partitions";
import { ledgerNowMs, rows, type Transaction, transact, uuids } from "../connection";
import { stageDeaths } from "../outbox";
import { isProbing } from "../rules/gate";
import type { DeliveryState } from "../rules/lifecycle";
import type { Outcome } from "../rules/outcome";
import { REPEAT_BY_CHANNEL } from "../rules/repeat-policy";
import { throttleFloorMs } from "../rules/retry-policy";
import { decideSettlement } from "../rules/settlement";
import { applyPartitionFacts, countUnknownRefusals, fedMeter } from "./feedback";
import {
  applyLateEvidence,
  applySettlements,
  type Decided,
  markDestinations,
  type RowFacts,
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
 * attempt, and still counts where it is positive evidence. An answer counts once: repeating a settlement changes nothing,
 * neither row nor meter.
 *
 * Lock order: destinations (only when one is marked), the partition (only when these answers may close or open it),
 * deliveries by id, meter; the clock is read after the last lock.
 */
export async function settleAttempts(
  partition: string,
  calls: readonly SettledCall[],
): Promise<SettleOutcome> {
  if (calls.length === 0) return { deliveries: [], epoch: 0 };
  return transact(async (tx) => {
    const ids = calls.map((call) => call.deliveryId);
    await lockMarkedDestinations(tx, calls);
    const facts = await readSettlingPartition(tx, partition, calls);
    const locked = await lockDeliveries(tx, ids);
    const meter = await lockMeter(tx, partition);
    const nowMs = await ledgerNowMs(tx);
    const { begunAt, recorded } = await recordAttempts(tx, calls);
    const unknownInRow = await countUnknownRefusals(tx, partition, calls);
    const decided = calls.flatMap((call): Decided[] => {
      const row = locked.get(call.deliveryId);
      if (row === undefined) return [];
      const begunAtMs = begunAt.get(call.attemptId) ?? nowMs;
      const settlement = decideSettlement({
        outcome: call.outcome,
        nowMs,
        begunAtMs,
        counters: row,
        unresolvedSinceMs: row.unresolvedSinceMs,
        repeat: REPEAT_BY_CHANNEL[row.channel],
        throttleFloorMs: throttleFloorMs(partition),
        seed: row.id,
        cancelWished: row.cancelWished,
        unknownRefusalsInRow: unknownInRow,
      });
      return [{ call, row, settlement, begunAtMs }];
    });
    const current = decided.filter(({ call, row }) => row.state === "sending" && row.token === call.token);
    await applySettlements(tx, current);
    const late = decided.filter(
      (entry) => !current.includes(entry) && entry.settlement.state === "delivered",
    );
    const convinced = await applyLateEvidence(tx, late);
    await markDestinations(tx, current);
    const news = decided.filter(({ call }) => recorded.has(call.attemptId));
    const fed = fedMeter(meter, facts, news, nowMs);
    if (fed !== meter) await storeMeter(tx, partition, fed);
    await applyPartitionFacts(tx, partition, news);
    await stageDeaths(
      tx,
      current.filter(({ settlement }) => settlement.state === "dead").map(({ row }) => row.id),
    );
    return {
      deliveries: decided.map((entry) =>
        current.includes(entry) ? toSettled(entry, nowMs) : toStale(entry, convinced.has(entry.row.id)),
      ),
      epoch: fed.epoch,
    };
  });
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
    read !== null && !closes && isProbing(read) ? await readPartition(tx, partition, { lock: true }) : read;
  if (facts === null) throw new Error(`Bug! partition ${partition} does not exist`);
  return facts;
}

async function lockMarkedDestinations(tx: Transaction, calls: readonly SettledCall[]): Promise<void> {
  const marked = calls
    .filter((call) => call.outcome.class === "destination_rejected")
    .map((call) => call.deliveryId);
  if (marked.length === 0) return;
  await rows(
    tx,
    sql`select id from destinations where id in (select destination_id from deliveries where id = any(${uuids(marked)}))
      order by id for no key update`,
  );
}

async function lockDeliveries(tx: Transaction, ids: readonly string[]): Promise<Map<string, RowFacts>> {
  const locked = await rows<RowFacts>(
    tx,
    sql`select d.id, d.channel, d.state, d.token, d.reason, d.attempt_count as "attemptCount",
        d.failure_count as "failureCount", d.throttle_count as "throttleCount", d.destination_id as "destinationId",
        epoch_ms(d.unresolved_since) as "unresolvedSinceMs", false as "cancelWished"
      from deliveries d where d.id = any(${uuids(ids)}) order by d.id for update`,
  );
  // Read in a second statement, after the locks: the source may have been cancelled while we waited for them.
  const cancelled = await rows<{ id: string }>(
    tx,
    sql`select d.id from deliveries d join occurrences o on o.id = d.occurrence_id join reminders r on r.id = o.reminder_id
      where d.id = any(${uuids(ids)}) and (r.status = 'cancelled' or o.state = 'cancelled')`,
  );
  const wished = new Set(cancelled.map((row) => row.id));
  return new Map(locked.map((row) => [row.id, { ...row, cancelWished: wished.has(row.id) }]));
}

/**
 * Settles the attempt rows. An attempt that is settled already stays as it is and is not among the `recorded`; what a
 * crash left unknown may still learn its answer. Returns when each began.
 */
async function recordAttempts(
  tx: Transaction,
  calls: readonly SettledCall[],
): Promise<{ begunAt: Map<string, number>; recorded: Set<string> }> {
  const given = JSON.stringify(
    calls.map((call) => ({
      id: call.attemptId,
      class: call.outcome.class,
      status: call.status,
      code: call.code?.slice(0, 100) ?? null,
      retryAfter: call.retryAfterRaw?.slice(0, 200) ?? null,
      messageId: call.outcome.class === "accepted" ? call.outcome.providerMessageId : null,
      detail: call.detail?.slice(0, 400) ?? null,
      callMs: Math.round(call.callMs),
    })),
  );
  const recorded = await rows<{ id: string }>(
    tx,
    sql`update attempts a set settled_at = ledger_now(), class = w.class, status = w.status, code = w.code,
        retry_after = w."retryAfter", provider_message_id = w."messageId", detail = w.detail, call_ms = w."callMs"
      from jsonb_to_recordset(${given}::jsonb) as w(id uuid, class text, status int, code text, "retryAfter" text,
        "messageId" text, detail text, "callMs" int)
      where a.id = w.id and (a.settled_at is null or a.class = 'crashed') returning a.id`,
  );
  const begun = await rows<{ id: string; begunAtMs: number }>(
    tx,
    sql`select id, epoch_ms(begun_at) as "begunAtMs" from attempts where id = any(${uuids(calls.map((call) => call.attemptId))})`,
  );
  return {
    begunAt: new Map(begun.map((row) => [row.id, row.begunAtMs])),
    recorded: new Set(recorded.map((row) => row.id)),
  };
}

/** A row that had moved on: it is where it was, unless its late answer was the evidence that it needed. */
function toStale({ call, row }: Decided, convinced: boolean): SettledDelivery {
  return {
    deliveryId: row.id,
    class: call.outcome.class,
    state: convinced ? "delivered" : row.state,
    reason: convinced ? null : row.reason,
    nextEligibleInMs: null,
    stale: true,
  };
}

function toSettled({ call, row, settlement }: Decided, nowMs: number): SettledDelivery {
  return {
    deliveryId: row.id,
    class: call.outcome.class,
    state: settlement.state,
    reason: settlement.state === "dead" || settlement.state === "expired" ? settlement.reason : null,
    nextEligibleInMs:
      settlement.state === "deferred" ? Math.max(1, settlement.nextEligibleAtMs - nowMs) : null,
    stale: false,
  };
}
