import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { admit } from "../../../db/admission/admit";
import { promoteDue } from "../../../db/admission/promote";
import { bumpSilentPumps, restPump, ringIfLive } from "../../../db/admission/pump";
import { closeDatabase, database, rows, transact } from "../../../db/connection";
import { expireDue } from "../../../db/ledger/expire";
import { returnForSlot } from "../../../db/ledger/hold";
import { recoverLeases } from "../../../db/ledger/recover";
import { cancelReminder } from "../../../db/reminders/cancel";
import {
  type DeliveryRow,
  emptyLedger,
  inMs,
  makeDelivery,
  makePartition,
  makeReminder,
} from "../../support/factories";
import { ACCEPTED, claim, readDelivery, settle } from "../../support/ledger";

/** What a long outage leaves ready. */
const BACKLOG = 100_000;

const YEAR_MS = 365 * 86_400_000;

/** A verb may read a few of its own rows and its batch of 500 through a few indexes, never a part of the backlog. */
const TUPLES_MAX = 8_000;

let partition = "";

/** Copies of one row, each with a key of its own: as many as asked, spread over 50 flows. */
async function copy(row: DeliveryRow, count: number): Promise<void> {
  await database().transaction(async (tx) => {
    await rows(tx, sql`set local session_replication_role = replica`);
    await rows(
      tx,
      sql`insert into deliveries
        select copied.* from deliveries d, generate_series(1, ${count}::int) n,
          lateral jsonb_populate_record(d, jsonb_build_object('id', gen_random_uuid(), 'key', d.key || ':' || n,
            'reference', md5(d.reference || n), 'occurrence_id', gen_random_uuid(), 'flow', 'flow-' || n % 50,
            'pass', case when d.pass is not null then n / 50 end,
            'next_eligible_at', d.next_eligible_at + n * interval '10 milliseconds')) copied
        where d.id = ${row.id}::uuid`,
    );
  });
}

beforeAll(async () => {
  // All on one connection, whose counters can be asked for.
  process.env.DATABASE_POOL_SIZE = "1";
  await closeDatabase();
  await emptyLedger();
  partition = await makePartition({ ceiling: 100, burst: 5 });
  const later = { state: "deferred", nextEligibleAt: inMs(YEAR_MS), expiresAt: inMs(2 * YEAR_MS) } as const;
  await copy(await makeDelivery({ partition }), BACKLOG);
  await copy(await makeDelivery({ partition, ...later }), BACKLOG / 5);
  await copy(await makeDelivery({ partition, state: "delivered" }), BACKLOG / 5);
  await rows(database(), sql`vacuum analyze deliveries`);
}, 120_000);

afterAll(async () => {
  delete process.env.DATABASE_POOL_SIZE;
  await closeDatabase();
});

/** What the verb made the database read of the ledger's table. */
async function cost(verb: () => Promise<unknown>): Promise<{ seqScans: number; tuples: number }> {
  const before = await counters();
  await verb();
  const after = await counters();
  return { seqScans: after.seqScans - before.seqScans, tuples: after.tuples - before.tuples };
}

async function counters(): Promise<{ seqScans: number; tuples: number }> {
  await rows(database(), sql`select pg_stat_force_next_flush()`);
  const [found] = await rows<{ seqScans: number; tuples: number }>(
    database(),
    sql`select seq_scan::int as "seqScans", (seq_tup_read + (select sum(idx_tup_read) from pg_stat_user_indexes
        where relname = 'deliveries'))::int as tuples
      from pg_stat_user_tables where relname = 'deliveries'`,
  );
  if (found === undefined) throw new Error("no counters");
  return found;
}

async function expectCheap(verb: () => Promise<unknown>): Promise<void> {
  const { seqScans, tuples } = await cost(verb);
  expect(seqScans, "sequential scans of deliveries").toBe(0);
  expect(tuples, "tuples read").toBeLessThanOrEqual(TUPLES_MAX);
}

test("the counters count: a full scan of the backlog shows", async () => {
  const { seqScans, tuples } = await cost(() =>
    rows(database(), sql`select count(*) from deliveries where flow <> ''`),
  );
  expect(seqScans).toBeGreaterThanOrEqual(1);
  expect(tuples).toBeGreaterThan(BACKLOG);
});

test("an admission under a backlog of 100 000 reads its own window", async () => {
  await expectCheap(async () => {
    const { parcels } = await admit(partition);
    expect(parcels.flatMap((parcel) => parcel.deliveryIds).length).toBeGreaterThan(100);
  });
  // The window is full: the next look finds that out without looking at the backlog.
  await expectCheap(async () => expect((await admit(partition)).parcels).toEqual([]));
});

test("claim, settlement and a parcel without a slot read their own rows", async () => {
  const admitted = await rows<{ id: string }>(
    database(),
    sql`select id from deliveries where admission_id is not null limit 3`,
  );
  const made = await Promise.all(admitted.map((row) => readDelivery(row.id)));
  await expectCheap(async () => {
    const { begun } = await claim(made);
    for (const claimed of begun) await settle(claimed, ACCEPTED);
    await returnForSlot(
      partition,
      made.map((row) => row.id),
    );
  });
});

test("promotion, expiry, lease recovery and the sweep's rings read what is due and no more", async () => {
  await expectCheap(() => transact((tx) => promoteDue(tx, { partition, limit: 500 })));
  await expectCheap(() => transact((tx) => expireDue(tx, { partition, limit: 500 })));
  await expectCheap(() => transact((tx) => expireDue(tx, { partition: null, limit: 500 })));
  await expectCheap(() => recoverLeases({ partition, limit: 500 }));
  await expectCheap(() => recoverLeases({ partition: null, limit: 500 }));
  await expectCheap(() => bumpSilentPumps({ all: true }));
});

test("a pump's tick and a ring read a handful, however much waits for later", async () => {
  const [row] = await rows<{ generation: number }>(
    database(),
    sql`select pump_generation::int as generation from partitions where key = ${partition}`,
  );
  await expectCheap(() => restPump({ partition, generation: row?.generation ?? 0 }));
  await expectCheap(() => ringIfLive(partition));
  const quiet = await makePartition();
  const waiting = await makeDelivery({ partition: quiet, state: "scheduled", nextEligibleAt: inMs(YEAR_MS) });
  await copy(waiting, BACKLOG / 10);
  await rows(database(), sql`analyze deliveries`);
  await expectCheap(() => restPump({ partition: quiet, generation: 1 }));
});

test("a cancel reads its own reminder's deliveries", async () => {
  const { reminder } = await makeReminder();
  await expectCheap(() => cancelReminder({ kind: "shop" }, reminder.id));
});

test("the partition leads every index of what waits or is being sent; the future and the ready have their own", async () => {
  const live = await rows<{ name: string; columns: string; where: string }>(
    database(),
    sql`select c.relname as name, pg_get_indexdef(i.indexrelid) as columns, pg_get_expr(i.indpred, i.indrelid) as where
      from pg_index i join pg_class c on c.oid = i.indexrelid
      where i.indrelid = 'deliveries'::regclass and (pg_get_expr(i.indpred, i.indrelid) ~ 'ready|scheduled|sending|admission_id')`,
  );
  // Cancelling and opting out look by subscriber; everything that a mover asks is asked of one partition.
  const others = live.filter(({ columns }) => !columns.includes("(partition,")).map(({ name }) => name);
  expect(others).toEqual(["deliveries_live_by_subscriber"]);
  const whereOf = (name: string) => live.find((index) => index.name === name)?.where;
  expect(whereOf("deliveries_ready")).toBe("(state = 'ready'::text)");
  expect(whereOf("deliveries_due")).not.toContain("ready");
});
