import { type SQL, sql } from "drizzle-orm";
import { ledgerNowMs, rows, transact } from "../connection";

/** What left, what was put off and what was given up in one stretch of time. */
export interface FlowBucket {
  fromMs: number;
  sent: number;
  deferred: number;
  dead: number;
}

export interface Flow {
  buckets: FlowBucket[];
  bucketMs: number;
  nowMs: number;
}

/** As many as a narrow screen can tell apart. */
const BUCKETS = 60;

/**
 * Sent, deferred and dead over the last `spanMs`, in `BUCKETS` stretches, oldest first. Sent is an accepted call,
 * deferred one whose answer put the delivery off, dead a burial that still stands. Read from the ledger itself through
 * the index on the begin of a call and the one of the dead.
 */
export async function readFlow(spanMs: number): Promise<Flow> {
  const bucketMs = spanMs / BUCKETS;
  return transact(async (tx) => {
    const nowMs = await ledgerNowMs(tx);
    // Whole stretches: the same calls stand in the same bar at the next reading.
    const endMs = Math.ceil(nowMs / bucketMs) * bucketMs;
    const fromMs = endMs - BUCKETS * bucketMs;
    const from = sql`from_epoch_ms(${fromMs}::double precision)`;
    // In whole intervals: arithmetic on each row's instant takes three times as long.
    const binOf = (column: SQL) => sql`date_bin(${bucketMs} * interval '1 millisecond', ${column}, ${from})`;
    const calls = await rows<{ binMs: number; sent: number; deferred: number }>(
      tx,
      sql`select epoch_ms(bin) as "binMs",
          count(*) filter (where class = 'accepted')::int as sent,
          count(*) filter (where class in ('throttled', 'quota', 'transient', 'ambiguous', 'config_rejected', 'crashed'))::int as deferred
        from (select ${binOf(sql`begun_at`)} as bin, class from attempts where begun_at >= ${from}) a group by bin`,
    );
    const burials = await rows<{ binMs: number; dead: number }>(
      tx,
      sql`select epoch_ms(bin) as "binMs", count(*)::int as dead
        from (select ${binOf(sql`finished_at`)} as bin from deliveries where state = 'dead' and finished_at >= ${from}) d
        group by bin`,
    );
    const buckets: FlowBucket[] = Array.from({ length: BUCKETS }, (_, index) => ({
      fromMs: fromMs + index * bucketMs,
      sent: 0,
      deferred: 0,
      dead: 0,
    }));
    const bucketAt = (binMs: number) => buckets[Math.round((binMs - fromMs) / bucketMs)] ?? {};
    for (const { binMs, sent, deferred } of calls) Object.assign(bucketAt(binMs), { sent, deferred });
    for (const { binMs, dead } of burials) Object.assign(bucketAt(binMs), { dead });
    return { buckets, bucketMs, nowMs };
  });
}
