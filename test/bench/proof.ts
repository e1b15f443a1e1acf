import { setTimeout as sleep } from "node:timers/promises";
import { closeDatabase } from "../../db/connection";
import { checkInvariants } from "../../db/console/invariants";
import type { Channel } from "../../db/rules/outcome";
import { accepted, latenessOf, ledgerRows } from "./evidence";
import { percentile } from "./figures";
import { PROVIDERS, type Stage } from "./stage";

/** What ledger and stand-ins say about one channel when all is over. */
export type ChannelProof = {
  channel: Channel;
  deliveries: number;
  /** Keys that the provider accepted at least once. */
  accepted: number;
  /** Accepted sends beyond the first of a key. */
  duplicates: number;
  /** Of those, repeats after an outcome that nobody knew, at a provider where a repeat replaces the first. */
  replaced: number;
  throttled: number;
  /** Ended as `dead/outcome_unknown`: a person or a receipt decides. */
  unknown: number;
  /** Of those, accepted by the provider all the same: the answer was lost. */
  unknownAccepted: number;
  /** Ended in any other way than delivered. */
  otherEnds: number;
  latenessP50Ms: number;
  latenessP99Ms: number;
  /** Below zero when a call came before its instant. */
  earliestMs: number;
};

const CHANNELS: readonly Channel[] = ["email", "sms", "push"];

/** How often the database is asked; seldom enough to cost nothing. */
const POLL_MS = 500;

/**
 * Waits until that many deliveries exist and every one has ended. Gives up, and says what is left, when none ended for
 * `patienceMs`: a slow machine is no fault. A database that is restarting is no answer.
 */
export async function untilEnded(stage: Stage, count: number, patienceMs: number): Promise<void> {
  let most = -1;
  for (let sinceMs = performance.now(); performance.now() - sinceMs < patienceMs; await sleep(POLL_MS)) {
    const states = await readStates(stage);
    if (states === null) continue;
    const ended = ENDS.reduce((sum, state) => sum + (states[state] ?? 0), 0);
    const all = Object.values(states).reduce((sum, rows) => sum + rows, 0);
    if (ended >= count && ended === all) return;
    if (ended > most) sinceMs = performance.now();
    most = Math.max(most, ended);
  }
  const left = JSON.stringify(await readStates(stage));
  throw new Error(
    `Nothing ended for ${patienceMs / 1000} s; of ${count} there are ${left}.\n${stage.tail()}`,
  );
}

const ENDS = ["delivered", "dead", "expired"];

async function readStates(stage: Stage): Promise<Record<string, number> | null> {
  const rows = await stage.sql<{ state: string; rows: number }[]>`
    select state, count(*)::int as rows from deliveries group by state`.catch(() => null);
  return rows === null ? null : Object.fromEntries(rows.map((row) => [row.state, row.rows]));
}

/** Compares the stand-ins' ledgers with the database, per channel. */
export async function proveChannels(stage: Stage): Promise<ChannelProof[]> {
  return Promise.all(CHANNELS.map((channel) => proveChannel(stage, channel)));
}

async function proveChannel(stage: Stage, channel: Channel): Promise<ChannelProof> {
  const [calls, summary, rows] = await Promise.all([
    stage.calls(PROVIDERS[channel]),
    stage.summary(PROVIDERS[channel]),
    ledgerRows(stage, channel),
  ]);
  const [ends] = await stage.sql<{ unknown: string[]; others: number; repeats: number }[]>`
    select coalesce(array_agg(d.reference) filter (where d.reason = 'outcome_unknown'), '{}') as unknown,
      count(*) filter (where d.state <> 'delivered' and d.reason is distinct from 'outcome_unknown')::int as others,
      coalesce(sum((select count(*) from attempts a where a.delivery_id = d.id and a.class in ('ambiguous', 'crashed'))), 0)::int as repeats
    from deliveries d where d.channel = ${channel}`;
  const lateness = latenessOf(calls, rows);
  const sent = new Set(accepted(calls).map((call) => call.key));
  const unknown = ends?.unknown ?? [];
  return {
    channel,
    deliveries: rows.size,
    accepted: sent.size,
    duplicates: summary.duplicates,
    replaced: channel === "push" ? Math.min(summary.duplicates, ends?.repeats ?? 0) : 0,
    throttled: summary.throttled,
    unknown: unknown.length,
    unknownAccepted: unknown.filter((reference) => sent.has(reference)).length,
    otherEnds: ends?.others ?? 0,
    latenessP50Ms: Math.round(percentile(lateness, 0.5)),
    latenessP99Ms: Math.round(percentile(lateness, 0.99)),
    earliestMs: Math.floor(Math.min(...lateness)),
  };
}

/** What is wrong with a channel; empty when everything was sent once or is accounted for. */
export function faultsOf(proof: ChannelProof): string[] {
  const { channel, deliveries, accepted: sent, duplicates, replaced, unknown, otherEnds, earliestMs } = proof;
  const known = sent - proof.unknownAccepted;
  const faults: string[] = [];
  if (duplicates > replaced) faults.push(`${channel}: ${duplicates - replaced} sent twice`);
  if (otherEnds > 0) faults.push(`${channel}: ${otherEnds} ended undelivered`);
  if (channel !== "sms" && unknown > 0) faults.push(`${channel}: ${unknown} left unknown`);
  if (known + unknown < deliveries) faults.push(`${channel}: ${deliveries - known - unknown} never accepted`);
  if (earliestMs < 0) faults.push(`${channel}: a call ${-earliestMs} ms early`);
  return faults;
}

/** The promises that the stage's database says are broken, with offending keys. */
export async function brokenPromises(stage: Stage): Promise<string[]> {
  const before = process.env.DATABASE_URL;
  process.env.DATABASE_URL = stage.databaseUrl;
  try {
    const { checks } = await checkInvariants();
    return checks
      .filter(({ violations }) => violations > 0)
      .map(
        ({ promise, name, violations, sample }) => `${promise} ${name}: ${violations} (${sample.join(", ")})`,
      );
  } finally {
    await closeDatabase();
    if (before === undefined) delete process.env.DATABASE_URL;
    else process.env.DATABASE_URL = before;
  }
}
