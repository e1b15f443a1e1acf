import { sql } from "drizzle-orm";
import { ledgerNowMs, rows, transact } from "../connection";
import { CHECKS, type Check, type Scope } from "./invariant-checks";

/** One promise's check as it was found: how many rows break it, and some of them. */
export interface CheckOutcome {
  promise: Check["promise"];
  name: string;
  /** At most `VIOLATIONS_MAX`: nobody needs the exact number of a disaster. */
  violations: number;
  /** Offending keys, or, with no violation, what operators should see all the same. */
  sample: string[];
}

export interface Invariants {
  ok: boolean;
  checks: CheckOutcome[];
}

/** History of an hour is some hundred thousand attempts at most; what broke before was seen by the hour before. */
const HISTORY_MS = 3_600_000;

/** Two clock readings of transactions that wait for each other lie at most this far apart on a healthy database. */
const TOLERANCE_MS = 5_000;

const VIOLATIONS_MAX = 1_000;
const SAMPLE_SIZE = 5;

/** A check that takes longer is given up: it must not slow down what it watches. */
const STATEMENT_SECONDS = 30;

/**
 * Asks a live database whether it keeps the promises P1–P9 as far as it can tell (DESIGN: invariants). Read-only, one
 * short transaction per check; `historyMs` bounds what is looked at of the past (infinity: all of it), `toleranceMs`
 * forgives readings of the clock that waited for a lock.
 */
export async function checkInvariants(
  options: { historyMs?: number; toleranceMs?: number } = {},
): Promise<Invariants> {
  const { historyMs = HISTORY_MS, toleranceMs = TOLERANCE_MS } = options;
  const nowMs = await transact((tx) => ledgerNowMs(tx));
  const scope: Scope = { sinceMs: Math.max(0, nowMs - historyMs), toleranceMs };
  const checks: CheckOutcome[] = [];
  for (const check of CHECKS) checks.push(await ask(check, scope));
  return { ok: checks.every((check) => check.violations === 0), checks };
}

function ask(check: Check, scope: Scope): Promise<CheckOutcome> {
  return transact(async (tx) => {
    await rows(tx, sql`set transaction read only`);
    await rows(tx, sql.raw(`set local statement_timeout = '${STATEMENT_SECONDS}s'`));
    const found = await rows<{ key: string }>(
      tx,
      sql`select key from (${check.find(scope)}) found limit ${VIOLATIONS_MAX}`,
    );
    const sample = [...new Set(found.map((row) => row.key))].sort().slice(0, SAMPLE_SIZE);
    const { promise, name, listedOnly = false } = check;
    return { promise, name, violations: listedOnly ? 0 : found.length, sample };
  });
}
