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
import { emptyLedger, inMs, makeDelivery, makePartition, makeReminder } from "../../support/factories";
import { ACCEPTED, claim, readDelivery, settle } from "../../support/ledger";
import { copyDelivery, cost, expectCheap } from "../../support/plans";

/** What a long outage leaves ready. */
const BACKLOG = 100_000;

/** Some shoppers with many reminders each. */
const FLOWS = 50;

const YEAR_MS = 365 * 86_400_000;

let partition = "";

beforeAll(async () => {
  // All on one connection, whose counters can be asked for.
  process.env.DATABASE_POOL_SIZE = "1";
  await closeDatabase();
  await emptyLedger();
  partition = await makePartition({ ceiling: 100, burst: 5 });
  const later = { state: "deferred", nextEligibleAt: inMs(YEAR_MS), expiresAt: inMs(2 * YEAR_MS) } as const;
  await copyDelivery(await makeDelivery({ partition }), BACKLOG, FLOWS);
  await copyDelivery(await makeDelivery({ partition, ...later }), BACKLOG / 5, FLOWS);
  await copyDelivery(await makeDelivery({ partition, state: "delivered" }), BACKLOG / 5, FLOWS);
  await rows(database(), sql`vacuum analyze deliveries`);
}, 120_000);

afterAll(async () => {
  delete process.env.DATABASE_POOL_SIZE;
  await closeDatabase();
});

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
  await copyDelivery(waiting, BACKLOG / 10, FLOWS);
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
