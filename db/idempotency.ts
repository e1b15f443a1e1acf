import { sql } from "drizzle-orm";
import { rows, type Transaction, transact } from "./connection";
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
      if (stored !== null) return stored.ok ? ok({ value: stored.value, replayed: true }) : stored;
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

/** Null when the key is ours now; else the stored answer, or the mismatch. Waits for a transaction that holds the key. */
async function claimKey<T>(tx: Transaction, claim: IdempotencyClaim): Promise<Result<T> | null> {
  const mine = await rows(
    tx,
    sql`insert into idempotency_keys (scope, key, body_hash, status, response, created_at)
      values (${claim.scope}, ${claim.key}, ${claim.bodyHash}, 0, '{}'::jsonb, ledger_now())
      on conflict (scope, key) do nothing returning key`,
  );
  if (mine.length > 0) return null;
  const [stored] = await rows<{ bodyHash: string; response: T }>(
    tx,
    sql`select body_hash as "bodyHash", response from idempotency_keys where scope = ${claim.scope} and key = ${claim.key}`,
  );
  if (stored === undefined)
    return fail({ code: "conflict", why: "The same request is still in progress; repeat it." });
  if (stored.bodyHash !== claim.bodyHash) {
    return fail({
      code: "idempotency_mismatch",
      why: "This Idempotency-Key was used with another body; use a new key for a new request.",
    });
  }
  return ok(stored.response);
}
