import { sql } from "drizzle-orm";
import { afterEach, beforeEach, expect, test } from "vitest";
import { setOwner } from "../../db/admission/controls";
import { database, rows } from "../../db/connection";
import { promoteLedger } from "../../db/restore/promote";
import { ringPumps } from "../../inngest/dispatch";
import { sweep } from "../../inngest/sweep";
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

test("a hand-over there and back under load delivers everything once and resets no counter", async () => {
  process.env.CONSUMER_GENERATION = "1";
  const { id } = await world.subscriber("ada");
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
  await world.advance(120_000);
  expect(world.providers.ledger.summary()).toMatchObject({ duplicates: 0 });
  expect(world.accepted("resend")).toHaveLength(COUNT);
  expect(await counters()).toEqual([{ state: "delivered", attempts: 1, failures: 0, count: COUNT }]);
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
