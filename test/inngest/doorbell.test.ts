import { sql } from "drizzle-orm";
import { afterEach, beforeEach, expect, test } from "vitest";
import { database, rows, transact } from "../../db/connection";
import { replaceEffects } from "../../db/effects";
import { stageEvents } from "../../db/outbox";
import { forgetLines } from "../../inngest/in-turn";
import { ringDoorbell } from "../../inngest/publish";
import { expectConsole } from "../support/console";
import { emptyLedger } from "../support/factories";

let restore: () => void = () => {};
/** Events of each request that the engine got, and how many requests it had at once. */
let batches: number[] = [];
let atOnce = 0;
let mostAtOnce = 0;
let answer: () => Promise<void> = async () => {};
let status = 200;

beforeEach(async () => {
  await emptyLedger();
  forgetLines();
  batches = [];
  [atOnce, mostAtOnce] = [0, 0];
  answer = async () => {};
  status = 200;
  restore = replaceEffects({
    fetch: async (_url, init) => {
      const events = JSON.parse(String(init?.body)) as unknown[];
      batches.push(events.length);
      atOnce += 1;
      mostAtOnce = Math.max(mostAtOnce, atOnce);
      await answer();
      atOnce -= 1;
      return Response.json({ ids: events.map(() => "id"), status }, { status });
    },
  });
});

afterEach(() => restore());

const commit = (generation: number) =>
  transact((tx) =>
    stageEvents(tx, [
      { name: "partition/pump.rung", data: { v: 1, partition: "email:resend:x", generation } },
    ]),
  );

const unpublished = async () =>
  (
    await rows<{ count: number }>(
      database(),
      sql`select count(*)::int as count from outbox where published_at is null`,
    )
  )[0]?.count;

test("a hundred commits and their bells are a few requests, one after the other, and nothing is left", async () => {
  await Promise.all(
    Array.from({ length: 100 }, async (_, number) => {
      await commit(number);
      await ringDoorbell();
    }),
  );
  expect(await unpublished()).toBe(0);
  expect(batches.reduce((sum, count) => sum + count, 0)).toBe(100);
  expect(mostAtOnce).toBe(1);
});

test("what is committed while a batch is on its way goes with the next, by whoever waits already", async () => {
  let release = () => {};
  answer = () =>
    new Promise((resolve) => {
      release = resolve;
    });
  await commit(1);
  const first = ringDoorbell();
  await until(() => batches.length === 1);
  const second = ringDoorbell();
  await commit(2);
  await ringDoorbell();
  expect(batches).toEqual([1]);
  answer = async () => {};
  release();
  await Promise.all([first, second]);
  expect(batches).toEqual([1, 1]);
  expect(await unpublished()).toBe(0);
});

test("a bell whose events were refused keeps no other from publishing", async () => {
  expectConsole(/engine refused events/);
  status = 400;
  await commit(1);
  await ringDoorbell();
  status = 200;
  await commit(2);
  await ringDoorbell();
  expect(await unpublished()).toBe(1);
});

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}
