import { sql } from "drizzle-orm";
import { ledgerNowMs, rows, type Transaction, transact } from "../connection";
import { effects } from "../effects";
import { stageDeaths } from "../outbox";
import { believeReports } from "../receipts/believe";
import type { Channel } from "../rules/outcome";
import { REPEAT_BY_CHANNEL } from "../rules/repeat-policy";
import { throttleFloorMs } from "../rules/retry-policy";
import { decideSettlement, type Settlement } from "../rules/settlement";
import { closingAttempts } from "./delivered";

interface Abandoned {
  id: string;
  channel: Channel;
  partition: string;
  begunAtMs: number;
  attemptCount: number;
  failureCount: number;
  throttleCount: number;
  failureBudget: number;
  unresolvedSinceMs: number | null;
  /** A refusal of an earlier attempt that was read late named this instant. */
  notBeforeMs: number | null;
  cancelWished: boolean;
}

/**
 * Takes up deliveries whose lease has passed: their run died between begin and settle, so nobody knows the outcome (P5,
 * P9). The attempt is settled as `crashed`; the delivery spends one of its budget, travels alone from then on, and goes
 * on as the adapter's `repeat` allows: the same key again, a collapse, or `dead/outcome_unknown`.
 *
 * SKIP LOCKED: a settlement that is under way wins, and a late one is refused by the token or counts as evidence.
 */
export async function recoverLeases(input: { partition: string | null; limit: number }): Promise<number> {
  return transact(async (tx) => {
    const abandoned = await lockAbandoned(tx, input);
    if (abandoned.length === 0) return 0;
    const nowMs = await ledgerNowMs(tx);
    const decided = abandoned.map((row) => ({ row, settlement: decideRecovery(row, nowMs) }));
    await applyRecoveries(tx, decided);
    const reported = await believeReports(
      tx,
      abandoned.map((row) => row.id),
    );
    await stageDeaths(
      tx,
      decided
        .filter(({ row, settlement }) => settlement.state === "dead" && !reported.has(row.id))
        .map(({ row }) => row.id),
    );
    return abandoned.length;
  });
}

function lockAbandoned(
  tx: Transaction,
  input: { partition: string | null; limit: number },
): Promise<Abandoned[]> {
  return rows<Abandoned>(
    tx,
    sql`with lapsed as (
        select id from deliveries
        where ${input.partition === null ? sql`true` : sql`partition = ${input.partition}`}
          and state = 'sending' and lease_until <= ledger_now()
        order by lease_until limit ${input.limit} for update skip locked
      )
      select d.id, d.channel, d.partition, epoch_ms(a.begun_at) as "begunAtMs",
        d.attempt_count as "attemptCount", d.failure_count as "failureCount", d.throttle_count as "throttleCount",
        d.failure_budget as "failureBudget",
        epoch_ms(d.unresolved_since) as "unresolvedSinceMs", epoch_ms(d.next_eligible_at) as "notBeforeMs",
        coalesce(r.status = 'cancelled' or o.state = 'cancelled', false) as "cancelWished"
      from lapsed join deliveries d on d.id = lapsed.id
      join attempts a on a.delivery_id = d.id and a.number = d.attempt_count
      left join occurrences o on o.id = d.occurrence_id left join reminders r on r.id = o.reminder_id
      order by d.id`,
  );
}

function decideRecovery(row: Abandoned, nowMs: number): Settlement {
  const repeat = REPEAT_BY_CHANNEL[row.channel];
  // A collapsing repeat spends the budget inside the rule; the others spend it here.
  const failureCount = row.failureCount + (repeat === "collapsing" ? 0 : 1);
  const spent = failureCount >= row.failureBudget;
  return decideSettlement({
    outcome: { class: "ambiguous", needsReview: spent },
    nowMs,
    begunAtMs: row.begunAtMs,
    counters: { ...row, failureCount },
    unresolvedSinceMs: row.unresolvedSinceMs,
    repeat,
    throttleFloorMs: throttleFloorMs(row.partition),
    seed: row.id,
    cancelWished: row.cancelWished,
    failureBudget: row.failureBudget,
    notBeforeMs: row.notBeforeMs,
  });
}

async function applyRecoveries(
  tx: Transaction,
  decided: readonly { row: Abandoned; settlement: Settlement }[],
): Promise<void> {
  const given = JSON.stringify(
    decided.map(({ row, settlement: s }) => ({
      id: row.id,
      state: s.state,
      reason: s.state === "dead" || s.state === "expired" ? s.reason : null,
      nextMs: s.state === "deferred" ? s.nextEligibleAtMs : null,
      failures: s.state === "ready" ? row.failureCount : s.failureCount,
      unresolvedMs: s.state === "ready" ? row.unresolvedSinceMs : s.unresolvedSinceMs,
      wish: s.state === "dead" ? (s.wish ?? null) : null,
      reconcileMs: s.state === "dead" ? (s.reconcileAtMs ?? null) : null,
      burialId: s.state === "dead" ? effects.newId() : null,
    })),
  );
  const recovered = sql`jsonb_to_recordset(${given}::jsonb) as w(id uuid, state text, reason text,
    "nextMs" float8, failures int, "unresolvedMs" float8, wish text, "reconcileMs" float8, "burialId" uuid)`;
  await rows(tx, closingAttempts(decided.map(({ row }) => row.id)));
  await rows(
    tx,
    sql`update deliveries d set state = w.state, reason = w.reason, last_class = 'crashed', alone = true, acknowledged = false, lease_until = null,
        next_eligible_at = from_epoch_ms(w."nextMs"), pass = null, failure_count = w.failures,
        unresolved_since = from_epoch_ms(w."unresolvedMs"), wish = w.wish, reconcile_at = from_epoch_ms(w."reconcileMs"),
        burial_id = coalesce(w."burialId", d.burial_id),
        finished_at = case when w.state in ('dead', 'expired') then ledger_now() end
      from ${recovered} where d.id = w.id and d.state = 'sending'`,
  );
}
