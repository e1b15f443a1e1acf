import { sql } from "drizzle-orm";
import { processGeneration } from "../admission/partitions";
import { markUncertain } from "../cleanup/certainty";
import { at, ledgerNowMs, rows, type Transaction, transact, uuids } from "../connection";
import { endWaiting } from "../ledger/expire";
import { lockDeliveries } from "../ledger/lock";
import { type Operator, recordAction } from "../operator-actions";
import { endRedrive, recordEndings } from "../redrive/step";
import { fail, invalid, ok, type Result } from "../rules/errors";
import type { Channel } from "../rules/outcome";
import { decideRestored } from "../rules/restore";

/** What a promotion did. */
export interface Promotion {
  generation: string;
  snapshotAtMs: number;
  /** Could have been sent since the snapshot, and may be sent again under the same key. */
  repeated: number;
  /** Could have been sent since the snapshot, and nobody can know: dead with an unknown outcome. */
  unknown: number;
  /** Redrives that were under way at the snapshot. */
  stoppedRedrives: number;
}

/**
 * A promoted copy may be this far behind the pumps and epochs that the original reached after the snapshot: an idle pump
 * turns over once a second at most, so a million is eleven days.
 */
const GENERATIONS_AHEAD = 1_000_000;

/** A promoted partition starts at this share of its ceiling and recovers with its successes, as after a pause. */
const START_SHARE = 0.2;

/**
 * Lets a restored copy send (DESIGN: restore). Whatever waited at the snapshot and was due since could have been sent by
 * the original: it goes on under the same key where the provider still knows that key, else it is dead with an unknown
 * outcome, for a person or a receipt to decide. Everything else is sent when it is due. Epochs and pump generations are
 * replaced, so that nothing of the original's acts here.
 *
 * Before it, every overdue occurrence must be open and every announced scan fanned out, so that their deliveries come under
 * the same rule; refused otherwise, and while a claim of the copy still holds a lease. A redrive that was under way ends:
 * what it had not released at the snapshot the original may have sent. One transaction: a crash leaves the copy held.
 */
export function promoteLedger(input: {
  snapshotAtMs: number;
  operator: Operator;
}): Promise<Result<Promotion>> {
  const { snapshotAtMs, operator } = input;
  return transact(async (tx): Promise<Result<Promotion>> => {
    await rows(tx, sql`select 1 from ledger_state for update`);
    const nowMs = await ledgerNowMs(tx);
    if (!(snapshotAtMs > 0 && snapshotAtMs <= nowMs))
      return invalid("snapshot-at", new Date(snapshotAtMs), "the time of the snapshot, in the past");
    const obstacle = await obstacleTo(tx);
    if (obstacle !== null) return fail({ code: "conflict", why: obstacle });
    const { repeated, unknown } = await applyRestoreRule(tx, snapshotAtMs, nowMs);
    const stoppedRedrives = await stopRedrives(tx);
    const generation = processGeneration();
    await replaceEpochs(tx);
    await rows(
      tx,
      sql`update ledger_state set mode = 'sending', generation = ${generation}, installation = ledger_installation(),
          snapshot_at = ${at(snapshotAtMs)}, promoted_at = ledger_now()`,
    );
    await markUncertain(tx, "promotion of a restored copy");
    await recordAction(tx, operator, {
      action: "promote",
      target: "ledger",
      details: { generation, snapshotAtMs, repeated, unknown, stoppedRedrives },
    });
    return ok({ generation, snapshotAtMs, repeated, unknown, stoppedRedrives });
  });
}

async function obstacleTo(tx: Transaction): Promise<string | null> {
  const [row] = await rows<{ overdue: number; unfanned: number; leased: number }>(
    tx,
    sql`select (select count(*)::int from occurrences where state = 'waiting' and due_at <= ledger_now()) as overdue,
        (select count(*)::int from shipment_events where version is not null and fanned_out_at is null) as unfanned,
        (select count(*)::int from deliveries where state = 'sending') as leased`,
  );
  if (row !== undefined && row.overdue > 0)
    return `${row.overdue} overdue occurrences are not open yet; a sweep opens them.`;
  if (row !== undefined && row.unfanned > 0)
    return `${row.unfanned} announced scans are not fanned out yet; a sweep does it.`;
  if (row !== undefined && row.leased > 0)
    return `${row.leased} claims still hold a lease; a sweep recovers them when it has run out.`;
  return null;
}

/** Everything that waits and could have been sent since the snapshot, by the repeat rule of its channel. */
async function applyRestoreRule(
  tx: Transaction,
  snapshotAtMs: number,
  nowMs: number,
): Promise<{ repeated: number; unknown: number }> {
  const found = await rows<{ id: string; channel: Channel; unresolvedSinceMs: number | null }>(
    tx,
    sql`select id, channel, epoch_ms(unresolved_since) as "unresolvedSinceMs" from deliveries
      where state in ('scheduled', 'ready', 'deferred')
        and (state = 'ready' or next_eligible_at <= ledger_now() or unresolved_since is not null) order by id`,
  );
  await lockDeliveries(
    tx,
    found.map((row) => row.id),
  );
  const unknown = found
    .filter((row) => decideRestored({ ...row, snapshotAtMs, nowMs }) === "outcome_unknown")
    .map((row) => row.id);
  await rows(
    tx,
    sql`update deliveries set unresolved_since = ${at(snapshotAtMs)},
        admission_id = null, admitted_until = null, kept_by = null, kept_until = null
      where id = any(${uuids(found.map((row) => row.id))}) and unresolved_since is null`,
  );
  await endWaiting(tx, unknown, "outcome_unknown");
  return { repeated: found.length - unknown.length, unknown: unknown.length };
}

async function stopRedrives(tx: Transaction): Promise<number> {
  const unfinished = await rows<{ id: string }>(
    tx,
    sql`select id from redrives where state in ('running', 'paused') order by id for update`,
  );
  for (const { id } of unfinished) {
    await recordEndings(tx, id);
    await endRedrive(tx, id, "stopped");
  }
  return unfinished.length;
}

async function replaceEpochs(tx: Transaction): Promise<void> {
  await rows(tx, sql`select key from partitions order by key for no key update`);
  await rows(
    tx,
    sql`update partitions set pump_generation = pump_generation + ${GENERATIONS_AHEAD}, pump_until = null`,
  );
  await rows(
    tx,
    sql`update meters m set epoch = m.epoch + ${GENERATIONS_AHEAD}, ready_at = greatest(ledger_now(), m.blocked_until),
        urgent_ready_at = ledger_now(), rate = greatest(0.5, least(m.rate, p.ceiling * ${START_SHARE})),
        last_cut_at = ledger_now(), last_feedback_at = ledger_now()
      from partitions p where p.key = m.key`,
  );
}
