import { type SQL, sql } from "drizzle-orm";
import { at, rows, type Transaction, together, uuids } from "../connection";
import { effects } from "../effects";
import type { DeliveryState } from "../rules/lifecycle";
import type { Settlement } from "../rules/settlement";
import { BECOMES_DELIVERED, closingAttempts } from "./delivered";
import type { SettledCall, SettledDelivery } from "./settle";

/** A delivery as its settlement finds it, locked. */
export interface RowFacts {
  id: string;
  channel: "email" | "sms" | "push";
  state: DeliveryState;
  token: number;
  reason: string | null;
  attemptCount: number;
  failureCount: number;
  throttleCount: number;
  failureBudget: number;
  unresolvedSinceMs: number | null;
  destinationId: string | null;
  /** While it is called about: a refusal that was read late named this instant. */
  notBeforeMs: number | null;
  cancelWished: boolean;
}

/** The statements that lock the rows of a settlement and tell which of their sources were cancelled meanwhile. */
export function lockingRows(ids: readonly string[]): [SQL, SQL] {
  return [
    sql`select d.id, d.channel, d.state, d.token, d.reason, d.attempt_count as "attemptCount",
        d.failure_count as "failureCount", d.throttle_count as "throttleCount", d.failure_budget as "failureBudget", d.destination_id as "destinationId",
        epoch_ms(d.unresolved_since) as "unresolvedSinceMs", epoch_ms(d.next_eligible_at) as "notBeforeMs",
        false as "cancelWished"
      from deliveries d where d.id = any(${uuids(ids)}) order by d.id for update`,
    // A second statement, after the locks: the source may have been cancelled while we waited for them.
    sql`select d.id from deliveries d join occurrences o on o.id = d.occurrence_id join reminders r on r.id = o.reminder_id
      where d.id = any(${uuids(ids)}) and (r.status = 'cancelled' or o.state = 'cancelled')`,
  ];
}

/** What `lockingRows` found, by delivery. */
export function toRowFacts(
  locked: readonly RowFacts[],
  cancelled: readonly { id: string }[],
): Map<string, RowFacts> {
  const wished = new Set(cancelled.map((row) => row.id));
  return new Map(locked.map((row) => [row.id, { ...row, cancelWished: wished.has(row.id) }]));
}

export async function lockRows(tx: Transaction, ids: readonly string[]): Promise<Map<string, RowFacts>> {
  const [locked, cancelled] = await together<[RowFacts, { id: string }]>(tx, lockingRows(ids));
  return toRowFacts(locked, cancelled);
}

/**
 * The statement that settles the attempt rows and returns the ids of those it did. An attempt that is settled already
 * stays as it is; what a crash left unknown may still learn its answer.
 */
export function recordingAttempts(calls: readonly SettledCall[]): SQL {
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
  return sql`update attempts a set settled_at = ledger_now(), class = w.class, status = w.status, code = w.code,
        retry_after = w."retryAfter", provider_message_id = w."messageId", detail = w.detail, call_ms = w."callMs"
      from jsonb_to_recordset(${given}::jsonb) as w(id uuid, class text, status int, code text, "retryAfter" text,
        "messageId" text, detail text, "callMs" int)
      where a.id = w.id and (a.settled_at is null or a.class = 'crashed') returning a.id`;
}

/** A call, its delivery, and what becomes of it. */
export interface Decided {
  call: SettledCall;
  row: RowFacts;
  settlement: Settlement;
  /** When the settled attempt began. */
  begunAtMs: number;
}

/**
 * Moves the rows that their callers still hold: compare-and-set on state and fencing token. A row without a call keeps
 * its place in the lane; one that was claimed ahead of its time had none and joins at the lane's clock.
 */
export async function applySettlements(tx: Transaction, decided: readonly Decided[]): Promise<void> {
  if (decided.length > 0) await rows(tx, applyingSettlements(decided));
}

/** The statement of `applySettlements`. */
export function applyingSettlements(decided: readonly Decided[]): SQL {
  const given = JSON.stringify(
    decided.map(({ row, call, settlement: s }) => ({
      id: row.id,
      state: s.state,
      reason: s.state === "dead" || s.state === "expired" ? s.reason : null,
      nextMs: s.state === "deferred" ? s.nextEligibleAtMs : null,
      class: s.state === "ready" ? "not_made" : s.lastClass,
      failures: s.state === "ready" ? row.failureCount : s.failureCount,
      throttles: s.state === "ready" ? row.throttleCount : s.throttleCount,
      unresolvedMs: s.state === "ready" ? row.unresolvedSinceMs : s.unresolvedSinceMs,
      wish: s.state === "dead" ? (s.wish ?? null) : null,
      reconcileMs: s.state === "dead" ? (s.reconcileAtMs ?? null) : null,
      messageId: s.state === "delivered" ? s.providerMessageId : null,
      burialId: s.state === "dead" ? effects.newId() : null,
      token: call.token,
    })),
  );
  return sql`update deliveries d set state = w.state, reason = w.reason, last_class = w.class,
        next_eligible_at = from_epoch_ms(w."nextMs"), lease_until = null,
        pass = case when w.state = 'ready' then coalesce(d.pass, (select l.pass_floor from lanes l
          where l.partition = d.partition and l.lane = d.lane), 0) end,
        failure_count = w.failures, throttle_count = w.throttles, acknowledged = d.acknowledged and w.class <> 'ambiguous',
        unresolved_since = from_epoch_ms(w."unresolvedMs"), wish = w.wish, reconcile_at = from_epoch_ms(w."reconcileMs"),
        provider_message_id = coalesce(w."messageId", d.provider_message_id), burial_id = coalesce(w."burialId", d.burial_id),
        finished_at = case when w.state in ('delivered', 'dead', 'expired') then ledger_now() end
      from jsonb_to_recordset(${given}::jsonb) as w(id uuid, state text, reason text, "nextMs" float8, class text,
        failures int, throttles int, "unresolvedMs" float8, wish text, "reconcileMs" float8, "messageId" text,
        "burialId" uuid, token int)
      where d.id = w.id and d.state = 'sending' and d.token = w.token`;
}

/**
 * Acceptance that comes after the row moved on is still acceptance: it ends any waiting row and any unknown outcome.
 * Returns the rows that it ended.
 */
export async function applyLateEvidence(tx: Transaction, late: readonly Decided[]): Promise<Set<string>> {
  const convinced = new Set<string>();
  for (const { row, settlement } of late) {
    if (settlement.state !== "delivered") continue;
    const ended = await rows(
      tx,
      sql`update deliveries set ${BECOMES_DELIVERED},
          provider_message_id = ${settlement.providerMessageId}
        where id = ${row.id} and (state in ('scheduled', 'ready', 'sending', 'deferred')
          or (state = 'dead' and reason = 'outcome_unknown')) returning id`,
    );
    if (ended.length > 0) convinced.add(row.id);
  }
  if (convinced.size > 0) await rows(tx, closingAttempts([...convinced]));
  return convinced;
}

/**
 * A refusal that comes after the row moved on still names a time (P3): whoever waits waits as long, what another holder
 * calls about keeps the time for when that call has ended, and what is dead keeps it for a redrive. Nothing of the failure
 * budget is spent.
 */
export async function heedLateRefusals(tx: Transaction, late: readonly Decided[]): Promise<void> {
  for (const { call, row, settlement } of late) {
    const refused = call.outcome.class === "throttled" || call.outcome.class === "quota";
    if (!refused || settlement.state !== "deferred") continue;
    await rows(
      tx,
      sql`update deliveries set next_eligible_at = greatest(next_eligible_at, ${at(settlement.nextEligibleAtMs)}),
          throttle_count = throttle_count + 1, pass = case when state <> 'ready' then pass end,
          last_class = case when state in ('ready', 'deferred') then ${call.outcome.class} else last_class end,
          state = case state when 'ready' then 'deferred' else state end,
          admission_id = null, admitted_until = null, kept_by = null, kept_until = null
        where id = ${row.id} and state in ('scheduled', 'ready', 'sending', 'deferred', 'dead')`,
    );
  }
}

/** A row that had moved on: it is where it was, unless its late answer was the evidence that it needed. */
export function toStale({ call, row }: Decided, convinced: boolean): SettledDelivery {
  return {
    deliveryId: row.id,
    class: call.outcome.class,
    state: convinced ? "delivered" : row.state,
    reason: convinced ? null : row.reason,
    nextEligibleInMs: null,
    stale: true,
  };
}

/** A row as its settlement left it. */
export function toSettled({ call, row, settlement }: Decided, nowMs: number): SettledDelivery {
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
