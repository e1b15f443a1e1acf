import { sql } from "drizzle-orm";
import { rows, type Transaction } from "../connection";
import { effects } from "../effects";
import type { DeliveryState } from "../rules/lifecycle";
import type { Settlement } from "../rules/settlement";
import type { SettledCall } from "./settle";

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
  unresolvedSinceMs: number | null;
  destinationId: string | null;
  cancelWished: boolean;
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
  if (decided.length === 0) return;
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
  await rows(
    tx,
    sql`update deliveries d set state = w.state, reason = w.reason, last_class = w.class,
        next_eligible_at = from_epoch_ms(w."nextMs"), lease_until = null,
        pass = case when w.state = 'ready' then coalesce(d.pass, (select l.pass_floor from lanes l
          where l.partition = d.partition and l.lane = d.lane), 0) end,
        failure_count = w.failures, throttle_count = w.throttles,
        unresolved_since = from_epoch_ms(w."unresolvedMs"), wish = w.wish, reconcile_at = from_epoch_ms(w."reconcileMs"),
        provider_message_id = coalesce(w."messageId", d.provider_message_id), burial_id = coalesce(w."burialId", d.burial_id),
        burial_run_id = case when w."burialId" is null then d.burial_run_id end,
        finished_at = case when w.state in ('delivered', 'dead', 'expired') then ledger_now() end
      from jsonb_to_recordset(${given}::jsonb) as w(id uuid, state text, reason text, "nextMs" float8, class text,
        failures int, throttles int, "unresolvedMs" float8, wish text, "reconcileMs" float8, "messageId" text,
        "burialId" uuid, token int)
      where d.id = w.id and d.state = 'sending' and d.token = w.token`,
  );
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
      sql`update deliveries set state = 'delivered', reason = null, wish = null, last_class = 'accepted',
          unresolved_since = null, reconcile_at = null, next_eligible_at = null, lease_until = null, pass = null,
          admission_id = null, admitted_until = null, kept_by = null, kept_until = null,
          provider_message_id = ${settlement.providerMessageId}, finished_at = coalesce(finished_at, ledger_now())
        where id = ${row.id} and (state in ('scheduled', 'ready', 'sending', 'deferred')
          or (state = 'dead' and reason = 'outcome_unknown')) returning id`,
    );
    if (ended.length > 0) convinced.add(row.id);
  }
  return convinced;
}

/** Marks what a provider said about an address: `gone` retires exactly this row, the rest suppresses it. */
export async function markDestinations(tx: Transaction, decided: readonly Decided[]): Promise<void> {
  for (const { row, settlement } of decided) {
    const mark = "mark" in settlement ? settlement.mark : undefined;
    if (mark === undefined || row.destinationId === null) continue;
    const state = mark === "gone" ? "retired" : "suppressed";
    await rows(
      tx,
      sql`update destinations set state = ${state}, state_reason = ${mark} where id = ${row.destinationId} and state = 'active'`,
    );
  }
}
