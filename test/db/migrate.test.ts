import { sql } from "drizzle-orm";
import { afterAll, expect, inject, test } from "vitest";
import { database, rows } from "../../db/connection";
import { migrate } from "../../db/migrate";
import { dropDatabase, urlOf, withConnection } from "../support/clones";

const ROUNDS = 10;

const { adminUrl, prefix } = inject("testDatabases");
const made: string[] = [];

afterAll(async () => {
  for (const name of made) await dropDatabase(adminUrl, name);
});

async function freshDatabase(): Promise<string> {
  const name = `${prefix}_migrate_${made.length}`;
  await withConnection(adminUrl, (client) => client`create database ${client(name)}`);
  made.push(name);
  return urlOf(adminUrl, name);
}

/** Everything that a migration makes, as text: columns, constraints, indexes, triggers, functions. */
function shapeOf(url: string): Promise<string[]> {
  return withConnection(url, async (client) => {
    const found = await client<{ line: string }[]>`
      select table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable || ' ' || coalesce(column_default, '') as line
        from information_schema.columns where table_schema = 'public'
      union all select conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) from pg_constraint
        where connamespace = 'public'::regnamespace
      union all select indexdef from pg_indexes where schemaname = 'public'
      union all select pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
      union all select proname || ' ' || prosrc from pg_proc where pronamespace = 'public'::regnamespace
      order by line`;
    return found.map((row) => row.line);
  });
}

const appliedIn = (url: string) =>
  withConnection(url, async (client) => {
    const [row] = await client`select count(*)::int as count from drizzle.__drizzle_migrations`;
    return row?.count as number;
  });

test("two processes that start together on an empty database bring it to the same shape, ten times over", async () => {
  let expected: string[] | null = null;
  let applied = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const url = await freshDatabase();
    await Promise.all([migrate(url), migrate(url), migrate(url)]);
    const shape = await shapeOf(url);
    const count = await appliedIn(url);
    expected ??= shape;
    applied ||= count;
    expect(shape).toEqual(expected);
    expect(count).toBe(applied);
  }
  expect(expected?.length).toBeGreaterThan(200);
}, 120_000);

test("migrating again changes nothing, and keeps the data", async () => {
  const url = await freshDatabase();
  await migrate(url);
  const [shape, applied] = [await shapeOf(url), await appliedIn(url)];
  await withConnection(url, (client) => client`update ledger_state set generation = 'g7'`);
  await migrate(url);
  expect([await shapeOf(url), await appliedIn(url)]).toEqual([shape, applied]);
  const [state] = await withConnection(url, (client) => client`select generation, mode from ledger_state`);
  expect(state).toEqual({ generation: "g7", mode: "sending" });
});

test("in production the ledger's clock is the database's, and no row moves it", async () => {
  const url = await freshDatabase();
  await migrate(url);
  await withConnection(url, async (client) => {
    const [clock] =
      await client`select abs(extract(epoch from ledger_now() - clock_timestamp()))::float8 as apart,
      (select provolatile from pg_proc where proname = 'ledger_now') as volatility`;
    expect(clock?.apart).toBeLessThan(1);
    // STABLE: a VOLATILE function in a predicate would disable the index.
    expect(clock?.volatility).toBe("s");
  });
});

test("instants cross as milliseconds and come back the same, in any zone of the session, over any change of clocks", async () => {
  await database().transaction(async (tx) => {
    for (const zone of ["UTC", "America/New_York", "Asia/Kolkata", "Pacific/Apia", "Europe/Dublin"]) {
      await rows(tx, sql`select set_config('TimeZone', ${zone}, true)`);
      for (const ms of [
        0,
        1,
        -1,
        1_772_452_800_000.5,
        Date.UTC(2026, 2, 8, 7),
        Date.UTC(2026, 9, 25, 1),
        4_102_444_800_123,
      ]) {
        const [row] = await rows<{ ms: number; text: string }>(
          tx,
          sql`select epoch_ms(from_epoch_ms(${ms}::float8)) as ms,
            to_char(from_epoch_ms(${ms}::float8) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as text`,
        );
        expect(row?.ms, `${ms} in ${zone}`).toBe(ms);
        if (Number.isInteger(ms)) expect(row?.text).toBe(new Date(ms).toISOString());
      }
    }
  });
});
