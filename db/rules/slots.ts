import { type Meter, type MeterLimits, slotIntervalMs } from "./meter";

/** A reservation reaches this far ahead: short, so that a rate change finds few slots granted at the old rate. */
export const HORIZON_MS = 500;

/** A run waits this long for a slot; then its rows go back and others have their turn. */
export const SLOT_PATIENCE_MS = 2_000;

/** One group of slots: what of one run a pause, a cancel or a cut cannot stop any more. */
export const GROUP_MS = 100;

/**
 * A reminder is claimed this long before its due instant, its slot being that instant: its call then leaves on time
 * although the claim waited for a lock, a commit or its turn on a busy process. Longer than nearly every such wait, and
 * within one group of slots, so that a cancel a tenth of a second before still wins. While somebody waits there is no
 * gap in front of such a slot: the meter is further ahead than this.
 */
export const DUE_AHEAD_MS = 60;

/** The part of the burst that `urgent` may overdraw: a quarter, in whole sends; none of a burst under four. */
function overdraftOf(limits: MeterLimits): number {
  return Math.floor(limits.burst / 4);
}

/**
 * Time between two overdrafts. The meter pays for one with the slot behind the horizon, so that one-second windows hold
 * at most `overdraftOf` unpaid ones when so many fit the horizon and no more (P7).
 */
function overdraftIntervalMs(stepMs: number, overdraft: number): number {
  return (HORIZON_MS + (overdraft + 1) * stepMs) / overdraft;
}

/**
 * How late a holder may be and still use its slot: τ = min(100 ms, half the burst ÷ rate). A call that leaves late stands
 * nearer to the next ones, so the burst pays for it: τ, the overdraft and the catching-up together are one burst (P7).
 */
export function slotToleranceMs(meter: Meter, limits: MeterLimits): number {
  return Math.min(GROUP_MS, (limits.burst / 2) * slotIntervalMs(meter, limits));
}

/** The tolerance of a slot that several budgets granted: the least of them. */
export function toleranceOf(budgets: readonly Budget[]): number {
  return Math.min(...budgets.map(({ meter, limits }) => slotToleranceMs(meter, limits)));
}

/** How far back a slot may lie that nobody took in time and that is made up for: the rest of the burst. */
function catchUpMs(meter: Meter, limits: MeterLimits): number {
  const rest = (limits.burst - overdraftOf(limits)) * slotIntervalMs(meter, limits);
  return rest - slotToleranceMs(meter, limits);
}

/** Whether a run that starts now would get a slot before its patience ends. */
export function isWithinReach(budgets: readonly Budget[], nowMs: number): boolean {
  return budgets.every(({ meter }) => meter.readyAtMs - nowMs <= HORIZON_MS + SLOT_PATIENCE_MS);
}

/** A meter with what it allows; `cost` counts in its unit. */
export interface Budget {
  meter: Meter;
  limits: MeterLimits;
}

export interface Reservation {
  /** One instant per granted send, in the order of the sends given; may be shorter than asked. */
  slotsAtMs: number[];
  /** When to ask again for what was not granted: at least 1 ms from now. */
  retryAtMs: number;
  /** When the next slot is free, the gates apart. */
  readyAtMs: number;
  /** In the order of the budgets given; the same ones when nothing was granted. */
  meters: Meter[];
}

/** Where one budget stands while a group is being granted. */
interface Standing {
  readyAtMs: number;
  urgentReadyAtMs: number;
  stepMs: number;
  catchUpMs: number;
  overdraft: number;
}

/** A send that asks for a slot. */
export interface SlotWish {
  cost: number;
  /** Its slot is not before this. */
  dueAtMs?: number | undefined;
}

/**
 * Grants slots to the first of `sends`, from all `budgets` together or from none: one group, at most `GROUP_MS` long,
 * within the horizon. Leaves no gap in front of a slot but where a send is not due yet: the first is the next instant that
 * is free in every budget. `urgent` does not stand behind reserved slots: while a budget's overdraft lasts its slot is now, and the
 * budget pays for it by moving one step back. `notBeforeMs` is the first instant that the asker can still keep.
 */
export function reserveSlots(
  budgets: readonly Budget[],
  request: { nowMs: number; sends: readonly SlotWish[]; urgent: boolean; notBeforeMs?: number },
): Reservation {
  const { nowMs } = request;
  const gateMs = Math.max(
    nowMs,
    request.notBeforeMs ?? nowMs,
    ...budgets.map(({ meter }) => meter.blockedUntilMs),
  );
  const standings = budgets.map(standingOf);
  const slotsAtMs: number[] = [];
  const open = budgets.every(({ limits }) => limits.ceiling > 0);
  for (const { cost, dueAtMs } of open ? request.sends : []) {
    const fromMs = Math.max(gateMs, dueAtMs ?? gateMs);
    const earliest = standings.map((standing) =>
      mayOverdraw(standing, request.urgent, fromMs) ? fromMs : Math.max(standing.readyAtMs, fromMs),
    );
    const slotAtMs = Math.max(...earliest);
    if (slotAtMs > nowMs + HORIZON_MS || slotAtMs > (slotsAtMs[0] ?? slotAtMs) + GROUP_MS) break;
    slotsAtMs.push(slotAtMs);
    for (const standing of standings) take(standing, slotAtMs, cost);
  }
  const readyAtMs = Math.max(...standings.map((standing) => standing.readyAtMs));
  return {
    slotsAtMs,
    retryAtMs: Math.max(nowMs + 1, Math.max(readyAtMs, gateMs) - HORIZON_MS),
    readyAtMs,
    meters: budgets.map(({ meter }, index) =>
      stored(meter, slotsAtMs.length > 0 ? standings[index] : undefined),
    ),
  };
}

function standingOf({ meter, limits }: Budget): Standing {
  return {
    readyAtMs: meter.readyAtMs,
    urgentReadyAtMs: meter.urgentReadyAtMs,
    stepMs: slotIntervalMs(meter, limits),
    catchUpMs: catchUpMs(meter, limits),
    overdraft: overdraftOf(limits),
  };
}

function mayOverdraw(standing: Standing, urgent: boolean, atMs: number): boolean {
  return urgent && standing.overdraft > 0 && standing.urgentReadyAtMs <= atMs;
}

/** Takes one slot of a budget; one that lies before the budget's own next is an overdraft. */
function take(standing: Standing, slotAtMs: number, cost: number): void {
  if (slotAtMs < standing.readyAtMs) {
    standing.urgentReadyAtMs = slotAtMs + cost * overdraftIntervalMs(standing.stepMs, standing.overdraft);
  }
  standing.readyAtMs = Math.max(standing.readyAtMs, slotAtMs - standing.catchUpMs) + cost * standing.stepMs;
}

function stored(meter: Meter, standing: Standing | undefined): Meter {
  if (standing === undefined) return meter;
  return { ...meter, readyAtMs: standing.readyAtMs, urgentReadyAtMs: standing.urgentReadyAtMs };
}

/**
 * The epoch of a slot that several budgets granted: it changes when any of them cuts, because each only ever counts up.
 */
export function epochOf(budgets: readonly Budget[]): number {
  return budgets.reduce((sum, { meter }) => sum + meter.epoch, 0);
}
