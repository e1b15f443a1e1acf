import { sql } from "drizzle-orm";
import { expect } from "vitest";
import { database, rows } from "../../db/connection";
import type { DeliveryRow } from "./factories";

/** A verb may read a few of its own rows and its batch of 500 through a few indexes, never a part of the backlog. */
const TUPLES_MAX = 8_000;

/** Copies of one row, each with a key of its own: as many as asked, spread over so many flows. */
export async function copyDelivery(row: DeliveryRow, count: number, flows: number): Promise<void> {
  await database().transaction(async (tx) => {
    await rows(tx, sql`set local session_replication_role = replica`);
    await rows(
      tx,
      sql`insert into deliveries
        select copied.* from deliveries d, generate_series(1, ${count}::int) n,
          lateral jsonb_populate_record(d, jsonb_build_object('id', gen_random_uuid(), 'key', d.key || ':' || n,
            'reference', md5(d.reference || n), 'occurrence_id', gen_random_uuid(), 'flow', 'flow-' || n % ${flows}::int,
            'pass', case when d.pass is not null then n / ${flows}::int end,
            'next_eligible_at', d.next_eligible_at + n * interval '10 milliseconds')) copied
        where d.id = ${row.id}::uuid`,
    );
  });
}

/** What the verb made the database read of the ledger's table. */
export async function cost(verb: () => Promise<unknown>): Promise<{ seqScans: number; tuples: number }> {
  const before = await counters();
  await verb();
  const after = await counters();
  return { seqScans: after.seqScans - before.seqScans, tuples: after.tuples - before.tuples };
}

async function counters(): Promise<{ seqScans: number; tuples: number }> {
  await rows(database(), sql`select pg_stat_force_next_flush()`);
  const [found] = await rows<{ seqScans: number; tuples: number }>(
    database(),
    sql`select seq_scan::int as "seqScans", (seq_tup_read + (select sum(idx_tup_read) from pg_stat_user_indexes
        where relname = 'deliveries'))::int as tuples
      from pg_stat_user_tables where relname = 'deliveries'`,
  );
  if (found === undefined) throw new Error("no counters");
  return found;
}

/** The verb finds its rows by the right index, however many others there are. */
export async function expectCheap(verb: () => Promise<unknown>): Promise<void> {
  const { seqScans, tuples } = await cost(verb);
  expect(seqScans, "sequential scans of deliveries").toBe(0);
  expect(tuples, "tuples read").toBeLessThanOrEqual(TUPLES_MAX);
}
