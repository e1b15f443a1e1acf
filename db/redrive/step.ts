import { sql } from "drizzle-orm";
import { readPartition } from "../admission/partitions";
import { alone, at, ledgerNowMs, rows, type Transaction, transact } from "../connection";
import { GATE_WINDOW_MS, gateIn } from "../console/slos";
import {
  decideRedrive,
  nextReleaseMs,
  type RedriveDecision,
  type RedriveStretch,
} from "../rules/redrive-pace";
import { readFigures } from "./figures";
import { readProgress } from "./read";
import { releaseMembers } from "./release";
import { DRIVER_GRACE_MS } from "./start";

/** The driver of a redrive, as it was called. */
export interface RedriveCall {
  redriveId: string;
  generation: number;
}

export type RedriveTick =
  | { next: "end"; why: string; partitions: string[] }
  | { next: "sleep"; ms: number; partitions: string[]; released: number };

/** A tick looks each second while something is to be released, more rarely while it only waits for endings. */
const TICK_MS = 1_000;
const TICK_MS_MAX = 5_000;

interface RunningRedrive {
  state: string;
  generation: number;
  resumedAtMs: number;
}

/**
 * One tick of a redrive, in one transaction that holds its row: writes down what became of released members, decides for
 * each partition (`decideRedrive`), and hands the next members to admission, or pauses, or ends. The caller lets the
 * partitions go after the commit.
 *
 * A crash before the commit leaves nothing; after it, released members are `ready` rows like any others, found by the
 * pump. A tick that runs twice releases nothing twice: members leave `pending` with their release, and the instant of
 * the next release is stored with it.
 */
export async function stepRedrive(call: RedriveCall): Promise<RedriveTick> {
  return transact(async (tx): Promise<RedriveTick> => {
    const [redrive] = await rows<RunningRedrive>(
      tx,
      sql`select state, driver_generation as generation, epoch_ms(resumed_at) as "resumedAtMs" from redrives
        where id = ${call.redriveId}::uuid for update`,
    );
    if (redrive === undefined || redrive.generation !== call.generation)
      return { next: "end", why: "another driver has taken over", partitions: [] };
    if (redrive.state !== "running") return { next: "end", why: redrive.state, partitions: [] };
    const nowMs = await ledgerNowMs(tx);
    await recordEndings(tx, call.redriveId);
    const stretches = await readStretches(tx, call.redriveId, redrive.resumedAtMs);
    if (stretches.every(({ pending, out }) => pending === 0 && out === 0)) {
      await endRedrive(tx, call.redriveId, "finished");
      return { next: "end", why: "finished", partitions: [] };
    }
    const plans = [];
    for (const stretch of stretches) {
      const partition = await readPartition(tx, stretch.partition);
      if (partition === null) continue;
      const figures = await readFigures(tx, partition, { nowMs, sinceMs: redrive.resumedAtMs });
      const decision = decideRedrive(figures, stretch);
      if (decision.do === "pause") {
        await pauseItself(tx, call.redriveId, stretch.partition, decision);
        return { next: "end", why: `paused: ${decision.reason}`, partitions: [] };
      }
      plans.push({ stretch, decision });
    }
    return carryOut(tx, call, plans, nowMs);
  });
}

type Stretch = RedriveStretch & { partition: string };

async function carryOut(
  tx: Transaction,
  call: RedriveCall,
  plans: readonly { stretch: Stretch; decision: Exclude<RedriveDecision, { do: "pause" }> }[],
  nowMs: number,
): Promise<RedriveTick> {
  let total = 0;
  let wakeAtMs = nowMs + TICK_MS_MAX;
  for (const { stretch, decision } of plans) {
    const { partition } = stretch;
    const { pace, limitedBy } = decision;
    let { nextAtMs } = stretch;
    let released = 0;
    if (decision.do === "release") {
      const done = await releaseMembers(tx, {
        redriveId: call.redriveId,
        partition,
        count: decision.count,
        nowMs,
      });
      released = done.count;
      nextAtMs = decision.paced ? nextReleaseMs({ nextAtMs, nowMs, cost: done.cost, pace }) : nowMs;
    }
    total += released;
    const soonMs = decision.do === "wait" && decision.limitedBy !== "turn" ? nowMs + TICK_MS_MAX : nextAtMs;
    wakeAtMs = Math.min(wakeAtMs, limitedBy === "canary" ? nowMs + TICK_MS : soonMs);
    const paced = decision.do === "release" && decision.paced;
    await rows(
      tx,
      sql`update redrive_partitions set released = released + ${released}, pace = ${pace}, limited_by = ${limitedBy},
          next_at = ${at(nextAtMs)}, paced_since = coalesce(paced_since, case when ${paced} then ${at(nowMs)} end)
        where redrive_id = ${call.redriveId}::uuid and partition = ${partition}`,
    );
  }
  const ms = Math.max(TICK_MS, Math.ceil(wakeAtMs - nowMs));
  await rows(
    tx,
    sql`update redrives set driver_until = ${at(nowMs + ms + DRIVER_GRACE_MS)} where id = ${call.redriveId}::uuid`,
  );
  return { next: "sleep", ms, partitions: plans.map(({ stretch }) => stretch.partition), released: total };
}

/** Writes down what has become of released members; their burials are free for another redrive from here on. */
export async function recordEndings(tx: Transaction, redriveId: string): Promise<void> {
  await rows(
    tx,
    sql`update redrive_members m set state = d.state, outcome = d.reason, active = false, ended_at = d.finished_at
      from deliveries d
      where m.redrive_id = ${redriveId}::uuid and m.state = 'released' and d.id = m.delivery_id
        and d.redrive_id = m.redrive_id and d.state in ('delivered', 'dead', 'expired')`,
  );
}

/** What is known of each partition of a redrive since it was started or last resumed. */
function readStretches(tx: Transaction, redriveId: string, resumedAtMs: number): Promise<Stretch[]> {
  const since = sql`m.released_at >= ${at(resumedAtMs)}`;
  return rows<Stretch>(
    tx,
    sql`with counted as (
        select p.partition, r.asked_per_second as "askedPerSecond", epoch_ms(p.paced_since) as "pacedSinceMs",
          epoch_ms(p.next_at) as "nextAtMs",
          (count(*) filter (where m.state = 'pending'))::int as pending,
          (count(*) filter (where m.state = 'released'))::int as out,
          (count(*) filter (where m.state = 'delivered' and ${since}))::int as delivered,
          (count(*) filter (where m.state = 'dead' and ${since}))::int as dead,
          (count(*) filter (where m.state = 'dead' and ${since} and m.outcome = m.reason))::int as "deadAlike",
          (count(*) filter (where m.state = 'expired' and ${since}))::int as expired,
          greatest(${at(resumedAtMs)}, max(m.ended_at) filter (where m.state = 'delivered')) as "acceptedAt"
        from redrive_partitions p join redrives r on r.id = p.redrive_id
        join redrive_members m on m.redrive_id = p.redrive_id and m.partition = p.partition and m.state <> 'left_out'
        where p.redrive_id = ${redriveId}::uuid group by p.redrive_id, p.partition, r.id)
      select counted.partition, "askedPerSecond", "pacedSinceMs", "nextAtMs", pending, out, delivered, dead, "deadAlike", expired,
        (select count(*)::int from redrive_members m join attempts a on a.delivery_id = m.delivery_id
          where m.redrive_id = ${redriveId}::uuid and m.partition = counted.partition and m.state = 'released'
            and a.class = 'throttled' and a.settled_at > counted."acceptedAt") as "refusedInRow"
      from counted order by counted.partition`,
  );
}

async function pauseItself(
  tx: Transaction,
  redriveId: string,
  partition: string,
  { cause, reason }: Extract<RedriveDecision, { do: "pause" }>,
): Promise<void> {
  await rows(
    tx,
    sql`update redrives set state = 'paused', paused_at = ledger_now(), pause_kind = ${cause},
        pause_reason = ${`${partition}: ${reason}`}, driver_until = null where id = ${redriveId}::uuid`,
  );
}

/**
 * Ends a redrive with its counts, which outlive its members, and with what the gate finds: whether live work stayed inside
 * its promises meanwhile. What was released goes its way; what was not stays dead.
 */
export async function endRedrive(
  tx: Transaction,
  redriveId: string,
  state: "finished" | "stopped",
): Promise<void> {
  const progress = (await readProgress(tx, [redriveId])).get(redriveId);
  const gate = await gateIn(tx, GATE_WINDOW_MS);
  await rows(
    tx,
    sql`update redrive_members set active = false where redrive_id = ${redriveId}::uuid and active and state = 'pending'`,
  );
  await rows(
    tx,
    sql`update redrives set state = ${state}, ended_at = ledger_now(), driver_until = null, paused_at = null,
        pause_kind = null, pause_reason = null, result = ${JSON.stringify(progress ?? {})}::jsonb, gate = ${JSON.stringify(gate)}::jsonb
      where id = ${redriveId}::uuid`,
  );
}

/**
 * Gives running redrives whose driver is silent another one and says whom to call (P5). `all` also those whose driver
 * seems alive: at process start its run may belong to an engine that has forgotten it.
 */
export async function bumpSilentRedrives(options: { all: boolean }): Promise<RedriveCall[]> {
  return alone<RedriveCall>(
    sql`update redrives r set driver_generation = r.driver_generation + 1,
        driver_until = ledger_now() + ${DRIVER_GRACE_MS} * interval '1 millisecond'
      from (select id from redrives where state = 'running'
          and (${options.all} or driver_until is null or driver_until <= ledger_now())
        order by id for update skip locked) silent
      where r.id = silent.id returning r.id as "redriveId", r.driver_generation as generation`,
  );
}

/** Starts a new generation for a redrive that goes on; the run of the old one ends. */
export async function handOverRedrive(call: RedriveCall): Promise<RedriveCall | null> {
  const [row] = await alone<{ generation: number }>(
    sql`update redrives set driver_generation = driver_generation + 1,
        driver_until = ledger_now() + ${DRIVER_GRACE_MS} * interval '1 millisecond'
      where id = ${call.redriveId}::uuid and driver_generation = ${call.generation} and state = 'running'
      returning driver_generation as generation`,
  );
  return row === undefined ? null : { redriveId: call.redriveId, generation: row.generation };
}
