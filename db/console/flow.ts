import { sql } from "drizzle-orm";
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
    const calls = await rows<{ bucket: number; sent: number; deferred: number }>(
      tx,
      sql`select floor((epoch_ms(begun_at) - ${fromMs}::float8) / ${bucketMs}::float8)::int as bucket,
          count(*) filter (where class = 'accepted')::int as sent,
          count(*) filter (where class in ('throttled', 'quota', 'transient', 'ambiguous', 'config_rejected', 'crashed'))::int as deferred
        from attempts where begun_at >= ${from} group by 1`,
    );
    const burials = await rows<{ bucket: number; dead: number }>(
      tx,
      sql`select floor((epoch_ms(d.finished_at) - ${fromMs}::float8) / ${bucketMs}::float8)::int as bucket, count(*)::int as dead
        from partitions p join deliveries d on d.partition = p.key and d.state = 'dead' and d.finished_at >= ${from}
        group by 1`,
    );
    const buckets: FlowBucket[] = Array.from({ length: BUCKETS }, (_, index) => ({
      fromMs: fromMs + index * bucketMs,
      sent: 0,
      deferred: 0,
      dead: 0,
    }));
    for (const { bucket, sent, deferred } of calls) Object.assign(buckets[bucket] ?? {}, { sent, deferred });
    for (const { bucket, dead } of burials) Object.assign(buckets[bucket] ?? {}, { dead });
    return { buckets, bucketMs, nowMs };
  });
}
