import { sql } from "drizzle-orm";
import { alone, rows, transact } from "./connection";
import { effects } from "./effects";

export type SweepMover = "cron" | "start" | "health" | "sync" | "command";

/** Records that a sweep has begun, unless another began less than `quietMs` ago: then null, and nobody sweeps twice. */
export async function beginSweep(mover: SweepMover, quietMs: number): Promise<string | null> {
  return transact(async (tx) => {
    const id = effects.newId();
    // One sweep decides at a time; the lock ends with this short transaction.
    await rows(tx, sql`select pg_advisory_xact_lock(7446002)`);
    const [begun] = await rows<{ id: string }>(
      tx,
      sql`insert into sweeps (id, mover, started_at)
        select ${id}::uuid, ${mover}, ledger_now()
        where not exists (select 1 from sweeps where started_at > ledger_now() - ${quietMs} * interval '1 millisecond')
        returning id`,
    );
    // A day of sweeps answers every question that is asked of them.
    await rows(tx, sql`delete from sweeps where started_at < ledger_now() - interval '1 day'`);
    return begun?.id ?? null;
  });
}

/** Stores what a sweep healed. */
export async function endSweep(id: string, counts: Record<string, number>): Promise<void> {
  await transact((tx) =>
    rows(
      tx,
      sql`update sweeps set finished_at = ledger_now(), counts = ${JSON.stringify(counts)}::jsonb where id = ${id}::uuid`,
    ),
  );
}

/** How long ago the last sweep began, in milliseconds; null when there never was one. */
export async function lastSweepAgeMs(): Promise<number | null> {
  return transact(async (tx) => {
    const [row] = await rows<{ ageMs: number | null }>(
      tx,
      sql`select epoch_ms(ledger_now()) - epoch_ms(max(started_at)) as "ageMs" from sweeps`,
    );
    return row?.ageMs ?? null;
  });
}

/** A second in which occurrences wait to become due, and how many. */
export interface DueSecond {
  second: number;
  waiting: number;
}

/** The due seconds of waiting occurrences between now and `aheadMs`, so that lost waits can be armed again. */
export function upcomingDueSeconds(aheadMs: number, limit: number): Promise<DueSecond[]> {
  return transact((tx) =>
    rows<DueSecond>(
      tx,
      sql`select floor(epoch_ms(due_at) / 1000) as second, count(*)::int as waiting from occurrences
        where state = 'waiting' and due_at > ledger_now() and due_at <= ledger_now() + ${aheadMs} * interval '1 millisecond'
        group by 1 order by 1 limit ${limit}`,
    ),
  );
}

/** Writes a row that nobody reads, as work would write its own. Throws when the database takes no writes. */
export async function tryToWrite(): Promise<void> {
  await alone(
    sql`insert into rate_limits (key, taken_until) values ('health', ledger_now())
      on conflict (key) do update set taken_until = ledger_now()`,
  );
}
