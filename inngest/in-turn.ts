import { effects } from "../db/effects";

/** Who asks the ledger for one thing, in this process: one, and those who wait for their turn. */
interface Line {
  /** Whose turn it is. */
  turn: symbol;
  waiting: (() => void)[];
}

/**
 * Nobody waits longer for who is before them. A transaction takes some milliseconds; one that takes a second hangs, and
 * whoever comes after it must not.
 */
const PATIENCE_MS = 1_000;

// Next bundles route handlers apart; a line is one for the whole process.
const holder = globalThis as unknown as { punctualLines?: Map<string, Line> };

function lines(): Map<string, Line> {
  holder.punctualLines ??= new Map();
  return holder.punctualLines;
}

/**
 * Runs transactions that would wait for the same row's lock one after the other, in the order in which they came. In the
 * database each of them would hold a connection while it waits, and the pool would soon hold nothing else; here it costs
 * nothing. Only the lock is relied on: whose patience ends goes in beside whoever is in.
 */
export async function inTurn<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  const me = Symbol(name);
  const line = lines().get(name);
  if (line === undefined) lines().set(name, { turn: me, waiting: [] });
  else await turnOf(line, me);
  try {
    return await work();
  } finally {
    passOn(name, me);
  }
}

/** Whether somebody waits for their turn: what they do will be done after now. */
export function isAwaited(name: string): boolean {
  return (lines().get(name)?.waiting.length ?? 0) > 0;
}

async function turnOf(line: Line, me: symbol): Promise<void> {
  const called = new AbortController();
  const enter = () => {
    line.turn = me;
    called.abort();
  };
  line.waiting.push(enter);
  await effects.sleep(PATIENCE_MS, called.signal);
  if (line.turn === me) return;
  line.waiting.splice(line.waiting.indexOf(enter), 1);
  line.turn = me;
}

/** Whoever ran out of patience has taken the turn: then it is not ours to pass on. */
function passOn(name: string, me: symbol): void {
  const line = lines().get(name);
  if (line?.turn !== me) return;
  const next = line.waiting.shift();
  if (next === undefined) lines().delete(name);
  else next();
}

/** Forgets who waits, for a process that starts anew (tests, simulation). */
export function forgetLines(): void {
  lines().clear();
}
