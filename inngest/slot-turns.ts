import { effects } from "../db/effects";
import { GROUP_MS, SLOT_PATIENCE_MS } from "../db/rules/slots";

/** What this process knows of a partition's meter. It is advice only: the meter row decides, and others ask it too. */
interface Advice {
  /** On the monotonic clock: when the meter said that there is room for a whole group of slots again. */
  roomAtMs: number;
  /** Whose turn it is after that. */
  turnAtMs: number;
  /** How many deliveries one group holds at most. */
  groupSize: number;
  /** Between one slot and the next. */
  intervalMs: number;
}

// Next bundles route handlers apart; what the process knows is known once.
const holder = globalThis as unknown as { punctualSlotTurns?: Map<string, Advice> };

/** Several waiting runs ask one after the other, a little faster than slots go by: a turn that nobody uses costs nothing. */
const TURN_SHARE = 0.97;

function known(): Map<string, Advice> {
  holder.punctualSlotTurns ??= new Map();
  return holder.punctualSlotTurns;
}

/**
 * Takes the next turn to ask for slots for that many deliveries: how long to wait, 0 when there should be room now.
 * Asking sooner is a transaction that brings little or nothing.
 *
 * Turns reach no further beyond the meter's own word than a run would wait: what is taken beyond that has been left by
 * runs that died or gave up, and would make everybody give up without asking. Who finds the meter itself too far away
 * gives up, and takes none.
 */
export function takeTurn(partition: string, count: number): number {
  const nowMs = effects.monotonicMs();
  const advice = known().get(partition);
  if (advice === undefined) return 0;
  const roomAtMs = Math.max(nowMs, advice.roomAtMs);
  if (advice.turnAtMs - roomAtMs > SLOT_PATIENCE_MS) advice.turnAtMs = roomAtMs;
  const atMs = Math.max(roomAtMs, advice.turnAtMs);
  if (atMs <= nowMs || atMs - nowMs > SLOT_PATIENCE_MS) return atMs - nowMs;
  advice.turnAtMs = atMs + TURN_SHARE * Math.min(GROUP_MS, count * advice.intervalMs);
  return atMs - nowMs;
}

/** How many deliveries it makes sense to ask about at once; all of them as long as nothing is known. */
export function groupSizeOf(partition: string): number {
  return known().get(partition)?.groupSize ?? Number.POSITIVE_INFINITY;
}

/** Notes what a meter said when it was asked. */
export function noteSlots(
  partition: string,
  said: { roomInMs: number; groupSize: number; intervalMs: number },
): void {
  const { roomInMs, groupSize, intervalMs } = said;
  const roomAtMs = roomInMs > 0 ? effects.monotonicMs() + roomInMs : Number.NEGATIVE_INFINITY;
  const turnAtMs = Math.max(roomAtMs, known().get(partition)?.turnAtMs ?? Number.NEGATIVE_INFINITY);
  known().set(partition, { roomAtMs, turnAtMs, groupSize, intervalMs });
}

/**
 * Forgets one partition after a cut of its rate, and when somebody gave up because of what is known: the next one asks
 * the meter itself. Forgets all of them with a ledger that starts anew.
 */
export function forgetSlots(partition?: string): void {
  if (partition === undefined) known().clear();
  else known().delete(partition);
}
