import { sql } from "drizzle-orm";
import postgres from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closeDatabase, database, rows } from "../../../db/connection";
import { ANSWERS_OF, groupDeadLetters } from "../../../db/console/dead-letters";
import { explain } from "../../../db/console/explain";
import { readAnswers, readEndings } from "../../../db/console/questions";
import { databaseUrl } from "../../support/database";
import { emptyLedger } from "../../support/factories";
import { fillDeliveries, fillPartition } from "../../support/ledger-fill";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Long over: nothing of it may be looked at row by row. */
const HISTORY = 30_000;

/** What waits: counted by its index. */
const BACKLOG = 10_000;

const DEAD = 4_000;

/** What was called in the window that is asked for: each costs a few looks. */
const CALLED = 300;

let partition = "";

beforeAll(async () => {
  // All on one connection, whose counters can be asked for.
  process.env.DATABASE_POOL_SIZE = "1";
  await closeDatabase();
  await emptyLedger();
  const client = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  try {
    await client`set session_replication_role = replica`;
    partition = await fillPartition(client, { key: "sms:plans", channel: "sms", ceiling: 100 });
    const fill = (state: "delivered" | "ready" | "dead", count: number, spreadMs: number) =>
      fillDeliveries(client, { channel: "sms", partition, state, count, spreadMs });
    await fill("delivered", HISTORY, 300 * DAY_MS);
    await fill("delivered", CALLED, 10 * MINUTE_MS);
    await fill("ready", BACKLOG, DAY_MS);
    await fill("dead", DEAD, 13 * DAY_MS);
    await client`vacuum analyze deliveries`;
    await client`vacuum analyze attempts`;
  } finally {
    await client.end();
  }
}, 120_000);

afterAll(async () => {
  delete process.env.DATABASE_POOL_SIZE;
  await closeDatabase();
});

/** Rows of the ledger that a question made the database fetch: by full scans, and through indexes. */
async function fetched(question: () => Promise<unknown>): Promise<{ scanned: number; looked: number }> {
  const before = await counters();
  await question();
  const after = await counters();
  return { scanned: after.scanned - before.scanned, looked: after.looked - before.looked };
}

async function counters(): Promise<{ scanned: number; looked: number }> {
  await rows(database(), sql`select pg_stat_force_next_flush()`);
  const [found] = await rows<{ scanned: number; looked: number }>(
    database(),
    sql`select sum(seq_tup_read)::int as scanned, sum(idx_tup_fetch)::int as looked
      from pg_stat_user_tables where relname in ('deliveries', 'attempts')`,
  );
  if (found === undefined) throw new Error("no counters");
  return found;
}

test("the counters count: reading the history row by row shows", async () => {
  const { scanned, looked } = await fetched(() =>
    rows(database(), sql`select count(*) from deliveries where flow <> ''`),
  );
  expect(scanned + looked).toBeGreaterThan(HISTORY);
});

test("the four questions look at the calls of their window, never at the history or the backlog", async () => {
  const { scanned, looked } = await fetched(async () => {
    const answers = await readAnswers(15 * MINUTE_MS);
    expect(answers.queues.find((row) => row.lane === "standard")).toMatchObject({ ready: BACKLOG });
    expect(answers.dead).toMatchObject([{ count: DEAD }]);
    const sms = answers.delays.find((row) => row.channel === "sms" && row.lane === "standard");
    // Of the rest, the newest row or two lie in the window too.
    expect(sms?.accepted).toBeGreaterThanOrEqual(CALLED);
    expect(sms?.attempted).toBeLessThan(CALLED + 10);
  });
  expect(scanned, "rows of full scans").toBe(0);
  expect(looked, "rows looked at").toBeLessThan(4 * CALLED);
});

test("one delivery is found and explained by key, reference or id without reading the others", async () => {
  const [row] = await rows<{ id: string; key: string; reference: string }>(
    database(),
    sql`select id, key, reference from deliveries where state = 'dead' limit 1`,
  );
  for (const name of [row?.id, row?.key, row?.reference]) {
    const { scanned, looked } = await fetched(async () => {
      expect(await explain(name ?? "")).toMatchObject({ key: row?.key });
    });
    expect(scanned, "rows of full scans").toBe(0);
    expect(looked, "rows looked at").toBeLessThan(20);
  }
});

test("burn rates and groups of dead letters are counted by their indexes", async () => {
  const endings = await fetched(async () => {
    expect(await readEndings(299 * DAY_MS)).toMatchObject([{ channel: "sms", died: DEAD }]);
  });
  expect(endings.scanned).toBe(0);
  // A page that is not known to be visible to all is looked at: the newest one.
  expect(endings.looked).toBeLessThan(100);
  let groups = 0;
  const grouped = await fetched(async () => {
    const found = await groupDeadLetters({});
    expect(found.total).toBe(DEAD);
    groups = found.groups.length;
  });
  expect(grouped.scanned).toBe(0);
  expect(grouped.looked).toBeLessThanOrEqual(2 * ANSWERS_OF * groups);
});
