import { type SQL, sql } from "drizzle-orm";
import {
  type Answers,
  type Decision,
  inTwoTrips,
  type Queries,
  rows,
  sqlState,
  type Transaction,
  transact,
} from "./connection";
import { fail, ok, type Problem, type Result } from "./rules/errors";

/** A caller's `Idempotency-Key`, scoped to caller and route, with a hash of the body it came with. */
export interface IdempotencyClaim {
  scope: string;
  key: string;
  bodyHash: string;
}

/** Carries a problem out of a transaction that must not commit. */
class Abandoned extends Error {
  constructor(readonly problem: Problem) {
    super("abandoned");
  }
}

/**
 * Runs `work` in one transaction; a problem rolls everything back. With a claim, the key and the effect commit together
 * or not at all: a second request with the same key waits for the first, then gets its answer; with another body it is
 * refused. A request that failed leaves no key behind.
 */
export async function once<T>(
  claim: IdempotencyClaim | null,
  work: (tx: Transaction) => Promise<Result<T>>,
): Promise<Result<{ value: T; replayed: boolean }>> {
  try {
    return await transact(async (tx) => {
      const stored = claim === null ? null : await claimKey<T>(tx, claim);
      if (stored !== null) return stored;
      const result = await work(tx);
      if (!result.ok) throw new Abandoned(result.problem);
      if (claim !== null) {
        await rows(
          tx,
          sql`update idempotency_keys set response = ${JSON.stringify(result.value)}::jsonb, status = 201
            where scope = ${claim.scope} and key = ${claim.key}`,
        );
      }
      return ok({ value: result.value, replayed: false });
    });
  } catch (error) {
    if (error instanceof Abandoned) return fail(error.problem);
    throw error;
  }
}

/**
 * The same in two round trips (`inTwoTrips`): `decide` makes of what was read the writes and the answer, or a problem, and
 * then nothing is written. Of two with one key the second waits at its first write, finds the key taken and begins anew.
 */
export async function onceInTwoTrips<Results extends unknown[], T>(
  claim: IdempotencyClaim | null,
  reads: Queries<Results>,
  decide: (results: Answers<Results>) => Result<Decision<T>>,
): Promise<Result<{ value: T; replayed: boolean }>> {
  try {
    return await tryInTwoTrips(claim, reads, decide);
  } catch (error) {
    if (claim === null || sqlState(error) !== UNIQUE_VIOLATION) throw error;
    return tryInTwoTrips(claim, reads, decide);
  }
}

async function tryInTwoTrips<Results extends unknown[], T>(
  claim: IdempotencyClaim | null,
  reads: Queries<Results>,
  decide: (results: Answers<Results>) => Result<Decision<T>>,
): Promise<Result<{ value: T; replayed: boolean }>> {
  type All = [StoredAnswer<T>, ...Results];
  let settled: Result<{ value: T; replayed: boolean }> | null = null;
  const all = [readingKey(claim), ...reads] as Queries<All>;
  const value = await inTwoTrips<All, { done: T }>(all, (answers) => {
    const [[stored], ...results] = answers as [StoredAnswer<T>[], ...Answers<Results>];
    if (claim !== null && stored !== undefined) {
      settled = replay(claim, stored);
      return null;
    }
    const decided = decide(results as Answers<Results>);
    if (!decided.ok) {
      settled = decided;
      return null;
    }
    const { writes, value: done } = decided.value;
    return { writes: [...storingKey(claim, done), ...writes], value: { done } };
  });
  if (settled !== null) return settled;
  if (value === null) throw new Error("Bug! neither done nor refused");
  return ok({ value: value.done, replayed: false });
}

/** unique_violation */
const UNIQUE_VIOLATION = "23505";

/** What an earlier request with the same key was answered. */
interface StoredAnswer<T> {
  bodyHash: string;
  response: T;
}

function readingKey(claim: IdempotencyClaim | null): SQL {
  if (claim === null) return sql`select 1 where false`;
  return sql`select body_hash as "bodyHash", response from idempotency_keys
    where scope = ${claim.scope} and key = ${claim.key}`;
}

function storingKey(claim: IdempotencyClaim | null, value: unknown): SQL[] {
  if (claim === null) return [];
  return [
    sql`insert into idempotency_keys (scope, key, body_hash, status, response, created_at)
      values (${claim.scope}, ${claim.key}, ${claim.bodyHash}, 201, ${JSON.stringify(value)}::jsonb, ledger_now())`,
  ];
}

function replay<T>(
  claim: IdempotencyClaim,
  stored: StoredAnswer<T>,
): Result<{ value: T; replayed: boolean }> {
  if (stored.bodyHash === claim.bodyHash) return ok({ value: stored.response, replayed: true });
  return fail({
    code: "idempotency_mismatch",
    why: "This Idempotency-Key was used with another body; use a new key for a new request.",
  });
}

/** Null when the key is ours now; else the stored answer, or the mismatch. Waits for a transaction that holds the key. */
async function claimKey<T>(
  tx: Transaction,
  claim: IdempotencyClaim,
): Promise<Result<{ value: T; replayed: boolean }> | null> {
  const mine = await rows(
    tx,
    sql`insert into idempotency_keys (scope, key, body_hash, status, response, created_at)
      values (${claim.scope}, ${claim.key}, ${claim.bodyHash}, 0, '{}'::jsonb, ledger_now())
      on conflict (scope, key) do nothing returning key`,
  );
  if (mine.length > 0) return null;
  const [stored] = await rows<StoredAnswer<T>>(tx, readingKey(claim));
  return stored === undefined
    ? fail({ code: "conflict", why: "The same request is still in progress; repeat it." })
    : replay(claim, stored);
}
