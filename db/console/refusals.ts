import { type SQL, sql } from "drizzle-orm";
import { alone, rows, type Transaction } from "../connection";
import { effects } from "../effects";

/** How often claims on a partition were refused for one reason: ever, and since the window began. */
export interface Refused {
  partition: string;
  reason: string;
  total: number;
  recent: number;
}

/** Refusals by reason, durable: folded totals and what has not been folded yet. */
export function readRefused(tx: Transaction, since: SQL): Promise<Refused[]> {
  return rows<Refused>(
    tx,
    sql`select partition, reason, sum(total)::float8 as total, sum(recent)::float8 as recent from (
        select partition, reason, count as total, 0 as recent from claim_refusal_totals
        union all select partition, reason, count, case when refused_at >= ${since} then count else 0 end from claim_refusals
      ) refusals group by partition, reason order by partition, reason`,
  );
}

/** The statement that writes down refusals of one partition, for the transaction in which they happened; or nothing. */
export function countingRefusals(partition: string, reasons: readonly string[]): SQL[] {
  if (reasons.length === 0) return [];
  const counts = new Map<string, number>();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const given = JSON.stringify(
    [...counts].map(([reason, count]) => ({ id: effects.newId(), reason, count })),
  );
  return [
    sql`insert into claim_refusals (id, partition, reason, count, refused_at)
      select w.id, ${partition}, w.reason, w.count, ledger_now()
      from jsonb_to_recordset(${given}::jsonb) as w(id uuid, reason text, count int)`,
  ];
}

/** Rows are kept apart for a day, so that any window of the last day can be asked for. */
const FOLD_AFTER = sql`interval '1 day'`;

/** Folds refusals of the day before into their totals: one statement, so that the counter never falls. */
export async function foldRefusals(): Promise<void> {
  await alone(
    sql`with old as (
        delete from claim_refusals where refused_at < ledger_now() - ${FOLD_AFTER} returning partition, reason, count
      )
      insert into claim_refusal_totals as t (partition, reason, count)
      select partition, reason, sum(count) from old group by partition, reason order by partition, reason
      on conflict (partition, reason) do update set count = t.count + excluded.count`,
  );
}
