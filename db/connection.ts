import { type SQL, sql, TransactionRollbackError } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import { drizzle, type PostgresJsDatabase } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import { effects } from "./effects";
import { impersonally } from "./impersonal";
import * as schema from "./schema";

export type Database = PostgresJsDatabase<typeof schema>;
export type Transaction = Parameters<Parameters<Database["transaction"]>[0]>[0];
/** Where a verb runs: on its own, or inside a caller's transaction. */
export type Executor = Database | Transaction;

/**
 * Connections of one process. Deliver runs hold one only while a transaction lasts, never during a provider call, so a
 * small pool carries hundreds of calls in flight; ten leaves room for several instances under a default limit of 100.
 */
const POOL_SIZE = 10;

/** A server that takes longer to let somebody in is not there. */
const CONNECT_SECONDS = 10;

/** However long the server was away, who asks once it is back waits no longer than this for the next try. */
const RECONNECT_SECONDS_MAX = 1;

/** A transaction that waits on its client is a fault: nothing here waits inside one. Long enough for a slow disk. */
const IDLE_IN_TRANSACTION_MS = 20_000;

/**
 * A page out of turn costs hardly more than the next one, on solid state and in memory. At Postgres' 4, made for turning
 * disks, an admission behind a few thousand waiting rows read and sorted them all instead of the first by their index.
 */
const RANDOM_PAGE_COST = 1.1;

/**
 * Every question of the ledger has an index of its own. Without statistics of the moment (migration 0023) two guesses of
 * "few" put together would look even fewer, and a whole backlog was read through the bitmaps of two wrong indexes.
 */
const BITMAP_SCANS = "off";

/** Deadlocks and serialization failures are repeated this often: a third in a row is not a coincidence. */
const TRANSACTION_TRIES = 3;

interface Connection {
  url: string;
  client: postgres.Sql;
  database: Database;
}

// Next bundles route handlers and instrumentation apart; the pool is one per process, so it lives on globalThis.
const holder = globalThis as unknown as { punctualConnection?: Connection };

function open(url: string): Connection {
  const client = postgres(url, {
    max: Number(process.env.DATABASE_POOL_SIZE ?? POOL_SIZE),
    prepare: preparesStatements(),
    connect_timeout: CONNECT_SECONDS,
    // Doubled from ten milliseconds on.
    backoff: (retries) => Math.min(2 ** retries / 100, RECONNECT_SECONDS_MAX),
    onnotice: () => {},
    connection: {
      application_name: "punctual",
      TimeZone: "UTC",
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
      random_page_cost: RANDOM_PAGE_COST,
      enable_bitmapscan: BITMAP_SCANS,
    },
  });
  return { url, client, database: drizzle(preparesStatements() ? preparing(client) : client, { schema }) };
}

/**
 * Prepared statements: planned once, one round trip instead of two, and several may be under way at once (`together`).
 * A transaction-mode pooler in front must carry them (PgBouncer 1.21 does); `DATABASE_PREPARE=off` is for one that
 * does not.
 */
function preparesStatements(): boolean {
  return process.env.DATABASE_PREPARE !== "off";
}

/** Drizzle asks for every statement unprepared; this client prepares them all the same, inside transactions too. */
function preparing<Client extends postgres.Sql | postgres.TransactionSql>(client: Client): Client {
  const wrapped: Client = Object.create(client);
  const options = { prepare: true, simple: false } as postgres.UnsafeQueryOptions;
  wrapped.unsafe = (query, parameters) => client.unsafe(query, parameters, options);
  if ("begin" in client && "begin" in wrapped) {
    const { begin } = client;
    wrapped.begin = ((work: (tx: postgres.TransactionSql) => unknown) =>
      begin((tx) => work(preparing(tx)))) as typeof begin;
  }
  return wrapped;
}

/** The process's database, opened at first use from `DATABASE_URL`. Throws when that is unset. */
export function database(): Database {
  const url = process.env.DATABASE_URL;
  if (url === undefined || url === "") {
    throw new Error(
      "DATABASE_URL is not set: give a Postgres address, or start with `npm run dev`, which brings one.",
    );
  }
  if (holder.punctualConnection?.url !== url) {
    const previous = holder.punctualConnection;
    holder.punctualConnection = open(url);
    if (previous !== undefined) void previous.client.end({ timeout: 1 });
  }
  return holder.punctualConnection.database;
}

/** Ends the process's connections; the next use opens them anew. */
export async function closeDatabase(): Promise<void> {
  const connection = holder.punctualConnection;
  delete holder.punctualConnection;
  if (connection !== undefined) await connection.client.end({ timeout: 5 });
}

const REPEATABLE_CODES = new Set(["40001", "40P01"]);

/** The SQLSTATE of a database error, looked for through its causes; null for anything else. */
export function sqlState(error: unknown): string | null {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
    const code = (at as { code?: unknown }).code;
    if (typeof code === "string" && /^[0-9A-Z]{5}$/.test(code)) return code;
  }
  return null;
}

/** Runs it again when Postgres says that it lost a deadlock. */
async function repeated<T>(run: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await run();
    } catch (error) {
      const state = sqlState(error);
      if (state === null || !REPEATABLE_CODES.has(state) || tries >= TRANSACTION_TRIES) throw error;
    }
  }
}

/** Runs `work` in one READ COMMITTED transaction, again when Postgres says that it lost a deadlock. */
export function transact<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
  return repeated(() =>
    effects.statement(() => (rehearses ? rolledBack(work) : database().transaction(work))),
  );
}

let rehearses = false;

/**
 * From now on every transaction of this process is rolled back once its work is done, or no longer: so a command can say
 * what it would come to, with every check that it would meet. Only for a process that does nothing else.
 */
export function rehearse(on: boolean): void {
  rehearses = on;
}

async function rolledBack<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
  const done: T[] = [];
  await database()
    .transaction(async (tx) => {
      done.push(await work(tx));
      tx.rollback();
    })
    .catch((error: unknown) => {
      if (!(error instanceof TransactionRollbackError)) throw error;
    });
  return done[0] as T;
}

/** Runs one statement as a transaction of its own: one round trip, where begin and commit make it three. */
export function alone<T>(query: SQL): Promise<T[]> {
  if (rehearses) return transact((tx) => rows<T>(tx, query));
  return repeated(() => rows<T>(database(), query));
}

/** Runs one raw statement and returns its rows. Instants come as `epoch_ms(…)` numbers, counts as `::int`. */
export async function rows<T>(executor: Executor, query: SQL): Promise<T[]> {
  return (await effects.statement(() => impersonally(() => executor.execute(query)))) as unknown as T[];
}

/** One statement for each kind of row in a list of them. */
export type Queries<Results extends unknown[]> = { [Index in keyof Results]: SQL };
/** The rows that each of those statements returned. */
export type Answers<Results extends unknown[]> = { [Index in keyof Results]: Results[Index][] };

/**
 * Sends several statements of a transaction at once, in this order, and returns the rows of each: one round trip, which
 * matters most while a lock is held. Each is a statement of its own: it sees what those before it did and what had
 * committed when it began. The first error is thrown.
 */
export async function together<Results extends unknown[]>(
  tx: Transaction,
  queries: Queries<Results>,
): Promise<Answers<Results>> {
  return (await effects.statement(() =>
    impersonally(() => Promise.all(queries.map((query) => tx.execute(query as SQL)))),
  )) as never;
}

/** What a decision between two round trips comes to: the statements that carry it out, and what its caller is told. */
export interface Decision<Value> {
  writes: SQL[];
  value: Value;
}

/**
 * A transaction in two round trips: the reads, with their locks, all at once; then, without any waiting in between, what
 * `decide` makes of them, together with the commit. So a lock is held for one turn of the event loop and not for one per
 * statement. Null from `decide` rolls back and is passed on. Repeated after a lost deadlock, as `transact` is.
 */
export function inTwoTrips<Results extends unknown[], Value>(
  reads: Queries<Results>,
  decide: (results: Answers<Results>) => Decision<Value> | null,
): Promise<Value | null> {
  // One effect as a whole, as every transaction is: a simulation must not let another one in between its two trips.
  const work = async () => {
    database();
    const connection = await (holder.punctualConnection as Connection).client.reserve();
    const send = (queries: SQL[]) =>
      effects.statement(() =>
        impersonally(() => Promise.all(queries.map((query) => sendOn(connection, query)))),
      );
    let usable = true;
    try {
      const [, ...results] = await send([BEGIN, ...reads]);
      const decision = decide(results as never);
      await send(decision === null || rehearses ? [ROLLBACK] : [...decision.writes, COMMIT]);
      return decision === null ? null : decision.value;
    } catch (error) {
      // On a connection that broke there is nothing to roll back, and nothing to give back either.
      usable = await sendOn(connection, ROLLBACK).then(
        () => true,
        () => false,
      );
      throw error;
    } finally {
      if (usable) connection.release();
    }
  };
  return repeated(() => effects.statement(work));
}

/**
 * Transactions in two trips are planned once per connection, whatever the parameters. Left to choose, Postgres plans the
 * nine tables of a claim anew each time, because it takes a list of ids for ten rows when it does not know it: a third
 * of the CPU that Postgres spends on a delivery. They go by the ids that they lock, so there is no better plan for other
 * ones. Other verbs look for rows by how many there are, and are planned for that.
 */
const BEGIN = sql.raw("begin; set local plan_cache_mode = force_generic_plan");
const COMMIT = sql`commit`;
const ROLLBACK = sql`rollback`;

const dialect = new PgDialect();

function sendOn(connection: postgres.ReservedSql, query: SQL): Promise<unknown[]> {
  const { sql: text, params } = dialect.sqlToQuery(query);
  const options = {
    prepare: preparesStatements(),
    simple: params.length === 0,
  } as postgres.UnsafeQueryOptions;
  return connection.unsafe(text, params as never[], options).execute();
}

/** Reads the ledger's clock, in milliseconds since the epoch, as `nowMs`. */
export const CLOCK = sql`select epoch_ms(ledger_now()) as "nowMs"`;

/** The ledger's clock, read now: after a lock this is its own statement (DESIGN: one clock). Epoch milliseconds. */
export async function ledgerNowMs(executor: Executor): Promise<number> {
  const [row] = await rows<{ nowMs: number }>(executor, CLOCK);
  if (row === undefined) throw new Error("ledger_now() returned no row");
  return row.nowMs;
}

/** A list of ids as one parameter. */
export function uuids(ids: readonly string[]): SQL {
  return sql`string_to_array(${ids.join(",")}, ',')::uuid[]`;
}

/** An instant parameter from epoch milliseconds. */
export function at(ms: number): SQL {
  return sql`from_epoch_ms(${ms}::double precision)`;
}
