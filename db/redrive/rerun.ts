import { sql } from "drizzle-orm";
import { ledgerNowMs, rows, sqlState, type Transaction, transact } from "../connection";
import { effects } from "../effects";
import { lockDeliveries } from "../ledger/lock";
import { recordAction } from "../operator-actions";
import { burialEventId } from "../rules/event-catalog";
import { redriveVerdict, verdictWords } from "../rules/redrive-verdict";
import { readDeadFacts } from "./facts";
import { callDriver } from "./start";

/** One run of `dead-letter`, as the engine called it. */
export interface DeadLetterRun {
  deliveryId: string;
  burialId: string;
  runId: string;
  /** The engine's attempt: a rerun begins with 0. */
  attempt: number;
  /** The id of the event that started it. */
  eventId: string | undefined;
}

/**
 * What a run of `dead-letter` is: the `first` of its burial, a `repeat` of its event, or an operator's rerun, which is
 * `redriven` or `refused` with the reason. `stillDead`: the letter still needs somebody.
 */
export type RerunVerdict =
  | { verdict: "first" }
  | { verdict: "repeat"; why: string }
  | { verdict: "redriven"; redriveId: string; paused: string | null }
  | { verdict: "refused"; why: string; stillDead: boolean };

/** The engine may deliver an event twice within seconds; nobody finds a failed run and reruns it so soon. */
const RERUN_AFTER_MS = 10_000;

/** An event that had to be sent more than once may start another run of an engine that has forgotten the first. */
const RESENT_FOR_MS = 5 * 60_000;

const DASHBOARD = { name: "inngest dashboard", reason: "its dead-letter run was rerun" };

/** Two reruns that find no open redrive both make one; the second finds the first's. */
const UNIQUE_VIOLATION = "23505";

/**
 * Judges one run of `dead-letter`, once: the same run asked again has the same answer. A rerun joins the one open redrive
 * that collects reruns, so one or five hundred of them are paced, watched and paused together, each under its own key.
 *
 * A repeated event is never taken for a rerun: not one that the publisher has just sent more than once, nor one
 * with another id, nor a run that comes within `RERUN_AFTER_MS`. Unknown outcomes are never redriven this way.
 */
export async function judgeDeadLetterRun(run: DeadLetterRun): Promise<RerunVerdict> {
  try {
    return await transact((tx) => judge(tx, run));
  } catch (error) {
    if (sqlState(error) !== UNIQUE_VIOLATION) throw error;
    return transact((tx) => judge(tx, run));
  }
}

interface KnownRun {
  runId: string;
  seenAtMs: number;
  verdict: RerunVerdict["verdict"];
  why: string | null;
  redriveId: string | null;
}

async function judge(tx: Transaction, run: DeadLetterRun): Promise<RerunVerdict> {
  await lockOpenRedrive(tx);
  await lockDeliveries(tx, [run.deliveryId]);
  const known = await rows<KnownRun>(
    tx,
    sql`select run_id as "runId", epoch_ms(seen_at) as "seenAtMs", verdict, why, redrive_id as "redriveId"
      from dead_letter_runs where burial_id = ${run.burialId}::uuid order by seen_at, run_id`,
  );
  const before = known.find((entry) => entry.runId === run.runId);
  if (before !== undefined) return answerAgain(tx, run, before);
  const [first] = known;
  const repeat = first === undefined ? null : await repeatBecause(tx, run, first);
  const verdict: RerunVerdict =
    first === undefined
      ? { verdict: "first" }
      : repeat !== null
        ? { verdict: "repeat", why: repeat }
        : await redriveOne(tx, run);
  await rows(
    tx,
    sql`insert into dead_letter_runs (burial_id, run_id, delivery_id, seen_at, verdict, why, redrive_id)
      select ${run.burialId}::uuid, ${run.runId}, d.id, ledger_now(), ${verdict.verdict},
        ${"why" in verdict ? verdict.why : null}, ${"redriveId" in verdict ? verdict.redriveId : null}::uuid
      from deliveries d where d.id = ${run.deliveryId}::uuid`,
  );
  return verdict;
}

async function answerAgain(tx: Transaction, run: DeadLetterRun, before: KnownRun): Promise<RerunVerdict> {
  const why = before.why ?? "";
  switch (before.verdict) {
    case "first":
      return { verdict: "first" };
    case "repeat":
      return { verdict: "repeat", why };
    case "redriven":
      return { verdict: "redriven", redriveId: before.redriveId ?? "", paused: await pausedBecause(tx) };
    case "refused":
      return { verdict: "refused", why, stillDead: await isDead(tx, run) };
  }
}

/** Why this run may be a repeated event; null when it can only be a rerun. */
async function repeatBecause(tx: Transaction, run: DeadLetterRun, first: KnownRun): Promise<string | null> {
  if (run.eventId !== burialEventId(run.burialId)) return "its event was sent again under another id";
  if (run.attempt > 0) return "it is another attempt and no new run";
  const nowMs = await ledgerNowMs(tx);
  const ageMs = nowMs - first.seenAtMs;
  if (ageMs < RERUN_AFTER_MS) return `it came ${Math.round(ageMs / 1000)} s after the first`;
  const [sent] = await rows<{ tries: number; publishedAtMs: number | null }>(
    tx,
    sql`select tries, epoch_ms(published_at) as "publishedAtMs" from outbox
      where event_id = ${burialEventId(run.burialId)}`,
  );
  if (sent === undefined || sent.tries <= 1) return null;
  const settled = sent.publishedAtMs !== null && nowMs - sent.publishedAtMs >= RESENT_FOR_MS;
  return settled ? null : "its event was sent more than once just now; rerun it in some minutes";
}

async function redriveOne(tx: Transaction, run: DeadLetterRun): Promise<RerunVerdict> {
  const refused = (why: string, stillDead = true): RerunVerdict => ({ verdict: "refused", why, stillDead });
  const nowMs = await ledgerNowMs(tx);
  const [facts] = await readDeadFacts(tx, sql`d.id = ${run.deliveryId}::uuid`, { own: null, limit: 1 });
  if (facts === undefined) return refused("it does not exist any more", false);
  if (facts.state === "dead" && facts.burialId !== run.burialId)
    return refused("it was redriven and has died again since: rerun that burial's run", false);
  if (facts.state === "dead" && (facts.reason === "outcome_unknown" || facts.unresolvedSinceMs !== null))
    return refused("its outcome is unknown: a person must say whether it arrived");
  const verdict = redriveVerdict(facts, { nowMs, includesAmbiguous: false });
  if (verdict !== "would_send") return refused(verdictWords(verdict), facts.state === "dead");
  const redriveId = await openRedrive(tx);
  const joined = await rows<{ id: string }>(
    tx,
    sql`insert into redrive_members (redrive_id, delivery_id, burial_id, partition, position, reason, verdict, state, active)
      select ${redriveId}::uuid, d.id, d.burial_id, d.partition,
        coalesce((select max(position) + 1 from redrive_members where redrive_id = ${redriveId}::uuid), 0), d.reason,
        'would_send', 'pending', true
      from deliveries d where d.id = ${run.deliveryId}::uuid
      on conflict (redrive_id, delivery_id) do nothing returning delivery_id as id`,
  );
  if (joined.length === 0)
    return refused("it has died again in the redrive that collects reruns: rerun it when that has ended");
  await rows(
    tx,
    sql`insert into redrive_partitions (redrive_id, partition, released, canary_from, next_at, pace)
      values (${redriveId}::uuid, ${facts.partition}, 0, 0, ledger_now(), 0) on conflict (redrive_id, partition) do nothing`,
  );
  await rows(
    tx,
    sql`update redrives set members = members + 1, would_send = would_send + 1 where id = ${redriveId}::uuid`,
  );
  await recordAction(tx, DASHBOARD, {
    action: "rerun",
    target: facts.key,
    details: { redriveId, runId: run.runId },
  });
  return { verdict: "redriven", redriveId, paused: await pausedBecause(tx) };
}

/** Redrive before delivery, as the driver locks them. */
async function lockOpenRedrive(tx: Transaction): Promise<void> {
  await rows(
    tx,
    sql`select id from redrives where origin = 'rerun' and state in ('running', 'paused') for update`,
  );
}

async function openRedrive(tx: Transaction): Promise<string> {
  const [open] = await rows<{ id: string }>(
    tx,
    sql`select id from redrives where origin = 'rerun' and state in ('running', 'paused')`,
  );
  if (open !== undefined) return open.id;
  const id = effects.newId();
  await rows(
    tx,
    sql`insert into redrives (id, origin, state, filter, includes_ambiguous, members, would_send, preview, previewed_by,
        operator, reason, created_at, started_at, resumed_at)
      values (${id}::uuid, 'rerun', 'running', '{}'::jsonb, false, 0, 0, 'null'::jsonb, ${DASHBOARD.name},
        ${DASHBOARD.name}, 'dead-letter runs were rerun in the dashboard', ledger_now(), ledger_now(), ledger_now())`,
  );
  await callDriver(tx, id);
  return id;
}

async function pausedBecause(tx: Transaction): Promise<string | null> {
  const [row] = await rows<{ why: string | null }>(
    tx,
    sql`select pause_reason as why from redrives where origin = 'rerun' and state = 'paused'`,
  );
  return row?.why ?? null;
}

async function isDead(tx: Transaction, run: DeadLetterRun): Promise<boolean> {
  const found = await rows(
    tx,
    sql`select id from deliveries where id = ${run.deliveryId}::uuid and state = 'dead' and burial_id = ${run.burialId}::uuid`,
  );
  return found.length > 0;
}
