import { readFile } from "node:fs/promises";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { admit } from "../../../db/admission/admit";
import { promoteDue } from "../../../db/admission/promote";
import { restPump, ringIfLive } from "../../../db/admission/pump";
import { closeDatabase, database, rows, transact } from "../../../db/connection";
import { expireDue } from "../../../db/ledger/expire";
import { returnForSlot, returnRows } from "../../../db/ledger/hold";
import { emptyLedger, inMs, makeDelivery, makePartition } from "../../support/factories";
import { ACCEPTED, claim, readDelivery, settle } from "../../support/ledger";
import { copyDelivery, expectCheap } from "../../support/plans";

/**
 * A crowd comes within seconds, statistics within a minute: when it counts the planner knows of no waiting row and takes
 * every index for equally good.
 */
const HISTORY = 20_000;
const CROWD = 10_000;

const MOMENT = sql`('state', 'pass', 'next_eligible_at', 'admitted_until', 'kept_until', 'lease_until')`;

/** A herd: due at one instant, and nobody has two. */
let partition = "";

beforeAll(async () => {
  process.env.DATABASE_POOL_SIZE = "1";
  await closeDatabase();
  await emptyLedger();
  partition = await makePartition({ ceiling: 500, burst: 25 });
  await rows(database(), sql`alter table deliveries set (autovacuum_enabled = false)`);
  await copyDelivery(await makeDelivery({ partition, state: "delivered" }), HISTORY, HISTORY);
  await rows(database(), sql`vacuum analyze deliveries`);
  await copyDelivery(await makeDelivery({ partition }), CROWD, CROWD);
  await copyDelivery(
    await makeDelivery({ partition, state: "deferred", nextEligibleAt: inMs(-3_600_000) }),
    CROWD,
    CROWD,
  );
}, 120_000);

afterAll(async () => {
  delete process.env.DATABASE_POOL_SIZE;
  await closeDatabase();
});

test("the planner has no statistics of the moment, and what it had is cleared", async () => {
  const known = () =>
    rows<{ name: string }>(
      database(),
      sql`select attname as name from pg_stats where tablename = 'deliveries' and attname in ${MOMENT}`,
    );
  expect(await known()).toEqual([]);
  // As a database of before has them.
  await rows(database(), sql`alter table deliveries alter column state set statistics 100`);
  await rows(database(), sql`analyze deliveries (state)`);
  await rows(database(), sql`alter table deliveries alter column state set statistics 0`);
  expect(await known()).toEqual([{ name: "state" }]);
  await rows(database(), sql.raw(await readFile("db/migrations/0024_forget_moment_statistics.sql", "utf8")));
  expect(await known()).toEqual([]);
});

let admitted: string[] = [];

test("promotion looks up each flow's last pass and no more", async () => {
  await expectCheap(() => transact((tx) => promoteDue(tx, { partition, limit: 500 })));
});

test("an admission reads its own window", async () => {
  await expectCheap(async () => {
    const { parcels } = await admit(partition);
    admitted = parcels.flatMap((parcel) => parcel.deliveryIds);
    expect(admitted.length).toBeGreaterThan(100);
  });
  await expectCheap(async () => expect((await admit(partition)).parcels).toEqual([]));
});

test("claims, settlements and what goes back read their own rows", async () => {
  const made = await Promise.all(admitted.slice(0, 50).map((id) => readDelivery(id)));
  await expectCheap(async () => {
    const { begun } = await claim(made.slice(0, 25));
    for (const claimed of begun) await settle(claimed, ACCEPTED);
    await returnForSlot(
      partition,
      made.slice(25, 40).map((row) => row.id),
    );
    await returnRows(made.slice(40).map((row) => row.id));
  });
});

test("expiry, a pump's tick and a ring read what they need", async () => {
  await expectCheap(() => transact((tx) => expireDue(tx, { partition, limit: 500 })));
  await expectCheap(() => restPump({ partition, generation: 1 }));
  await expectCheap(() => ringIfLive(partition));
});
