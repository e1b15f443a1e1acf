import { sql } from "drizzle-orm";
import { database, ledgerNowMs, sqlState, together, transact } from "../connection";
import { CHECKS, type Check, type Scope } from "./invariant-checks";
import { SHIPMENT_CHECKS } from "./shipment-checks";

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

/** The SQLSTATE of a statement that was given up. */
const QUERY_CANCELED = "57014";

/**
 * Asks a live database whether it keeps the promises P1–P9 as far as it can tell (DESIGN: invariants). Read-only, one
 * short transaction per check; `historyMs` bounds what is looked at of the past (infinity: all of it), `toleranceMs`
 * forgives readings of the clock that waited for a lock. `atOnce` asks everything in one transaction and one round trip,
 * for a database that has little in it and nothing else to do.
 */
export async function checkInvariants(
  options: { historyMs?: number; toleranceMs?: number; atOnce?: boolean } = {},
): Promise<Invariants> {
  const { historyMs = HISTORY_MS, toleranceMs = TOLERANCE_MS, atOnce = false } = options;
  const nowMs = await ledgerNowMs(database());
  const scope: Scope = { sinceMs: Math.max(0, nowMs - historyMs), toleranceMs };
  const checks: CheckOutcome[] = [];
  const all = [...CHECKS, ...SHIPMENT_CHECKS];
  const groups = atOnce ? [all] : all.map((check) => [check]);
  for (const group of groups) checks.push(...(await ask(group, scope).catch(givenUp(group))));
  return { ok: checks.every((check) => check.violations === 0), checks };
}

/** What took too long is not kept as far as anybody knows, and the other checks are asked all the same. */
function givenUp(checks: readonly Check[]): (error: unknown) => CheckOutcome[] {
  return (error) => {
    if (sqlState(error) !== QUERY_CANCELED) throw error;
    const sample = [`no answer within ${STATEMENT_SECONDS} s`];
    return checks.map(({ promise, name, listedOnly = false }) => ({
      promise,
      name,
      violations: listedOnly ? 0 : 1,
      sample,
    }));
  };
}

function ask(checks: readonly Check[], scope: Scope): Promise<CheckOutcome[]> {
  const questions = checks.map(
    (check) => sql`select key from (${check.find(scope)}) found limit ${VIOLATIONS_MAX}`,
  );
  return transact(async (tx) => {
    const [, , ...answers] = await together<{ key: string }[]>(tx, [
      sql`set transaction read only`,
      sql.raw(`set local statement_timeout = '${STATEMENT_SECONDS}s'`),
      ...questions,
    ]);
    return checks.map(({ promise, name, listedOnly = false }, index) => {
      const found = answers[index] ?? [];
      const sample = [...new Set(found.map((row) => row.key))].sort().slice(0, SAMPLE_SIZE);
      return { promise, name, violations: listedOnly ? 0 : found.length, sample };
    });
  });
}
