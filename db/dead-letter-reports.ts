import { sql } from "drizzle-orm";
import { alone, at, rows, type Transaction, transact } from "./connection";
import { effects } from "./effects";
import {
  type DeadGroup,
  decideReport,
  type EarlierReport,
  GROWING_REPORTS,
  type ReportDecision,
} from "./rules/dead-letter-report";

export interface DeadLetterReport extends ReportDecision {
  id: string;
  slotMs: number;
  createdAtMs: number;
  toldAtMs: number | null;
  toldBy: string | null;
}

/** A day of hourly reports says what was told today; three say whether anything grows. */
const EARLIER = Math.max(GROWING_REPORTS, 24);

const REPORT = sql`id, epoch_ms(slot) as "slotMs", epoch_ms(created_at) as "createdAtMs", groups, total, change, alert, notify,
  epoch_ms(told_at) as "toldAtMs", told_by as "toldBy"`;

/**
 * Writes this hour's report: what is dead by partition, reason and age, with the change since the last one. Ticks that
 * overlap or are caught up meet the hour's row; null then.
 */
export async function summariseDeadLetters(): Promise<DeadLetterReport | null> {
  return transact(async (tx) => {
    const [slot] = await rows<{ slotMs: number; taken: boolean }>(
      tx,
      sql`select epoch_ms(s.slot) as "slotMs", exists (select 1 from dead_letter_reports r where r.slot = s.slot) as taken
        from (select date_trunc('hour', ledger_now(), 'UTC') as slot) s`,
    );
    if (slot === undefined || slot.taken) return null;
    const earlier = await rows<EarlierReport>(
      tx,
      sql`select epoch_ms(slot) as "slotMs", total, alert, notify, groups from dead_letter_reports
        where slot < ${at(slot.slotMs)} order by slot desc limit ${EARLIER}`,
    );
    const decision = decideReport(await readGroups(tx), earlier, slot.slotMs);
    const { groups, total, change, alert, notify } = decision;
    const [report] = await rows<DeadLetterReport>(
      tx,
      sql`insert into dead_letter_reports (id, slot, created_at, groups, total, change, alert, notify)
        values (${effects.newId()}::uuid, ${at(slot.slotMs)}, ledger_now(), ${JSON.stringify(groups)}::jsonb, ${total}, ${change}, ${alert}, ${notify})
        on conflict (slot) do nothing returning ${REPORT}`,
    );
    return report ?? null;
  });
}

function readGroups(tx: Transaction): Promise<Omit<DeadGroup, "change">[]> {
  return rows<Omit<DeadGroup, "change">>(
    tx,
    sql`select partition, reason, age, count(*)::int as count from (
        select d.partition, d.reason, case when d.finished_at > ledger_now() - interval '1 hour' then 'under_1h'
          when d.finished_at > ledger_now() - interval '1 day' then 'under_1d'
          when d.finished_at > ledger_now() - interval '7 days' then 'under_7d' else 'over_7d' end as age
        from deliveries d where d.state = 'dead' and d.dismissed_at is null) dead
      group by partition, reason, age order by partition, reason, age`,
  );
}

/** The newest reports, newest first. */
export function readReports(limit: number): Promise<DeadLetterReport[]> {
  return alone<DeadLetterReport>(
    sql`select ${REPORT} from dead_letter_reports order by slot desc limit ${limit}`,
  );
}

/** Reports that operators are to be told of and that no medium has taken, oldest first; not those of yesterday. */
export function readUntoldReports(): Promise<DeadLetterReport[]> {
  return alone<DeadLetterReport>(
    sql`select ${REPORT} from dead_letter_reports
      where notify <> 'no' and told_at is null and slot > ledger_now() - interval '1 day' order by slot`,
  );
}

/** Records which media have taken a report. */
export async function markReportTold(id: string, media: readonly string[]): Promise<void> {
  await alone(
    sql`update dead_letter_reports set told_at = ledger_now(), told_by = ${media.join(", ")}
      where id = ${id}::uuid and told_at is null`,
  );
}
