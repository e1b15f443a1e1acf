import { effects } from "../db/effects";

/**
 * Where instants of the ledger's clock lie on this process's monotonic clock. A reading of the ledger's clock arrives
 * some milliseconds after it was made: the reading that came quickest is the best, and still late rather than early.
 */
interface Reading {
  /** Monotonic minus ledger, in milliseconds. */
  offsetMs: number;
  atMs: number;
}

// Next bundles route handlers apart; what the process knows is known once.
const holder = globalThis as unknown as { punctualLedgerClock?: Reading; punctualAnswerMs?: number };

/** How far one answer moves what is expected of the next: four in five come sooner, and a hiccup changes little. */
const ANSWER_SLOWER_MS = 2;
const ANSWER_QUICKER_MS = 0.5;

/** After this a slower reading takes the place of a quick one: clocks drift, a few hundredths of a millisecond a second. */
const READING_MS = 30_000;

/** Notes a reading that has just arrived. */
export function noteLedgerClock(ledgerMs: number): void {
  const atMs = effects.monotonicMs();
  const known = holder.punctualLedgerClock;
  const offsetMs = atMs - ledgerMs;
  if (known === undefined || offsetMs <= known.offsetMs || atMs - known.atMs > READING_MS)
    holder.punctualLedgerClock = { offsetMs, atMs };
  const tookMs = atMs - monotonicOf(ledgerMs);
  const expectedMs = expectedAnswerMs();
  holder.punctualAnswerMs = Math.max(
    0,
    tookMs > expectedMs ? expectedMs + ANSWER_SLOWER_MS : expectedMs - ANSWER_QUICKER_MS,
  );
}

/** How long after its reading of the clock an answer of the ledger usually arrives, in milliseconds. */
export function expectedAnswerMs(): number {
  return holder.punctualAnswerMs ?? 0;
}

/** An instant of the ledger's clock on the monotonic clock. A reading must have been noted before. */
export function monotonicOf(ledgerMs: number): number {
  return ledgerMs + (holder.punctualLedgerClock?.offsetMs ?? effects.monotonicMs() - ledgerMs);
}

/** Forgets every reading, for a ledger that starts anew under this process. */
export function forgetLedgerClock(): void {
  delete holder.punctualLedgerClock;
  delete holder.punctualAnswerMs;
}
