import { ensurePartitions } from "../../db/admission/partitions";
import { cleanLedger } from "../../db/cleanup/clean";
import { closeDatabase, database } from "../../db/connection";
import { fillLedger } from "./backlog";
import type { Bench } from "./bench";
import { latenessOf, ledgerRows, untilAccepted } from "./evidence";
import { percentile } from "./figures";
import { makeShoppers, remindAtRandom } from "./load";
import type { Stage } from "./stage";
import { warmUp } from "./warm-up";

const KEY = "email:resend:main";

/** The fill spreads over thirty days: with twenty-four days kept, a fifth of it may go. */
const KEPT_DAYS = 24;

/** The reminders that are measured beside each other are set so far ahead that their waits are the engine's. */
const AHEAD_MS = 8_000;

/** Cleanup removes a fifth of a full ledger, beside sends: do they notice? */
export const bench: Bench = {
  question: "lateness of sends while cleanup removes a fifth of a million rows ÷ without it",
  floor: "1: what is deleted is nobody's any more",
  rates: { email: 100 },
  startsPrograms: true,
  parameters: (scale) => ({
    rows: Math.round(1_000_000 * scale),
    ratePerSecond: 100,
    sendsPerSecond: 25,
    seconds: Math.max(10, Math.round(40 * scale)),
  }),
  targets: {
    removedShare: { atLeast: 0.99 },
    latenessBesideOverAlone: { atMost: 1.5, or: { name: "latenessBesideP99Ms", atMost: 150 } },
    duplicates: { atMost: 0 },
    missing: { atMost: 0 },
  },
  async run(stage, { rows = 0, ratePerSecond = 0, sendsPerSecond = 0, seconds = 0 }) {
    process.env.DATABASE_URL = stage.databaseUrl;
    try {
      await fill(stage, rows);
      await stage.startPrograms();
      await stage.control("resend", { ratePerSecond, burst: 10 });
      await warmUp(stage, ["email"]);
      const sends = { perSecond: sendsPerSecond, seconds };
      const alone = await sendSteadily(stage, sends, async () => 0);
      const beside = await sendSteadily(stage, sends, async () => (await cleanLedger()).removed);
      const [run] = await stage.sql<{ counted: number; batches: number; seconds: number }[]>`
        select (select sum((c->>'count')::int) from jsonb_array_elements(counted) c)::int as counted, batches,
          extract(epoch from finished_at - started_at)::float8 as seconds
        from cleanup_runs order by started_at desc limit 1`;
      return {
        removed: beside.meanwhile,
        removedShare: beside.meanwhile / (run?.counted ?? Number.NaN),
        removedPerSecond: beside.meanwhile / (run?.seconds ?? Number.NaN),
        batches: run?.batches ?? Number.NaN,
        cleanupSeconds: run?.seconds ?? Number.NaN,
        latenessAloneP50Ms: percentile(alone.late, 0.5),
        latenessAloneP99Ms: percentile(alone.late, 0.99),
        latenessBesideP50Ms: percentile(beside.late, 0.5),
        latenessBesideP99Ms: percentile(beside.late, 0.99),
        latenessBesideOverAlone: percentile(beside.late, 0.99) / percentile(alone.late, 0.99),
        duplicates: alone.duplicates + beside.duplicates,
        missing: alone.missing + beside.missing,
      };
    } finally {
      await closeDatabase();
    }
  },
};

/** The history, and a retention that two people have approved. */
async function fill(stage: Stage, rows: number): Promise<void> {
  await ensurePartitions(database(), [
    { key: KEY, channel: "email", provider: "resend", ceiling: 100, burst: 5, concurrency: 100 },
  ]);
  const alike = { partition: KEY, channel: "email", lane: "standard", owners: 1_000 } as const;
  await fillLedger(stage, stage.sql, { ...alike, state: "delivered", count: rows });
  await stage.sql`update retention set keep_days = ${KEPT_DAYS}, slo_owner = 'ada', slo_approved_at = ledger_now(),
    records_owner = 'bob', records_approved_at = ledger_now() where state = 'delivered'`;
}

/** Reminders at random instants while something else happens: how late did their calls leave? */
async function sendSteadily(
  stage: Stage,
  { perSecond, seconds }: { perSecond: number; seconds: number },
  work: () => Promise<number>,
): Promise<{ meanwhile: number; late: number[]; duplicates: number; missing: number }> {
  const [count, startMs] = [perSecond * seconds, Date.now()];
  await stage.clearCalls();
  const shoppers = await makeShoppers(stage, count, ["email"]);
  await remindAtRandom(stage, shoppers, { startMs: startMs + AHEAD_MS, seconds }, ["email"]);
  const [meanwhile] = await Promise.all([
    work(),
    untilAccepted(stage, "resend", count, AHEAD_MS + seconds * 1000 + 60_000),
  ]);
  const [calls, summary] = [await stage.calls("resend"), await stage.summary("resend")];
  const late = latenessOf(calls, await ledgerRows(stage, "email", startMs));
  return { meanwhile, late, duplicates: summary.duplicates, missing: count - summary.accepted };
}
