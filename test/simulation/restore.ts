import { sql } from "drizzle-orm";
import { resetConfig } from "../../db/config";
import { database, rows } from "../../db/connection";
import { promoteLedger } from "../../db/restore/promote";
import type { LedgerCall } from "../../standins/providers";
import type { Found } from "./afterwards";
import { factsAbout, readEvidence } from "./evidence";
import { databaseViolations } from "./judge";
import { drain, settleControls } from "./recovery";
import type { Stage } from "./stage";

/** Keeps the present rows of every table beside the ledger, as a backup does; its time on the ledger's clock. */
export async function takeSnapshot(stage: Stage): Promise<number> {
  const script = `do $$ declare t text; begin
    drop schema if exists snapshot cascade; create schema snapshot;
    for t in select tablename from pg_tables where schemaname = 'public' and tablename <> 'test_clock' loop
      execute format('create table snapshot.%1$I as table public.%1$I', t);
    end loop; end $$`;
  await rows(database(), sql.raw(script));
  return stage.world.ledgerNowMs();
}

/** Longer than a sweep, a lease and a pump's rest. */
const HELD_MS = 150_000;

/** Sweeps open what is overdue and recover leases before a promotion: two of them, and one for a refusal in between. */
const PROMOTIONS_MAX = 4;

/** A sweep's minute. */
const SWEPT_MS = 60_000;

/** The processes of a restored copy are given this before they start. */
const NEW_GENERATION = "g2";

/**
 * Puts the snapshot back over the later ledger, as an operator does who has lost the database: the processes get a new
 * generation first. Until somebody promotes the copy it must send nothing, whatever it holds. Then somebody promotes it,
 * and whatever the original may have sent is not sent again where the provider would take it twice.
 */
export async function restoreSnapshot(stage: Stage, snapshotAtMs: number): Promise<Found[]> {
  const { world } = stage;
  stage.struck("snapshot restored");
  stage.world.killApp();
  await putBack();
  const generation = process.env.LEDGER_GENERATION;
  process.env.LEDGER_GENERATION = NEW_GENERATION;
  resetConfig();
  try {
    const before = world.providers.ledger.calls();
    stage.startApp();
    await world.advance(HELD_MS);
    const made = world.providers.ledger.calls().slice(before.length);
    const found = made.map((call) => ({
      promise: "P9",
      rule: "a restored copy sent before it was promoted",
      key: call.key ?? String(call.id),
      facts: [JSON.stringify(call)],
    }));
    // What the deciding clock has skipped, nobody can promise.
    if (found.length > 0 || stage.ledgerClockStepped) return found;
    return await promote(stage, snapshotAtMs, before);
  } finally {
    process.env.LEDGER_GENERATION = generation;
    resetConfig();
  }
}

async function putBack(): Promise<void> {
  const script = `do $$ declare t text; begin
    set local session_replication_role = replica;
    for t in select tablename from pg_tables where schemaname = 'snapshot' loop
      execute format('truncate public.%I cascade', t);
    end loop;
    for t in select tablename from pg_tables where schemaname = 'snapshot' loop
      execute format('insert into public.%1$I select * from snapshot.%1$I', t);
    end loop;
    drop schema snapshot cascade; end $$`;
  await rows(database(), sql.raw(script));
}

async function promote(stage: Stage, snapshotAtMs: number, before: readonly LedgerCall[]): Promise<Found[]> {
  const { world } = stage;
  const operator = { name: "operator", reason: "the copy is the ledger now" };
  let refusal = "";
  for (let tries = 0; tries < PROMOTIONS_MAX; tries += 1) {
    const promoted = await world.app.act(() => promoteLedger({ snapshotAtMs, operator }));
    refusal = promoted.ok ? "" : JSON.stringify(promoted.problem);
    if (promoted.ok) {
      stage.struck("copy promoted", JSON.stringify(promoted.value));
      break;
    }
    await world.advance(60_000);
  }
  if (refusal !== "")
    return [{ promise: "P5", rule: `a copy cannot be promoted: ${refusal}`, key: "ledger", facts: [] }];
  await settleControls(stage);
  // The sweep rings the pumps of a promoted copy.
  await world.advance(SWEPT_MS);
  const late = await drain(stage);
  const evidence = await readEvidence(stage);
  const found: Found[] = late.map((key) => ({
    ...{ promise: "P5", rule: "did not end after the promotion", key },
    facts: factsAbout(evidence, key),
  }));
  for (const key of sentAgain(stage, before)) {
    const rule = "sent by the original, and again by its promoted copy";
    found.push({ promise: "P9", rule, key, facts: factsAbout(evidence, key) });
  }
  const broken = await databaseViolations();
  return [...found, ...broken.map((one) => ({ ...one, facts: factsAbout(evidence, one.key) }))];
}

/** References that a provider accepted from the original, and once more from the copy. */
function sentAgain(stage: Stage, before: readonly LedgerCall[]): string[] {
  const mine = stage.world.providers.ledger.calls().slice(before.length);
  const accepted = new Set(before.filter((call) => call.accepted).map((call) => call.key));
  return mine.flatMap((call) => (call.accepted && accepted.has(call.key) ? [call.key ?? ""] : []));
}
