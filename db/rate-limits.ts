import { createHmac } from "node:crypto";
import { sql } from "drizzle-orm";
import { config } from "./config";
import { alone, at, ledgerNowMs, rows, sqlState, type Transaction, transact } from "./connection";
import { effects } from "./effects";
import { fail, ok, type Result } from "./rules/errors";
import { RATE_LIMITS, type RateLimitName, type Turn, takeTurns } from "./rules/rate-limit";

/** What is asked of one limit: by whom, and in words for them when it is refused. */
export interface Asked {
  limit: RateLimitName;
  /** An address, a number, an id: kept as a keyed hash only. */
  subject: string;
  why: string;
}

/**
 * Takes one turn of each limit, or of none: shared by all processes, and as durable as the database. Limits are locked in
 * one order, so that two who ask for the same never wait for each other.
 */
export async function takeTurn(asked: readonly Asked[]): Promise<Result<null>> {
  const inOrder = asked
    .map((one) => ({ ...one, key: keyOf(one.limit, one.subject) }))
    .toSorted((one, other) => (one.key < other.key ? -1 : 1));
  return transact(async (tx): Promise<Result<null>> => {
    const taken: { key: string; untilMs: number }[] = [];
    for (const { key, limit, why } of inOrder) {
      const turn = decide(limit, 1, await lock(tx, key), await ledgerNowMs(tx));
      if (!turn.allowed)
        return fail({ code: "rate_limited", retryAfterSeconds: turn.retryAfterSeconds, why });
      taken.push({ key, untilMs: turn.takenUntilMs });
    }
    for (const { key, untilMs } of taken) await store(tx, key, untilMs);
    return ok(null);
  });
}

/** The row, made when it is new, with its lock; its instant in the past when nobody has asked. */
async function lock(tx: Transaction, key: string): Promise<number> {
  const [row] = await rows<{ takenUntilMs: number }>(
    tx,
    sql`insert into rate_limits (key, taken_until) values (${key}, ledger_now())
      on conflict (key) do update set taken_until = rate_limits.taken_until
      returning epoch_ms(taken_until) as "takenUntilMs"`,
  );
  return row?.takenUntilMs ?? 0;
}

async function store(tx: Transaction, key: string, untilMs: number): Promise<void> {
  await rows(tx, sql`update rate_limits set taken_until = ${at(untilMs)} where key = ${key}`);
}

function decide(limit: RateLimitName, turns: number, takenUntilMs: number, nowMs: number): Turn {
  return takeTurns(RATE_LIMITS[limit], { takenUntilMs, nowMs, turns });
}

/** Turns that a process takes at once for a subject that asks often: a write for each would cost more than the answer. */
const TURNS_AT_ONCE = 50;

/** What was taken ahead and not used lapses: a process that stops asking keeps nobody waiting for long. */
const HELD_MS = 1_000;

/** Subjects with turns in hand, per process; more than there are API keys. */
const HELD_MAX = 10_000;

/** read_only_sql_transaction */
const READ_ONLY = "25006";

interface Held {
  left: number;
  lapsesAtMs: number;
}

const holder = globalThis as unknown as { punctualTurns?: Map<string, Held> };

/**
 * The same for a limit that is met at every request: turns are taken from the database by the dozen and handed out here.
 * Near the limit a process takes one at a time, so that no turn is refused which there is.
 */
export async function takeFrequentTurn(asked: Asked): Promise<Result<null>> {
  const { limit, subject, why } = asked;
  const key = keyOf(limit, subject);
  holder.punctualTurns ??= new Map();
  const all = holder.punctualTurns;
  const held = all.get(key);
  if (held !== undefined && held.left > 0 && effects.monotonicMs() < held.lapsesAtMs) {
    held.left -= 1;
    return ok(null);
  }
  for (const turns of [TURNS_AT_ONCE, 1]) {
    const taken = await takeAlone(limit, key, turns).catch((error: unknown) => {
      // A database that takes no writes still answers questions; what writes is refused by itself.
      if (sqlState(error) === READ_ONLY) return true;
      throw error;
    });
    if (!taken) continue;
    if (all.size >= HELD_MAX) all.clear();
    all.set(key, { left: turns - 1, lapsesAtMs: effects.monotonicMs() + HELD_MS });
    return ok(null);
  }
  const turn = await transact(async (tx) => decide(limit, 1, await lock(tx, key), await ledgerNowMs(tx)));
  const retryAfterSeconds = turn.allowed ? 1 : turn.retryAfterSeconds;
  return fail({ code: "rate_limited", retryAfterSeconds, why });
}

/** The rule of `takeTurns` as one statement: no row comes back where it says no. */
async function takeAlone(limit: RateLimitName, key: string, turns: number): Promise<boolean> {
  const { burst, everyMs } = RATE_LIMITS[limit];
  const taken = await alone(
    sql`insert into rate_limits as r (key, taken_until)
      values (${key}, ledger_now() + ${turns * everyMs} * interval '1 millisecond')
      on conflict (key) do update
        set taken_until = greatest(r.taken_until, ledger_now()) + ${turns * everyMs} * interval '1 millisecond'
        where greatest(r.taken_until, ledger_now()) <= ledger_now() + ${(burst - turns) * everyMs} * interval '1 millisecond'
      returning 1`,
  );
  return taken.length > 0;
}

function keyOf(limit: RateLimitName, subject: string): string {
  const hash = createHmac("sha256", config().authSecret).update(`rate-limit:${limit}:${subject}`);
  return `${limit}:${hash.digest("base64url").slice(0, 32)}`;
}
