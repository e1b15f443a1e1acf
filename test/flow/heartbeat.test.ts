import { sql } from "drizzle-orm";
import { afterEach, beforeEach, expect, test } from "vitest";
import { setLimits } from "../../db/admission/controls";
import { database, rows } from "../../db/connection";
import { openNotice } from "../../db/notices";
import { dispatchAll } from "../../inngest/dispatch";
import { mostInOneSecond } from "../db/rules/meters";
import { World } from "../support/world";

let world: World;

beforeEach(async () => {
  world = await World.start(Date.UTC(2031, 4, 5, 9, 0, 0));
});

afterEach(() => {
  world.close();
});

const PUSH = { channels: ["push"] as ["push"] };
const HOUR_MS = 3_600_000;

const runsOf = (name: string) => world.engine.runs().filter((run) => run.functionId.endsWith(name));

/** One push that arrives, and the partition's limits as given. */
async function openPush(subscriberId: string, limits: { ceiling: number; burst: number }): Promise<string> {
  await world.remind(subscriberId, { inMs: 5_000, ...PUSH });
  await world.advance(10_000);
  const [made] = await rows<{ partition: string }>(database(), sql`select partition from deliveries`);
  const set = await setLimits(made?.partition ?? "", limits, { name: "test", reason: "a test" });
  if (!set.ok) throw new Error("no partition");
  return set.value.partition;
}

test("self-clocked: without a pump the settled parcels alone drain a backlog at its rate", async () => {
  const { id } = await world.subscriber("ada", PUSH);
  await openPush(id, { ceiling: 20, burst: 1 });
  const before = world.accepted("push").length;
  // No pump ever hears its bell.
  world.onEvent = (event) =>
    event.name === "partition/pump.rung" ? { ...event, name: "nobody/listens" } : event;
  await world.remindMany(id, 200, { inMs: 15_000, ...PUSH });
  await world.advance(15_000 + 11_000);
  const times = world.providers.ledger
    .calls("push")
    .slice(before)
    .map((call) => call.at);
  expect(runsOf("admit-deliveries").filter((run) => run.status !== "completed")).toEqual([]);
  expect(times).toHaveLength(200);
  expect(mostInOneSecond(times)).toBeLessThanOrEqual(20 + 1);
  expect(Math.max(...times) - Math.min(...times)).toBeLessThanOrEqual(10_500);
});

test("an idle partition costs nothing: no pump, no transaction but the crons', and the next reminder is on time", async () => {
  const { id } = await world.subscriber("ada");
  await world.remind(id, { inMs: 5_000, channels: ["email", "sms", "push"] });
  await world.advance(120_000);
  expect(runsOf("admit-deliveries").map((run) => run.output)).toContainEqual(
    expect.objectContaining({ ended: "nothing is live" }),
  );
  const [{ partitions = 0, pumps = 0 } = {}] = await rows<{ partitions: number; pumps: number }>(
    database(),
    sql`select count(*)::int as partitions, count(pump_until)::int as pumps from partitions`,
  );
  expect([partitions, pumps]).toEqual([3, 0]);
  const pumpRuns = runsOf("admit-deliveries").length;
  const inHour = async () => {
    let transactions = 0;
    world.app.onCrossing = ({ effect, moment }) => {
      if (effect === "transaction" && moment === "before") transactions += 1;
    };
    await world.advance(HOUR_MS);
    world.app.onCrossing = null;
    return transactions;
  };
  // What was sent is reported on and forgotten in the first hour.
  await inHour();
  const withPartitions = await inHour();
  expect(runsOf("admit-deliveries")).toHaveLength(pumpRuns);
  await rows(database(), sql`delete from attempts`);
  await rows(database(), sql`delete from deliveries`);
  await rows(database(), sql`delete from lanes`);
  await rows(database(), sql`delete from meters`);
  await rows(database(), sql`delete from partitions`);
  // The sweeps and the other crons run whether or not there is a partition.
  expect(withPartitions).toBeLessThanOrEqual(await inHour());
  const reminder = await world.remind(id, { inMs: 30_000 });
  await world.advance(31_000);
  const late = (world.providers.ledger.calls("resend").at(-1)?.at ?? 0) - Date.parse(reminder.dueAt);
  expect(late).toBeGreaterThanOrEqual(0);
  expect(late).toBeLessThanOrEqual(20);
});

test("sign-in codes beside a full backlog leave within a second and a half, and the rate is kept", async () => {
  const { id } = await world.subscriber("ada", { channels: ["email"] });
  await world.remindMany(id, 200, { inMs: 10_000 });
  await world.advance(14_000);
  const waits: number[] = [];
  for (let number = 0; number < 10; number += 1) {
    const person = await world.subscriber(`person-${number}`, { channels: ["email"] });
    const [to] = await rows<{ id: string }>(
      database(),
      sql`select id from destinations where subscriber_id = ${person.id}::uuid`,
    );
    const atMs = world.nowMs();
    const opened = await openNotice({
      subscriberId: person.id,
      destinationId: to?.id ?? "",
      template: "sign-in-code",
      content: { subject: "Your code", html: `<p>${number}</p>`, text: String(number) },
      cost: 1,
    });
    if (!opened.ok) throw new Error(JSON.stringify(opened.problem));
    await dispatchAll([opened.value.partition]);
    await world.advance(1_830);
    const [row] = await rows<{ reference: string }>(
      database(),
      sql`select reference from deliveries where id = ${opened.value.deliveryId}::uuid`,
    );
    const call = world.providers.ledger.calls("resend").find(({ key }) => key === row?.reference);
    waits.push((call?.at ?? Number.POSITIVE_INFINITY) - atMs);
  }
  expect(Math.max(...waits)).toBeLessThanOrEqual(1_500);
  expect(mostInOneSecond(world.providers.ledger.calls("resend").map(({ at }) => at))).toBeLessThanOrEqual(
    5 + 1,
  );
});
