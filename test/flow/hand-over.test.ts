import { sql } from "drizzle-orm";
import { afterEach, beforeEach, expect, test } from "vitest";
import { pausePartition, setOwner } from "../../db/admission/controls";
import { cleanLedger } from "../../db/cleanup/clean";
import { database, rows } from "../../db/connection";
import { previewRedrive } from "../../db/redrive/preview";
import { startRedrive } from "../../db/redrive/start";
import { promoteLedger } from "../../db/restore/promote";
import { problemDetail } from "../../db/rules/errors";
import { ringPumps } from "../../inngest/dispatch";
import { sweep } from "../../inngest/sweep";
import { makeDelivery, makePartition } from "../support/factories";
import { readDelivery } from "../support/ledger";
import { World } from "../support/world";

let world: World;

beforeEach(async () => {
  world = await World.start(Date.UTC(2031, 4, 5, 9, 0, 0));
});

afterEach(() => {
  world.close();
  delete process.env.CONSUMER_GENERATION;
  process.env.LEDGER_GENERATION = "g1";
});

const OPERATOR = { name: "ada", reason: "drill" };
const COUNT = 60;
const MINUTE_MS = 60_000;

async function emailPartition(): Promise<string> {
  const [row] = await rows<{ key: string }>(
    database(),
    sql`select key from partitions where channel = 'email'`,
  );
  return row?.key ?? "";
}

const counters = () =>
  rows<{ state: string; attempts: number; failures: number; count: number }>(
    database(),
    sql`select state, attempt_count as attempts, failure_count as failures, count(*)::int as count from deliveries
      where channel = 'email' group by 1, 2, 3 order by 1, 2, 3`,
  );

/** Whether cleanup and redrive go ahead now. */
async function openAgain(redriveId: string): Promise<{ cleanup: boolean; redrive: boolean }> {
  const cleaned = await cleanLedger();
  const started = await startRedrive({ id: redriveId, confirm: 1, operator: OPERATOR });
  if (!started.ok) expect(problemDetail(started.problem)).toContain("hand-over");
  return { cleanup: cleaned.why === null, redrive: started.ok };
}

test("rollback drill: a hand-over there and back under load delivers everything once, resets no counter, and closes cleanup and redrive for ten calm minutes", async () => {
  process.env.CONSUMER_GENERATION = "1";
  const { id } = await world.subscriber("ada");
  const { id: dead } = await makeDelivery({
    state: "dead",
    partition: await makePartition({ channel: "push" }),
    channel: "push",
  });
  const previewed = await previewRedrive({ filter: { channel: "push" } }, OPERATOR.name);
  if (!previewed.ok) throw new Error(problemDetail(previewed.problem));
  await rows(
    database(),
    sql`update retention set slo_owner = 'ada', slo_approved_at = ledger_now(), records_owner = 'bob', records_approved_at = ledger_now()`,
  );
  await world.remindMany(id, COUNT, { inMs: 10_000, channels: ["email"] });
  await world.advance(13_000);
  const before = world.accepted("resend").length;
  expect(before).toBeGreaterThan(0);
  expect(before).toBeLessThan(COUNT);
  const partition = await emailPartition();
  for (const owner of [2, 1]) {
    const handed = await setOwner(partition, owner, OPERATOR);
    if (!handed.ok) throw new Error("the hand-over was refused");
    // The old build still runs: it claims nothing any more.
    await world.advance(3_000);
    const held = world.accepted("resend").length;
    await world.advance(5_000);
    expect(world.accepted("resend")).toHaveLength(held);
    process.env.CONSUMER_GENERATION = String(owner);
    await ringPumps(handed.value.rings);
    await world.advance(4_000);
    expect(world.accepted("resend").length).toBeGreaterThan(held);
  }
  const handedBackAtMs = world.nowMs();
  await world.advance(120_000);
  expect(world.providers.ledger.summary()).toMatchObject({ duplicates: 0 });
  expect(world.accepted("resend")).toHaveLength(COUNT);
  // The sweeps of five minutes have seen a calm queue: not yet.
  await world.advance(handedBackAtMs + 5 * MINUTE_MS - world.nowMs());
  expect(await openAgain(previewed.value.id)).toEqual({ cleanup: false, redrive: false });
  // A reminder that waits longer than its service level begins the ten minutes anew.
  await pausePartition(partition, 3 * MINUTE_MS, OPERATOR);
  await world.remind(id, { inMs: 1_000, channels: ["email"] });
  await world.advance(9 * MINUTE_MS);
  expect(await openAgain(previewed.value.id)).toEqual({ cleanup: false, redrive: false });
  await world.advance(6 * MINUTE_MS);
  expect(await openAgain(previewed.value.id)).toEqual({ cleanup: true, redrive: true });
  expect((await readDelivery(dead)).attemptCount).toBe(1);
  expect(await counters()).toEqual([{ state: "delivered", attempts: 1, failures: 0, count: COUNT + 1 }]);
});

test("a restored copy sends nothing until promoted, then what is due, once at the provider", async () => {
  const { id } = await world.subscriber("ada");
  // The original sends this one; the copy was made before.
  await world.remind(id, { inMs: 60_000, channels: ["email", "sms"] });
  await world.remind(id, { inMs: 7_200_000, channels: ["email", "sms"] });
  const snapshotAtMs = world.nowMs();
  await rows(database(), sql`update ledger_state set installation = 'another server'`);
  process.env.LEDGER_GENERATION = "g2";
  await world.advance(3_600_000);
  expect(world.providers.ledger.summary().accepted).toBe(0);
  await sweep("command");
  const promoted = await promoteLedger({ snapshotAtMs, operator: OPERATOR });
  expect(promoted).toMatchObject({ ok: true, value: { repeated: 1, unknown: 1 } });
  await world.advance(120_000);
  expect(world.accepted("resend")).toHaveLength(1);
  expect(world.accepted("twilio")).toHaveLength(0);
  await world.advance(3_600_000);
  expect(world.accepted("resend")).toHaveLength(2);
  expect(world.accepted("twilio")).toHaveLength(1);
  expect(world.providers.ledger.summary()).toMatchObject({ duplicates: 0 });
});
