import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { partitionFor } from "../../db/admission/partition-defaults";
import { ensurePartitions } from "../../db/admission/partitions";
import { database, rows } from "../../db/connection";
import { testClock } from "../support/database";
import { emptyLedger, makeDestination, makeSubscriber } from "../support/factories";
import { interleave, randomFrom } from "../support/interleave";
import { type Shopper, Storm } from "../support/ledger-storm";

const WORKERS = 8;
const STEPS = 200;
const SEED = 4711;

const random = randomFrom(SEED);
let storm: Storm;
let watch: ReturnType<typeof interleave>;

beforeAll(async () => {
  await emptyLedger();
  const shoppers: Shopper[] = [];
  for (let count = 0; count < 2; count += 1) {
    const { id, externalId } = await makeSubscriber();
    const email = await makeDestination(id);
    await makeDestination(id, { channel: "sms" });
    await makeDestination(id, { channel: "push" });
    await makeDestination(id, { channel: "push" });
    shoppers.push({ id, emailId: email.id, externalId: externalId ?? "" });
  }
  const defaults = (["email", "sms", "push"] as const).map((channel) => ({
    ...partitionFor(channel, "http://127.0.0.1:9/push/x"),
    ...{ ceiling: 50, burst: 3 },
  }));
  await ensurePartitions(database(), defaults);
  storm = new Storm(
    random,
    shoppers,
    defaults.map((partition) => partition.key),
  );
  watch = interleave(random);
}, 60_000);

afterAll(() => watch.stop());

/** Rows that break a rule; none is right. */
const broken = (query: ReturnType<typeof sql>) => rows<Record<string, unknown>>(database(), query);

async function expectInvariants(): Promise<void> {
  // Each claim is one token, one attempt row, one count.
  expect(
    await broken(sql`select d.key, d.token, d.attempt_count, count(a.id)::int as attempts from deliveries d
      left join attempts a on a.delivery_id = d.id group by d.id
      having d.token <> d.attempt_count or count(a.id) <> d.attempt_count or count(distinct a.token) <> count(a.id)`),
  ).toEqual([]);
  // What is being sent has exactly one open attempt, the newest; everything else has none, unless the evidence for an
  // earlier attempt came while a later one was under way.
  expect(
    await broken(sql`select d.key, d.state from deliveries d left join attempts a on a.delivery_id = d.id
      where d.state <> 'delivered' group by d.id having count(*) filter (where a.id is not null and a.settled_at is null)
        <> case when d.state = 'sending' then 1 else 0 end
      or (d.state = 'sending' and max(a.number) filter (where a.settled_at is null) <> d.attempt_count)`),
  ).toEqual([]);
  // Nothing of a cancelled reminder waits, and nothing began after its deadline or for an instant before its time.
  expect(
    await broken(sql`select d.key, d.state from deliveries d join occurrences o on o.id = d.occurrence_id
      join reminders r on r.id = o.reminder_id
      where r.status = 'cancelled' and (d.state in ('scheduled', 'ready', 'deferred') or o.state = 'waiting')`),
  ).toEqual([]);
  expect(
    await broken(sql`select d.key, a.begun_at from attempts a join deliveries d on d.id = a.delivery_id
      where a.begun_at >= d.expires_at or a.slot_at < d.scheduled_at`),
  ).toEqual([]);
  // One occurrence of a reminder waits at most, and an opened one has a row for each of its channels.
  expect(
    await broken(
      sql`select reminder_id from occurrences where state = 'waiting' group by 1 having count(*) > 1`,
    ),
  ).toEqual([]);
  expect(
    await broken(sql`select o.id from occurrences o where o.state = 'opened' and exists (select 1 from unnest(o.channels) c
      where not exists (select 1 from deliveries d where d.occurrence_id = o.id and d.channel = c))`),
  ).toEqual([]);
  // Only attempts that the provider may have accepted leave their row unresolved, and only those rows die as unknown.
  expect(
    await broken(sql`select d.key from deliveries d where d.unresolved_since is not null and not exists (
      select 1 from attempts a where a.delivery_id = d.id and a.begun_at = d.unresolved_since)`),
  ).toEqual([]);
  // Each burial is announced once.
  expect(
    await broken(sql`select d.key from deliveries d where d.state = 'dead'
      and (select count(*) from outbox o where o.event_id = 'dead:' || d.burial_id) <> 1`),
  ).toEqual([]);
}

test(`every verb at once, ${WORKERS} workers with ${STEPS} steps each: no deadlock escapes, and the ledger stays true (seed ${SEED})`, async () => {
  const worker = async () => {
    for (let step = 0; step < STEPS; step += 1) await storm.step();
  };
  const clock = async () => {
    for (let tick = 0; tick < STEPS; tick += 1) {
      await testClock.advance(Math.floor(random() * 1500));
      await storm.admit();
    }
  };
  await Promise.all([...Array.from({ length: WORKERS }, worker), clock()]);
  // Not even one that `transact` repeated: the lock order leaves none.
  expect(watch.refused).toEqual([]);
  await expectInvariants();
  const [found] = await rows<{ attempts: number; states: number }>(
    database(),
    sql`select (select count(*)::int from attempts) as attempts, (select count(distinct state)::int from deliveries) as states`,
  );
  expect(found?.attempts, "the storm did something").toBeGreaterThan(40);
  expect(found?.states).toBeGreaterThanOrEqual(4);
}, 120_000);

test("and when the storm is over everything comes to an ending", async () => {
  watch.stop();
  await storm.calm(async () => {
    const [left] = await rows<{ count: number }>(
      database(),
      sql`select (select count(*)::int from deliveries where state in ('scheduled', 'ready', 'sending', 'deferred'))
        + (select count(*)::int from occurrences where state = 'waiting') as count`,
    );
    return left?.count === 0;
  });
  await expectInvariants();
}, 120_000);
