import { sql } from "drizzle-orm";
import { afterEach, beforeEach, expect, test } from "vitest";
import { setLimits } from "../../db/admission/controls";
import { database, rows } from "../../db/connection";
import { World } from "../support/world";

let world: World;

beforeEach(async () => {
  world = await World.start(Date.UTC(2031, 4, 5, 9, 0, 0));
});

afterEach(() => {
  world.close();
});

const OPERATOR = { name: "test", reason: "a test" };
const MINUTE_MS = 60_000;

/** The places of these recipients in the order in which mail was accepted, from 0. */
function placesOf(recipient: string): number[] {
  const order = world.providers.ledger
    .calls("resend")
    .filter((call) => call.accepted)
    .map((call) => String(call.destination));
  return order.flatMap((to, place) => (to.includes(recipient) ? [place] : []));
}

test("1000 reminders of one shopper and 1 of another, 5 a second: the other is sent within the first few", async () => {
  const hot = await world.subscriber("hot", { channels: ["email"] });
  const cold = await world.subscriber("cold", { channels: ["email"] });
  await world.remindMany(hot.id, 1000, { inMs: 60_000 });
  await world.remind(cold.id, { inMs: 60_000, title: "cold" });
  await world.advance(65_000);
  const [place = Number.POSITIVE_INFINITY] = placesOf("cold");
  expect(place).toBeLessThanOrEqual(12);
});

test("SMS at rate zero with 100 000 waiting costs under 2 transactions a second and leaves email and push alone", async () => {
  const { id } = await world.subscriber("ada");
  const first = await world.remind(id, { inMs: 5_000, channels: ["sms", "email", "push"] });
  await world.advance(10_000);
  const smsKey = (
    await rows<{ partition: string }>(database(), sql`select partition from deliveries where channel = 'sms'`)
  )[0]?.partition;
  await setLimits(smsKey ?? "", { ceiling: 0 }, OPERATOR);
  await world.remind(id, { inMs: 5_000, channels: ["sms"] });
  await world.advance(10_000);
  await database().transaction(async (tx) => {
    await rows(tx, sql`set local session_replication_role = replica`);
    await rows(
      tx,
      sql`insert into deliveries
        select copied.* from deliveries d, generate_series(1, 100000) n,
          lateral jsonb_populate_record(d, jsonb_build_object('id', gen_random_uuid(), 'key', d.key || ':' || n,
            'reference', md5(d.reference || n), 'flow', 'flow-' || n % 500, 'pass', n / 500)) copied
        where d.channel = 'sms' and d.state in ('ready', 'scheduled', 'deferred')`,
    );
  });
  await rows(database(), sql`analyze deliveries`);
  expect(first.id).not.toBe("");
  let transactions = 0;
  world.app.onCrossing = ({ effect, moment }) => {
    if (effect === "transaction" && moment === "before") transactions += 1;
  };
  await world.advance(5 * MINUTE_MS);
  // Everything that runs: the blocked partition, the sweeps and the crons.
  expect(transactions / (5 * 60)).toBeLessThan(2);
  world.app.onCrossing = null;
  const due = await world.remind(id, { inMs: 30_000, channels: ["email", "push"] });
  await world.advance(35_000);
  for (const provider of ["resend", "push"] as const) {
    const late = world.providers.ledger
      .calls(provider)
      .filter((call) => call.at >= Date.parse(due.dueAt))
      .map((call) => call.at - Date.parse(due.dueAt));
    expect(late).toHaveLength(1);
    expect(late[0]).toBeLessThanOrEqual(20);
  }
  expect(world.accepted("twilio")).toHaveLength(1);
});
