import { sql } from "drizzle-orm";
import { afterEach, beforeEach, expect, test } from "vitest";
import { database, rows } from "../../db/connection";
import { World } from "../support/world";

/** Just over what is opened in the usual two seconds. */
const CROWD = 520;
const IN_MS = 150_000;

let world: World;

beforeEach(async () => {
  world = await World.start(Date.UTC(2031, 4, 5, 9, 0, 0));
});

afterEach(() => {
  world.close();
});

async function opened(): Promise<number> {
  const [row] = await rows<{ count: number }>(
    database(),
    sql`select count(*)::int as count from occurrences where state = 'opened'`,
  );
  return row?.count ?? 0;
}

test("a crowd is opened seconds ahead and leaves at its instant, each once; whoever cancels or edits in between wins", async () => {
  const { id } = await world.subscriber("ada");
  const cancelled = await world.remind(id, { inMs: IN_MS, channels: ["email"] });
  const moved = await world.remind(id, { inMs: IN_MS, channels: ["email"] });
  await world.remindMany(id, CROWD - 2, { inMs: IN_MS, channels: ["email"] });
  const dueAtMs = Date.parse(cancelled.dueAt);
  await world.advance(IN_MS - 6_000);
  expect(await opened()).toBe(0);
  await world.advance(3_000);
  expect(await opened()).toBe(CROWD);
  await world.cancel(cancelled.id);
  await world.edit(moved.id, { dueAt: new Date(dueAtMs + 60_000).toISOString() });
  await world.advance(2_999);
  expect(world.providers.ledger.calls()).toEqual([]);
  await world.advance(1_001);
  expect(world.providers.ledger.calls()[0]?.at).toBe(dueAtMs);
  await world.advance(130_000);
  expect(world.providers.ledger.summary()).toMatchObject({
    accepted: CROWD - 1,
    duplicates: 0,
    throttled: 0,
  });
  const [delivery] = await world.deliveries(moved.id);
  expect(delivery?.firstAttemptAt).not.toBeNull();
  expect(Date.parse(delivery?.firstAttemptAt ?? "")).toBeGreaterThanOrEqual(dueAtMs + 60_000);
});
