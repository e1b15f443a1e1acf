import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import { afterEach, expect, test } from "vitest";
import { closeDatabase, database, ledgerNowMs, rows, sqlState, transact } from "../../db/connection";
import * as schema from "../../db/schema";
import { withConnection } from "../support/clones";
import { databaseUrl, testClock } from "../support/database";
import { turns } from "../support/interleave";

afterEach(() => {
  process.env.DATABASE_URL = databaseUrl;
  delete process.env.DATABASE_POOL_SIZE;
  delete process.env.DATABASE_PREPARE;
});

test("a transaction that loses a deadlock is repeated, and both sides end well", async () => {
  const keys = [91, 92];
  let tries = 0;
  let holding = 0;
  const locked = (order: number[]) =>
    transact(async (tx) => {
      tries += 1;
      await rows(tx, sql`select pg_advisory_xact_lock(${order[0]})`);
      holding += 1;
      while (holding < 2) await turns(1);
      await rows(tx, sql`select pg_advisory_xact_lock(${order[1]})`);
    });
  await Promise.all([locked(keys), locked(keys.toReversed())]);
  expect(tries).toBe(3);
});

test("any other error comes through at once, with its code, and nothing of the work stays", async () => {
  let tries = 0;
  const broken = transact(async (tx) => {
    tries += 1;
    await rows(
      tx,
      sql`insert into sweeps (id, mover, started_at) values (${randomUUID()}::uuid, 'cron', ledger_now())`,
    );
    await rows(tx, sql`select 1 / 0`);
  });
  const error = await broken.catch((thrown: unknown) => thrown);
  expect([sqlState(error), tries]).toEqual(["22012", 1]);
  expect(await database().select().from(schema.sweeps)).toEqual([]);
  expect(sqlState(new Error("none"))).toBeNull();
  expect(sqlState("none")).toBeNull();
});

test("one pool per process, no larger than it says, however much is asked at once", async () => {
  await Promise.all(Array.from({ length: 60 }, () => transact((tx) => ledgerNowMs(tx))));
  const [found] = await withConnection(
    databaseUrl,
    (client) =>
      client`select count(*)::int as count from pg_stat_activity where application_name = 'punctual'
        and datname = current_database()`,
  );
  expect(found?.count).toBeLessThanOrEqual(10);
  expect(await ledgerNowMs(database())).toBe(testClock.nowMs());
});

test("statements are prepared, inside transactions too, unless DATABASE_PREPARE says off", async () => {
  const prepared = async () => {
    await transact((tx) => rows(tx, sql`select ${1}::int as one`));
    return transact((tx) =>
      rows<{ statement: string }>(
        tx,
        sql`select statement from pg_prepared_statements where statement like ${"%int as one"}`,
      ),
    );
  };
  process.env.DATABASE_URL = `${databaseUrl}?application_name=prepared`;
  process.env.DATABASE_POOL_SIZE = "1";
  expect(await prepared()).toHaveLength(1);
  process.env.DATABASE_URL = `${databaseUrl}?application_name=unprepared`;
  process.env.DATABASE_PREPARE = "off";
  expect(await prepared()).toEqual([]);
});

test("without an address it says what to do, and another address is another database", async () => {
  delete process.env.DATABASE_URL;
  expect(() => database()).toThrow("DATABASE_URL is not set");
  process.env.DATABASE_URL = `${databaseUrl}?application_name=other`;
  expect(await ledgerNowMs(database())).toBe(testClock.nowMs());
  await closeDatabase();
  await closeDatabase();
});
