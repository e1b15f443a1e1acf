import { setTimeout as sleep } from "node:timers/promises";
import type { LedgerCall } from "../../standins/providers/ledger";
import type { Provider, Stage } from "./stage";

/** A look at the stand-in's summary: seldom enough to cost nothing. */
const POLL_MS = 500;

/** Backends hand their counts over when they have been idle for a second. */
const COUNTS_FLUSHED_MS = 1_500;

/** Waits until the provider has accepted that many distinct deliveries, or the time is over. */
export async function untilAccepted(
  stage: Stage,
  provider: Provider,
  count: number,
  withinMs: number,
): Promise<void> {
  const start = performance.now();
  for (;;) {
    const { accepted } = await stage.summary(provider);
    if (accepted >= count) return;
    if (performance.now() - start > withinMs) {
      process.stderr.write(`only ${accepted} of ${count} accepted within ${Math.round(withinMs / 1000)} s\n`);
      return;
    }
    await sleep(POLL_MS);
  }
}

/** Accepted sends in order of arrival. */
export function accepted(calls: readonly LedgerCall[]): LedgerCall[] {
  return calls.filter((call) => call.accepted).sort((one, other) => one.at - other.at);
}

/** Committed and rolled back transactions of the database so far, those of the bench itself included. */
export async function countTransactions(stage: Stage): Promise<number> {
  await sleep(COUNTS_FLUSHED_MS);
  const [row] = await stage.sql<{ count: number }[]>`
    select (xact_commit + xact_rollback)::float8 as count from pg_stat_database where datname = current_database()`;
  return row?.count ?? 0;
}

/** What the ledger says of each delivery of a channel that was opened since then, by its reference at the provider. */
export type LedgerRow = {
  reference: string;
  state: string;
  scheduledAtMs: number;
  attempts: number;
  finishedAtMs: number | null;
};

export async function ledgerRows(
  stage: Stage,
  channel: string,
  sinceMs = 0,
): Promise<Map<string, LedgerRow>> {
  const rows = await stage.sql<LedgerRow[]>`
    select reference, state, epoch_ms(scheduled_at) as "scheduledAtMs", attempt_count as attempts,
      epoch_ms(finished_at) as "finishedAtMs" from deliveries
    where channel = ${channel} and created_at >= from_epoch_ms(${sinceMs}::float8)`;
  return new Map(rows.map((row) => [row.reference, row]));
}

/** Whose each delivery of a channel is, by its reference at the provider. */
export async function ownersOf(stage: Stage, channel: string): Promise<Map<string, string>> {
  const rows = await stage.sql<{ reference: string; owner: string }[]>`
    select reference, subscriber_id as owner from deliveries where channel = ${channel}`;
  return new Map(rows.map((row) => [row.reference, row.owner]));
}

/** From each delivery's due instant to the arrival of its first call, in milliseconds. */
export function latenessOf(calls: readonly LedgerCall[], rows: ReadonlyMap<string, LedgerRow>): number[] {
  const first = new Map<string, number>();
  for (const call of calls) {
    if (call.key !== null && !first.has(call.key)) first.set(call.key, call.at);
  }
  return [...first].flatMap(([key, at]) => {
    const row = rows.get(key);
    return row === undefined ? [] : [at - row.scheduledAtMs];
  });
}

/** Begun attempts that were never called about (their slot or epoch had lapsed), per thousand attempts. */
export async function notMadePerThousand(stage: Stage): Promise<number> {
  const [row] = await stage.sql<{ share: number | null }[]>`
    select (1000.0 * count(*) filter (where class = 'not_made') / nullif(count(*), 0))::float8 as share from attempts`;
  return row?.share ?? 0;
}
