import { sql } from "drizzle-orm";
import { rows, type Transaction, transact, uuids } from "../connection";
import { instantOfWallTime } from "../rules/due-time";
import { armWaits } from "./occurrence";

/** Occurrences looked at in one transaction: a screenful of arithmetic, and locks for a moment. */
const BATCH = 500;

interface WaitingRow {
  id: string;
  reminderId: string;
  wallTime: string;
  timeZone: string;
  dueAtMs: number;
}

/**
 * Derives the instants of waiting occurrences again when the zone data of this process is not the one by which they were
 * derived last: wall time and zone are the truth, and a government may change what instant they mean. Returns how many
 * moved; null when the data is the same. A crash in between begins again, which changes nothing twice.
 */
export async function rederiveInstants(zoneData: string): Promise<number | null> {
  const [known] = await transact((tx) =>
    rows<{ zoneData: string | null }>(tx, sql`select zone_data as "zoneData" from ledger_state`),
  );
  if (known?.zoneData === zoneData) return null;
  let moved = 0;
  for (let after: string | null = null; ; ) {
    const batch: { last: string | null; moved: number } = await transact((tx) => rederiveBatch(tx, after));
    moved += batch.moved;
    if (batch.last === null) break;
    after = batch.last;
  }
  await transact((tx) => rows(tx, sql`update ledger_state set zone_data = ${zoneData}`));
  return moved;
}

async function rederiveBatch(
  tx: Transaction,
  after: string | null,
): Promise<{ last: string | null; moved: number }> {
  const waiting = await rows<WaitingRow>(
    tx,
    sql`select id, reminder_id as "reminderId", wall_time as "wallTime", time_zone as "timeZone", epoch_ms(due_at) as "dueAtMs"
      from occurrences where state = 'waiting' and (${after}::uuid is null or id > ${after}::uuid)
      order by id limit ${BATCH}`,
  );
  const moved = waiting
    .map((row) => ({ ...row, nowDueAtMs: instantOfWallTime(row.wallTime, row.timeZone, row.dueAtMs) }))
    .filter((row) => row.nowDueAtMs !== row.dueAtMs);
  await moveOccurrences(tx, moved);
  return { last: waiting.length < BATCH ? null : (waiting.at(-1)?.id ?? null), moved: moved.length };
}

/** Gives waiting occurrences new instants, and their reminders with them, unless something else moved them meanwhile. */
async function moveOccurrences(
  tx: Transaction,
  moved: readonly (WaitingRow & { nowDueAtMs: number })[],
): Promise<void> {
  if (moved.length === 0) return;
  const given = JSON.stringify(moved);
  const shape = sql`jsonb_to_recordset(${given}::jsonb) as w(id uuid, "reminderId" uuid, "timeZone" text, "dueAtMs" float8, "nowDueAtMs" float8)`;
  await rows(
    tx,
    sql`select id from reminders where id = any(${uuids(moved.map((row) => row.reminderId))}) order by id for no key update`,
  );
  await rows(
    tx,
    sql`update reminders r set due_at = from_epoch_ms(w."nowDueAtMs"), time_zone = w."timeZone" from ${shape}
      where r.id = w."reminderId" and epoch_ms(r.due_at) = w."dueAtMs"`,
  );
  await rows(
    tx,
    sql`update occurrences o set due_at = from_epoch_ms(w."nowDueAtMs"), time_zone = w."timeZone" from ${shape}
      where o.id = w.id and o.state = 'waiting' and epoch_ms(o.due_at) = w."dueAtMs"`,
  );
  await armWaits(
    tx,
    moved.map((row) => row.nowDueAtMs),
  );
}

/**
 * Takes the reminders that hold wherever their owner is to a new zone. One whose time has passed there comes at once.
 * The caller holds the subscriber's row; the reminders come after it, as everywhere.
 */
export async function moveFloating(tx: Transaction, subscriberId: string, timeZone: string): Promise<void> {
  await rows(
    tx,
    sql`update reminders set time_zone = ${timeZone}, updated_at = ledger_now()
      where subscriber_id = ${subscriberId}::uuid and floating and status in ('active', 'paused')`,
  );
  const waiting = await rows<WaitingRow>(
    tx,
    sql`select o.id, r.id as "reminderId", o.wall_time as "wallTime", epoch_ms(o.due_at) as "dueAtMs", ${timeZone}::text as "timeZone"
      from reminders r join occurrences o on o.reminder_id = r.id
      where r.subscriber_id = ${subscriberId}::uuid and r.floating and o.state = 'waiting' and o.time_zone <> ${timeZone}`,
  );
  await moveOccurrences(
    tx,
    waiting.map((row) => ({ ...row, nowDueAtMs: instantOfWallTime(row.wallTime, timeZone) })),
  );
}
