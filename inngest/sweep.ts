import { revertLapsedLimits } from "../db/admission/controls";
import { processGeneration } from "../db/admission/partitions";
import { bumpSilentPumps } from "../db/admission/pump";
import { observeCalm } from "../db/cleanup/certainty";
import { transact } from "../db/connection";
import { foldRefusals } from "../db/console/refusals";
import { expireDue } from "../db/ledger/expire";
import { recoverLeases } from "../db/ledger/recover";
import { bumpSilentRedrives } from "../db/redrive/step";
import { crowdEventId, dueEventId } from "../db/rules/event-catalog";
import { openAheadSeconds } from "../db/rules/opening";
import { beginSweep, endSweep, lastSweepAgeMs, type SweepMover, upcomingDueSeconds } from "../db/sweeps";
import { degrade } from "./degrade";
import { callRedrives, ringPumps } from "./dispatch";
import { fanOutOverdue } from "./fan-out";
import { log } from "./log";
import { openDueBetween, readClockMs } from "./opening";
import { publishOutbox } from "./publish";
import { type OutgoingEvent, sendEvents } from "./send";
import { tellOperators } from "./tell-operators";

/** Two movers that meet within this time do one sweep. */
const QUIET_MS: Record<SweepMover, number> = {
  cron: 20_000,
  start: 0,
  health: 30_000,
  sync: 20_000,
  command: 0,
};

/** Health takes a sweep over when the last one is older than this: the cron's minute and half of another. */
export const SWEEP_OVERDUE_MS = 90_000;

/** Waits are armed again this far ahead: longer than a sweep's interval, so that a forgetful engine loses none. */
const REARM_AHEAD_MS = 150_000;

/** An overdue occurrence is one whose wait should have opened it this long ago. */
const OVERDUE_MS = 1_000;

const ROWS_PER_ROUND = 500;
const ROUNDS_MAX = 20;

export interface SweepCounts extends Record<string, number> {
  opened: number;
  fannedOut: number;
  recovered: number;
  expired: number;
  reverted: number;
  degraded: number;
  rung: number;
  redrives: number;
  rearmed: number;
  published: number;
  told: number;
}

/**
 * Heals whatever a crash left (P5), from Postgres alone: opens overdue occurrences, recovers leases, ends what is past
 * its usefulness, puts back limits that were changed for a while, lets policies for overload act, rings silent pumps, calls silent redrives' drivers, arms
 * near waits again, publishes the outbox, and looks whether an uncertain ledger has become calm. Each part is a transaction of its
 * own and may run twice; a crash between parts leaves the rest to the next sweep. Null when another sweep just ran.
 */
export async function sweep(mover: SweepMover): Promise<SweepCounts | null> {
  const id = await beginSweep(mover, QUIET_MS[mover]);
  if (id === null) return null;
  const counts: SweepCounts = {
    opened: 0,
    fannedOut: 0,
    recovered: 0,
    expired: 0,
    reverted: 0,
    degraded: 0,
    rung: 0,
    redrives: 0,
    rearmed: 0,
    published: 0,
    told: 0,
  };
  const nowMs = await readClockMs();
  counts.opened = (await openDueBetween(0, nowMs - OVERDUE_MS)).opened;
  counts.fannedOut = await fanOutOverdue();
  counts.recovered = await rounds(() => recoverLeases({ partition: null, limit: ROWS_PER_ROUND }));
  counts.expired = await rounds(() =>
    transact((tx) => expireDue(tx, { partition: null, limit: ROWS_PER_ROUND })),
  );
  const reverted = await revertLapsedLimits();
  counts.reverted = reverted.length;
  counts.degraded = await degrade();
  const all = mover === "start" || mover === "sync";
  const rings = await bumpSilentPumps({ all });
  await ringPumps([...reverted, ...rings]);
  counts.rung = rings.length;
  const silent = await bumpSilentRedrives({ all });
  await callRedrives(silent);
  counts.redrives = silent.length;
  counts.rearmed = await rearmWaits();
  counts.published = (await publishOutbox()).published;
  counts.told = await tellOperators();
  await observeCalm();
  await foldRefusals();
  await endSweep(id, counts);
  return counts;
}

async function rounds(round: () => Promise<number>): Promise<number> {
  let total = 0;
  for (let count = 0; count < ROUNDS_MAX; count += 1) {
    const moved = await round();
    total += moved;
    if (moved < ROWS_PER_ROUND) break;
  }
  return total;
}

/**
 * Sends the wait events of the next minutes again, under their own ids: an engine that knows them does nothing. A
 * crowded second gets a second wait that opens ahead.
 */
async function rearmWaits(): Promise<number> {
  const seconds = await upcomingDueSeconds(REARM_AHEAD_MS, ROWS_PER_ROUND);
  const generation = processGeneration();
  await sendEvents(
    seconds.flatMap(({ second, waiting }): OutgoingEvent<"reminder/scheduled">[] => {
      const name = "reminder/scheduled";
      const data = { v: 1 as const, dueSecond: second, generation };
      const aheadSeconds = openAheadSeconds(waiting);
      const wait = { id: dueEventId(second, generation), name, data } as const;
      const crowd = { id: crowdEventId(second, generation), name, data: { ...data, aheadSeconds } } as const;
      return aheadSeconds === undefined ? [wait] : [wait, crowd];
    }),
  );
  return seconds.length;
}

/** Sweeps if nobody has for too long; for health checks. Never throws. */
export async function sweepIfOverdue(): Promise<void> {
  try {
    const ageMs = await lastSweepAgeMs();
    if (ageMs === null || ageMs > SWEEP_OVERDUE_MS) await sweep("health");
  } catch (error) {
    log.error("sweep failed", { error });
  }
}
