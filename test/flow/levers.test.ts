import { sql } from "drizzle-orm";
import { afterEach, beforeEach, expect, test } from "vitest";
import { setLimits } from "../../db/admission/controls";
import { database, rows } from "../../db/connection";
import { mostInOneSecond } from "../db/rules/meters";
import { ops } from "../support/ops-command";
import { World } from "../support/world";

let world: World;

beforeEach(async () => {
  world = await World.start(Date.UTC(2031, 4, 5, 9, 0, 0));
});

afterEach(() => {
  world.close();
});

const PUSH = { channels: ["push"] as ["push"] };
const COUNT = 400;
const RATE = 20;

const times = () => world.providers.ledger.calls("push").map((call) => call.at);

/** What leaves within so many milliseconds from now. */
async function within(ms: number): Promise<number[]> {
  const before = times().length;
  await world.advance(ms);
  return times().slice(before);
}

async function pushPartition(): Promise<string> {
  const [found] = await rows<{ key: string }>(database(), sql`select key from partitions`);
  return found?.key ?? "";
}

async function lever(verb: string, ...words: string[]): Promise<void> {
  const partition = await pushPartition();
  const told = await ops(verb, partition, ...words, "--reason", "a drill", "--as", "grace");
  expect(told).toEqual({ code: 0, lines: [`${partition}: done.`] });
}

test("levers turned from the command line act on a draining backlog at once, and everything arrives once", async () => {
  const { id } = await world.subscriber("ada", PUSH);
  await world.remind(id, { inMs: 5_000, ...PUSH });
  await world.advance(10_000);
  await setLimits(await pushPartition(), { ceiling: RATE, burst: 1 }, { name: "test", reason: "a test" });
  await world.remindMany(id, COUNT, { inMs: 20_000, ...PUSH });
  await world.advance(20_000);
  expect((await within(3_000)).length).toBeGreaterThanOrEqual(3 * RATE - 3);

  await lever("pause", "--for", "1h");
  // At most what had its slot already: slots are granted half a second ahead.
  expect((await within(10_000)).length).toBeLessThanOrEqual(RATE / 2 + 1);
  expect(await within(20_000)).toEqual([]);

  await lever("resume");
  const [first, later] = [await within(1_000), await within(6_000)];
  expect(first.length).toBeLessThanOrEqual(RATE / 2);
  expect(later.length).toBeGreaterThan(4 * RATE);

  await lever("rate", "5");
  await within(500);
  expect((await within(4_000)).length).toBeLessThanOrEqual(4 * 5 + 1);

  world.providers.control("push", { latencyMs: 400 });
  await lever("rate", String(RATE), "--concurrency", "1");
  await within(1_000);
  const alone = await within(4_000);
  expect(alone.length).toBeGreaterThan(5);
  expect(alone.slice(1).every((at, index) => at - (alone[index] ?? 0) >= 400)).toBe(true);

  world.providers.control("push", { latencyMs: 20 });
  await lever("rate", String(RATE), "--concurrency", "100");
  await world.advance(60_000);
  expect(world.accepted("push")).toHaveLength(COUNT + 1);
  expect(new Set(world.accepted("push")).size).toBe(COUNT + 1);
  expect(mostInOneSecond(times())).toBeLessThanOrEqual(RATE + 1);
});
