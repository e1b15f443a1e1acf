import { effects } from "../db/effects";
import { type Claim, claimGroup } from "../db/ledger/begin";
import { keepForRun, returnForSlot, returnRows } from "../db/ledger/hold";
import type { SettledDelivery } from "../db/ledger/settle";
import type { DeliveryAdmitted } from "../db/rules/event-catalog";
import { HORIZON_MS, SLOT_PATIENCE_MS } from "../db/rules/slots";
import { isTracing } from "../db/trace";
import { DeliveryCalls } from "./delivery-calls";
import { dispatchAll, refillAfter } from "./dispatch";
import { inTurn } from "./in-turn";
import { expectedAnswerMs, monotonicOf, noteLedgerClock } from "./ledger-clock";
import { log } from "./log";
import { ringDoorbell } from "./publish";
import { forgetSlots, groupSizeOf, noteSlots, takeTurn } from "./slot-turns";
import { traceCalls } from "./tracing";

export interface ParcelRun {
  data: DeliveryAdmitted;
  runId: string;
  attempt: number;
  maxAttempts: number;
}

/** What a deliver run reports: counts by outcome, why the rest was not sent, and what it keeps for its next attempt. */
export interface ParcelOutcome {
  settled: Record<string, number>;
  refused: Record<string, number>;
  returned: number;
  /** Set when the run keeps throttled rows: it wants to be woken this far from now. */
  wakeInMs: number | null;
}

/** A due instant further away than this is not waited for in a step. */
const DUE_PATIENCE_MS = 5_000;

/** The next group is claimed this long before the last slot of the one before, so that no slot passes unused. */
const CLAIM_AHEAD_MS = 40;

/** A wait longer than this is not held by a run: the rows go back and the run ends well. */
const KEEP_MAX_MS = 5 * 60_000;

/** A parcel of so many was probably followed by others: those that travel alone or in small numbers have no backlog. */
const BACKLOG_PARCEL = 8;

/** Rows whose next time is this close to the earliest one are kept together with it. */
const SAME_WAKE_MS = 1_500;

/**
 * Sends one parcel (P3, P6, P7, P9): group by group it reserves slots and begins attempts, calls the provider at each
 * slot's instant, and settles every outcome as it comes. Waits in here are only for a granted slot, a refused slot's
 * retry, or a due instant under a few seconds away; everything longer is a row in the ledger.
 *
 * A crash leaves leases (recovered as "outcome unknown"), admissions and kept rows (they run out). Running it again
 * meets the ledger: what was begun is refused as a duplicate.
 */
export async function deliverParcel(run: ParcelRun): Promise<ParcelOutcome> {
  const { partition, channel, lane, deliveryIds } = run.data;
  const calls = new DeliveryCalls(partition, channel);
  const left = new Set(deliveryIds);
  const refused: Record<string, number> = {};
  const traced: string[] = [];
  let returned = 0;
  let retryInMs = 0;
  let slotWaitMs = 0;
  let isWoken = false;
  while (left.size > 0) {
    const turnMs = Math.max(retryInMs, lane === "urgent" ? 0 : takeTurn(partition, left.size));
    slotWaitMs += turnMs;
    if (slotWaitMs > SLOT_PATIENCE_MS + HORIZON_MS) {
      returned = await giveUp(partition, left, true);
      break;
    }
    await effects.sleep(turnMs);
    const { group, askedAtMs } = await claimInTurn(run, left, calls);
    noteSlots(partition, group);
    for (const claim of group.begun) left.delete(claim.deliveryId);
    for (const { deliveryId, reason } of group.refused) {
      left.delete(deliveryId);
      refused[reason] = (refused[reason] ?? 0) + 1;
    }
    for (const other of group.awakened) calls.awakened.add(other);
    calls.start(group.begun, askedAtMs, group.nowMs);
    if (isTracing()) traced.push(...group.begun.map((claim) => claim.attemptId));
    if (left.size === 0) break;
    retryInMs = 0;
    if (group.retryInMs === null && group.laterInMs !== null && group.laterInMs <= DUE_PATIENCE_MS) {
      // Everything that is due has its slot: the next thing to do is the next instant. Woken too early for it, we ask
      // the ledger itself how long it is.
      const wokenEarly: boolean = isWoken && group.begun.length === 0;
      if (wokenEarly) await effects.sleep(group.laterInMs);
      else await untilLedger(group.nowMs + group.laterInMs);
      isWoken = !wokenEarly;
    } else if (group.begun.length > 0) {
      slotWaitMs = 0;
      await untilLedger(group.nowMs + lastSlotInMs(group.begun) - CLAIM_AHEAD_MS);
    } else if (group.retryInMs !== null) {
      retryInMs = group.retryInMs;
    } else if (group.gate !== null || group.refused.length === 0) {
      returned = await giveUp(partition, left, group.gate === null);
      break;
    }
  }
  const settled = await calls.finished();
  const wakeInMs = await keepThrottled(run, settled);
  if (settled.some((row) => row.state === "dead")) await ringDoorbell();
  await refill(run.data, [...calls.awakened]);
  await traceCalls(traced);
  return { settled: countBy(settled), refused, returned, wakeInMs };
}

/**
 * Claims the next group of what is left. Claims of one partition wait for its meter's row anyway, so a process makes them
 * one after the other; `urgent` does not stand behind anybody.
 */
async function claimInTurn({ data, runId }: ParcelRun, left: ReadonlySet<string>, calls: DeliveryCalls) {
  const { partition, channel, lane } = data;
  const ask = async () => {
    const askedAtMs = effects.monotonicMs();
    const group = await claimGroup({
      partition,
      channel,
      deliveryIds: [...left].slice(0, groupSizeOf(partition)),
      runId,
      answerMs: expectedAnswerMs(),
      hashContent: (row, attempt) => calls.prepare({ ...row, ...attempt }),
    });
    noteLedgerClock(group.nowMs);
    return { group, askedAtMs };
  };
  return lane === "urgent" ? ask() : inTurn(`claim ${partition}`, ask);
}

/** Waits until that instant of the ledger's clock, a little late rather than early. */
function untilLedger(ledgerMs: number): Promise<void> {
  return effects.sleep(monotonicOf(ledgerMs) - effects.monotonicMs());
}

/** Puts the rest back so that others have their turn: until shortly before a slot is free, or as it is behind a gate. */
async function giveUp(partition: string, left: ReadonlySet<string>, forSlot: boolean): Promise<number> {
  if (forSlot) {
    forgetSlots(partition);
    await returnForSlot(partition, [...left]);
  }
  await returnRows([...left]);
  return left.size;
}

function lastSlotInMs(claims: readonly Claim[]): number {
  return Math.max(...claims.map((claim) => claim.slotInMs));
}

function countBy(settled: readonly SettledDelivery[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const row of settled) {
    const name = row.stale ? "stale" : `${row.class}:${row.state}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

/**
 * Keeps the throttled rows that share the earliest next time, so that this run wakes for them (`RetryAfterError`). On
 * the last engine attempt, or for a long wait, nothing is kept: the pump promotes the rows when their time comes.
 */
async function keepThrottled(run: ParcelRun, settled: readonly SettledDelivery[]): Promise<number | null> {
  const throttled = settled.flatMap((row) =>
    row.class === "throttled" && row.state === "deferred" && row.nextEligibleInMs !== null
      ? [{ deliveryId: row.deliveryId, inMs: row.nextEligibleInMs }]
      : [],
  );
  const earliestMs = Math.min(...throttled.map((row) => row.inMs));
  if (throttled.length === 0 || earliestMs > KEEP_MAX_MS || run.attempt + 1 >= run.maxAttempts) return null;
  const together = throttled.filter((row) => row.inMs <= earliestMs + SAME_WAKE_MS);
  const wakeInMs = Math.max(...together.map((row) => row.inMs));
  const kept = await keepForRun(
    together.map((row) => row.deliveryId),
    run.runId,
    wakeInMs,
  );
  return kept > 0 ? wakeInMs : null;
}

/**
 * A settled parcel lets the next one go. A large one was made under backlog, so the next is simply admitted; after a
 * small one it is looked first whether anything waits. Losing this costs a pump tick, so a failure is only logged.
 */
async function refill({ partition, deliveryIds }: DeliveryAdmitted, awakened: string[]): Promise<void> {
  try {
    if (deliveryIds.length < BACKLOG_PARCEL) return void (await dispatchAll([partition, ...awakened]));
    await refillAfter(partition);
    await dispatchAll(awakened);
  } catch (error) {
    log.warn("refill after a parcel failed; the pump goes on", { partition, error });
  }
}
