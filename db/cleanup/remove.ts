import { type SQL, sql } from "drizzle-orm";
import { alone, rows, type Transaction, transact } from "../connection";
import { effects } from "../effects";
import { REDRIVE_HORIZON_DAYS } from "../rules/retention";
import { readCertainty } from "./certainty";
import type { RemovableCount } from "./runs";

/** Whether a pass may delete, and otherwise why not, in words for people. */
export type Permission = { allowed: true } | { allowed: false; why: string };

/** A pass that has begun. */
export interface CleanupPass {
  runId: string;
  permission: Permission;
  counted: RemovableCount[];
}

/** A pass renews its hold with every batch; one that died leaves it this long. */
const LEASE_SECONDS = 120;

/**
 * Whether a delivery may go: terminal, older than its state's approved retention, and no dead letter within the redrive
 * horizon nor one of an unfinished redrive. The count and the DELETE ask exactly this.
 */
function removable(retentionAlias: SQL): SQL {
  return sql`d.state in ('delivered', 'dead', 'expired') and d.state = ${retentionAlias}.state
    and ${retentionAlias}.slo_owner is not null and ${retentionAlias}.records_owner is not null
    and d.finished_at < ledger_now() - ${retentionAlias}.keep_days * interval '1 day'
    and (d.state <> 'dead' or d.finished_at < ledger_now() - ${REDRIVE_HORIZON_DAYS} * interval '1 day')
    and not exists (select 1 from redrive_members member join redrives r on r.id = member.redrive_id
      where member.delivery_id = d.id and r.state in ('running', 'paused'))`;
}

/**
 * Whether cleanup may delete now: the switch is on, and it is certain who sends from this ledger. Asked again before
 * every batch.
 */
export async function mayClean(tx: Transaction): Promise<Permission> {
  const [off] = await rows<{ by: string; reason: string }>(
    tx,
    sql`select cleanup_off_by as by, cleanup_off_reason as reason from ledger_state where cleanup_off_at is not null`,
  );
  if (off !== undefined) return { allowed: false, why: `switched off by ${off.by}: ${off.reason}` };
  const certainty = await readCertainty(tx);
  return certainty.certain ? { allowed: true } : { allowed: false, why: certainty.why ?? "uncertain" };
}

/** What a pass would remove now, by state and reason, without beginning one. */
export async function countRemovable(): Promise<RemovableCount[]> {
  return transact(count);
}

function count(tx: Transaction): Promise<RemovableCount[]> {
  return rows<RemovableCount>(
    tx,
    sql`select d.state, d.reason, count(*)::int as count,
        epoch_ms(ledger_now() - min(t.keep_days) * interval '1 day') as "beforeMs"
      from retention t join deliveries d on ${removable(sql`t`)}
      group by d.state, d.reason order by d.state, d.reason`,
  );
}

/**
 * Begins a pass: what may go is counted by state and reason and written down before anything is deleted (P8). Null when
 * another pass is under way; ticks that overlap or are caught up end there.
 */
export async function beginCleanup(mover: "cron" | "command"): Promise<CleanupPass | null> {
  return transact(async (tx): Promise<CleanupPass | null> => {
    // One pass begins at a time; the lock ends with this short transaction.
    await rows(tx, sql`select pg_advisory_xact_lock(7446004)`);
    const [running] = await rows(
      tx,
      sql`select 1 from cleanup_runs where outcome = 'running' and lease_until > ledger_now() limit 1`,
    );
    if (running !== undefined) return null;
    await rows(
      tx,
      sql`update cleanup_runs set outcome = 'removed', finished_at = lease_until, why = 'ended by a crash'
        where outcome = 'running'`,
    );
    const permission = await mayClean(tx);
    const counted = permission.allowed ? await count(tx) : [];
    const runId = effects.newId();
    const why = permission.allowed ? null : permission.why;
    await rows(
      tx,
      sql`insert into cleanup_runs (id, mover, started_at, lease_until, finished_at, outcome, why, counted)
        values (${runId}::uuid, ${mover}, ledger_now(), ledger_now() + ${LEASE_SECONDS} * interval '1 second',
          ${permission.allowed ? sql`null` : sql`ledger_now()`}, ${permission.allowed ? "running" : "refused"}, ${why},
          ${JSON.stringify(counted)}::jsonb)`,
    );
    return { runId, permission, counted };
  });
}

/** What one batch came to; `more` is false when the pass has nothing left to do. */
export interface Batch {
  removed: number;
  more: boolean;
  why: string | null;
}

/**
 * Removes one bounded batch: locks candidates (SKIP LOCKED: whoever holds a row has more to do with it), then deletes
 * those for which every condition holds under the lock, in its own statement, which sees what committed meanwhile. Their
 * attempts go with them; payloads and notices that nothing refers to any more go too. The occurrence stays: its
 * `opened_at` is the memory that nothing opens twice.
 */
export async function removeFinished(runId: string, limit: number): Promise<Batch> {
  return transact(async (tx): Promise<Batch> => {
    // The switch and a hand-over wait for the batch under way, and stop the next one.
    await rows(tx, sql`select 1 from ledger_state for share`);
    const permission = await mayClean(tx);
    if (!permission.allowed) return { removed: 0, more: false, why: permission.why };
    const locked = await rows<{ id: string }>(
      tx,
      sql`select d.id from retention t cross join lateral (
          select d.id from deliveries d where ${removable(sql`t`)} order by d.finished_at limit ${limit} for update of d skip locked
        ) d limit ${limit}`,
    );
    const ids = sql`(select w.id from jsonb_to_recordset(${JSON.stringify(locked)}::jsonb) as w(id uuid))`;
    const gone = await rows<{ payloadId: string | null; noticeId: string | null }>(
      tx,
      sql`delete from deliveries d using retention t where d.id in ${ids} and ${removable(sql`t`)}
        returning d.payload_id as "payloadId", d.notice_id as "noticeId"`,
    );
    await removeOrphans(tx, gone);
    await rows(
      tx,
      sql`update cleanup_runs set removed = removed + ${gone.length}, batches = batches + 1,
          lease_until = ledger_now() + ${LEASE_SECONDS} * interval '1 second' where id = ${runId}::uuid`,
    );
    return { removed: gone.length, more: locked.length === limit, why: null };
  });
}

/** Content without a delivery is nobody's; a payload that another delivery still refers to stays. */
async function removeOrphans(
  tx: Transaction,
  gone: readonly { payloadId: string | null; noticeId: string | null }[],
): Promise<void> {
  const listed = (ids: readonly (string | null)[]) => {
    const known = [...new Set(ids.filter((id) => id !== null))].sort().map((id) => ({ id }));
    return sql`(select w.id from jsonb_to_recordset(${JSON.stringify(known)}::jsonb) as w(id uuid))`;
  };
  await rows(
    tx,
    sql`delete from payloads p where p.id in ${listed(gone.map((row) => row.payloadId))}
      and not exists (select 1 from deliveries d where d.payload_id = p.id)`,
  );
  await rows(
    tx,
    sql`delete from notices n where n.id in ${listed(gone.map((row) => row.noticeId))}
      and not exists (select 1 from deliveries d where d.notice_id = n.id)`,
  );
}

/** Ends a pass. `why` says what stopped it, if something did. */
export async function endCleanup(runId: string, why: string | null): Promise<void> {
  await transact((tx) =>
    rows(
      tx,
      sql`update cleanup_runs set outcome = 'removed', finished_at = ledger_now(), why = ${why}
        where id = ${runId}::uuid and outcome = 'running'`,
    ),
  );
}

/** Published events are kept for a week: two days more than the longest wait that they may have begun. */
const OUTBOX_KEPT = sql`interval '7 days'`;

/** An idempotency key is honoured for a day; a second one is for whoever looks into a dispute. */
const KEYS_KEPT = sql`interval '2 days'`;

/** Reports about deliveries that nobody knows: providers repeat for a day and a half at most. */
const UNKNOWN_REPORTS_KEPT = sql`interval '7 days'`;

/** Ended sessions, codes and links, and limits that nobody is near any more. */
const ENDED_KEPT = sql`interval '1 day'`;

/** Removes what has served: published events, old idempotency keys, ended sessions, and the like; a bounded number each. */
export async function removeServed(limit: number): Promise<{ events: number; keys: number }> {
  const served = async (table: string, column: string, kept: SQL, more = sql`true`): Promise<number> => {
    const [name, time] = [sql.identifier(table), sql.identifier(column)];
    const old = sql`${time} < ledger_now() - ${kept} and ${more}`;
    const gone = await alone(
      sql`delete from ${name} where ctid = any(array(select ctid from ${name} where ${old} order by ${time}
        limit ${limit} for update skip locked)) and ${old} returning 1`,
    );
    return gone.length;
  };
  const events = await served("outbox", "published_at", OUTBOX_KEPT);
  const keys = await served("idempotency_keys", "created_at", KEYS_KEPT);
  await served("receipts", "reported_at", UNKNOWN_REPORTS_KEPT, sql`delivery_id is null`);
  await served("auth_sessions", "expires_at", ENDED_KEPT);
  await served("auth_verifications", "expires_at", ENDED_KEPT);
  await served("rate_limits", "taken_until", ENDED_KEPT);
  return { events, keys };
}

/**
 * Wipes the contents of messages that nobody needs any more: every delivery of a payload ended longer ago than the
 * approved retention `content`, and none is in an unfinished redrive. What was rendered for somebody who has been erased
 * meanwhile goes at once. Returns how many; at most `limit`.
 */
export async function wipeContents(limit: number): Promise<number> {
  const wiped = await alone(
    sql`update payloads p set content = null, wiped_at = ledger_now() where p.wiped_at is null and p.id in (
        select p.id from payloads p join retention t on t.state = 'content'
        where p.content is not null and p.created_at < ledger_now() - t.keep_days * interval '1 day'
          and t.slo_owner is not null and t.records_owner is not null
          and not exists (select 1 from deliveries d where d.payload_id = p.id
            and (d.finished_at is null or d.finished_at > ledger_now() - t.keep_days * interval '1 day'
              or exists (select 1 from redrive_members m join redrives r on r.id = m.redrive_id
                where m.delivery_id = d.id and r.state in ('running', 'paused'))))
        order by p.created_at limit ${limit} for update of p skip locked)
      returning 1`,
  );
  const late = await alone(
    sql`update payloads p set content = null, wiped_at = ledger_now() where p.wiped_at is null
      and p.source_id in (select o.id from subscribers s join reminders r on r.subscriber_id = s.id
        join occurrences o on o.reminder_id = r.id where s.erased_at > ledger_now() - interval '2 days')
      returning 1`,
  );
  return wiped.length + late.length;
}
