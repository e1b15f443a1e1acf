import { sql } from "drizzle-orm";
import { cleanLedger } from "../../db/cleanup/clean";
import { approveRetention, type Retention, readRetention, setRetention } from "../../db/cleanup/retention";
import { database, rows } from "../../db/connection";
import { sweep } from "../../inngest/sweep";
import type { Found } from "./afterwards";
import { type DeliveryFacts, type Evidence, factsAbout, readEvidence, type Violation } from "./evidence";
import type { Stage } from "./stage";

const DAY_MS = 86_400_000;

/** Longer than a sweep and a pump's rest: what would open again has opened. */
const AGAIN_MS = 90_000;

/**
 * P8: owners approve how long the states are kept, weeks pass, and cleanup runs. Only what has ended, is older than its
 * approved retention and was counted may be gone; and what is gone does not come again.
 */
export async function cleanUp(stage: Stage): Promise<Found[]> {
  const { world } = stage;
  const dice = stage.dice.fork("cleanup");
  for (const state of ["delivered", "dead", "expired"]) {
    if (dice.chance(0.7))
      await setRetention(state, dice.pick([14, 20, 40]), { name: "ada", reason: "simulated" });
    if (dice.chance(0.9)) await approveRetention(state, "slo", { name: "ada", reason: "simulated" });
    if (dice.chance(0.8)) await approveRetention(state, "records", { name: "bo", reason: "simulated" });
  }
  const days = dice.int(10, 100);
  stage.note(`${days} days pass`);
  // The engine keeps its own time: it would tick through every minute of them.
  world.clocks.ledgerAheadMs += days * DAY_MS;
  await world.advance(1);
  const before = await readEvidence(stage);
  const calls = world.providers.ledger.calls().length;
  const outcome = await world.app.act(cleanLedger);
  stage.struck("cleanup", JSON.stringify(outcome));
  const after = await readEvidence(stage);
  const gone = before.deliveries.filter((row) => !after.deliveries.some(({ id }) => id === row.id));
  const found = [
    ...judgeGone(gone, await readRetention(), world.ledgerNowMs()),
    ...(await judgeCounts(gone, outcome.runId)),
  ];
  await world.app.act(() => sweep("command"));
  await world.advance(AGAIN_MS);
  const again = world.providers.ledger.calls().slice(calls);
  for (const row of [...gone, ...(await readEvidence(stage)).deliveries.filter(opensAgain(before))]) {
    if (gone.includes(row) && !again.some((call) => call.key === row.reference)) continue;
    found.push({ promise: "P8", rule: "came again after its cleanup", key: row.key });
  }
  return found.map((one) => ({ ...one, facts: factsAbout(before, one.key) }));
}

/** A delivery that is new although its occurrence had deliveries before. */
function opensAgain(before: Evidence): (row: DeliveryFacts) => boolean {
  const ids = new Set(before.deliveries.map((row) => row.id));
  const opened = new Set(before.deliveries.map((row) => row.occurrenceId).filter((id) => id !== null));
  return (row) => !ids.has(row.id) && row.occurrenceId !== null && opened.has(row.occurrenceId);
}

function judgeGone(gone: readonly DeliveryFacts[], kept: readonly Retention[], nowMs: number): Violation[] {
  return gone.flatMap(({ key, state, finishedAtMs }) => {
    const retention = kept.find((each) => each.state === state);
    const report = (rule: string) => [{ promise: "P8", rule, key }];
    if (retention === undefined || finishedAtMs === null)
      return report(`cleanup took a row that is ${state}`);
    if (!retention.approved) return report(`cleanup took a row whose retention nobody has approved`);
    if (finishedAtMs > nowMs - retention.keepDays * DAY_MS)
      return report("cleanup took a row before its time");
    return [];
  });
}

async function judgeCounts(gone: readonly DeliveryFacts[], runId: string | null): Promise<Violation[]> {
  const [run] = await rows<{ counted: { state: string; count: number }[] }>(
    database(),
    sql`select counted from cleanup_runs where id = ${runId}::uuid`,
  );
  const counted = run?.counted.reduce((sum, { count }) => sum + count, 0) ?? 0;
  const rule = `cleanup took ${gone.length} rows and had counted ${counted}`;
  return gone.length > counted ? [{ promise: "P8", rule, key: "cleanup" }] : [];
}
