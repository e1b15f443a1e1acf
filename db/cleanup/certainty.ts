import { sql } from "drizzle-orm";
import { processGeneration } from "../admission/partitions";
import { type Executor, rows, type Transaction, transact } from "../connection";
import { CALM_GAP_MS, CALM_MS, type Certainty, decideCertainty } from "../rules/certainty";

interface StateRow {
  mode: "sending" | "held";
  generation: string;
  sameInstallation: boolean;
  uncertainSinceMs: number | null;
  uncertainWhy: string | null;
  calmSinceMs: number | null;
  calmSeenAtMs: number | null;
  nowMs: number;
}

function reading() {
  return sql`select mode, generation, installation is null or installation = ledger_installation() as "sameInstallation",
      epoch_ms(uncertain_since) as "uncertainSinceMs", uncertain_why as "uncertainWhy",
      epoch_ms(calm_since) as "calmSinceMs", epoch_ms(calm_seen_at) as "calmSeenAtMs", epoch_ms(ledger_now()) as "nowMs"
    from ledger_state`;
}

/** Begins a time of uncertain ownership, in the transaction of the hand-over or promotion that causes it. */
export async function markUncertain(tx: Transaction, why: string): Promise<void> {
  await rows(
    tx,
    sql`update ledger_state set uncertain_since = ledger_now(), uncertain_why = ${why}, calm_since = null, calm_seen_at = null`,
  );
}

/**
 * Whether it is certain who sends from this ledger: what cleanup and redrive ask before they begin. `until` is null when
 * nobody can know.
 */
export async function readCertainty(executor: Executor): Promise<Certainty> {
  const [row] = await rows<StateRow>(executor, reading());
  if (row === undefined) throw new Error("Bug! ledger_state has no row");
  return decideCertainty({ ...row, sameGeneration: row.generation === processGeneration() });
}

/**
 * Looks whether queue age is under its SLO, while ownership is uncertain, and ends the uncertainty after ten calm minutes
 * in a row. Called by every sweep and before every cleanup. A gap between two looks begins the ten minutes anew: nobody
 * saw what happened in it.
 */
export async function observeCalm(): Promise<Certainty> {
  return transact(async (tx) => {
    await rows(tx, sql`select 1 from ledger_state where uncertain_since is not null for update`);
    const before = await readCertainty(tx);
    if (before.uncertainSinceMs === null) return before;
    await rows(
      tx,
      sql`update ledger_state set
          calm_since = case when not ${QUEUE_IS_CALM} then null
            when calm_since is null or calm_seen_at < ledger_now() - ${CALM_GAP_MS} * interval '1 millisecond' then ledger_now()
            else calm_since end,
          calm_seen_at = ledger_now()`,
    );
    await rows(
      tx,
      sql`update ledger_state set uncertain_since = null, uncertain_why = null, calm_since = null, calm_seen_at = null
        where calm_since <= ledger_now() - ${CALM_MS} * interval '1 millisecond'`,
    );
    return readCertainty(tx);
  });
}

/**
 * Lanes with a delivery that has waited longer than their service level allows, as `l`: ready, or past its time on a
 * partition that promotes nothing because it is paused or closed.
 */
export const LATE_LANES = sql`lanes l join partitions p on p.key = l.partition join slos s on s.channel = p.channel and s.lane = l.lane
    cross join lateral (select ledger_now() - s.p99_age_ms * interval '1 millisecond' as before) allowed
  where exists (select 1 from deliveries d where d.partition = l.partition and d.lane = l.lane and d.state = 'ready'
      and d.scheduled_at < allowed.before)
    or exists (select 1 from deliveries d where d.partition = l.partition and d.lane = l.lane
      and d.state in ('scheduled', 'deferred') and d.next_eligible_at < allowed.before)`;

const QUEUE_IS_CALM = sql`(not exists (select 1 from ${LATE_LANES}))`;
