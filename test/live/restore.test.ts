import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../../commands/stack-programs";
import type { Channel } from "../../db/rules/outcome";
import { makeReminders, makeShoppers, publish, type Shopper } from "../bench/load";
import { brokenPromises } from "../bench/proof";
import { type Stage, startStage } from "../bench/stage";

/** The built app, the engine at hand and Postgres as processes: a copy of the disk is put in the place of a later database. */
let stage: Stage;
let shoppers: Shopper[];

/** Enough that each half has several of each channel. */
const OF_EACH = 8;

/** A guard: a machine with other work may take its time. */
const PATIENCE_MS = 120_000;

const REASON = ["--reason", "drill", "--as", "ada"];

beforeAll(async () => {
  stage = await startStage({ rates: { email: 40, sms: 40 } });
  shoppers = await makeShoppers(stage, OF_EACH, ["email", "sms"]);
});

afterAll(() => stage?.stop());

/** Reminders by one channel, one for each shopper, published; when they are due. */
async function remind(inMs: number, channel: Channel): Promise<number> {
  const dueAtMs = Date.now() + inMs;
  await makeReminders(
    stage,
    shoppers.map(({ id }) => ({ subscriberId: id, dueAtMs, channels: [channel] })),
  );
  await publish(stage, shoppers);
  return dueAtMs;
}

const emails = () => stage.calls("resend");
const texts = () => stage.calls("twilio");

const countIn = async (states: string[]) => {
  const [row] = await stage.sql<{ count: number }[]>`
    select count(*)::int as count from deliveries where state = any(${states}::text[])`.catch(() => []);
  return row?.count ?? -1;
};

/** What waits although its time has come. */
const countDue = async () => {
  const [row] = await stage.sql<{ count: number }[]>`
    select count(*)::int as count from deliveries
    where state in ('scheduled', 'ready') and scheduled_at <= ledger_now()`.catch(() => []);
  return row?.count ?? -1;
};

test("a snapshot restored over a later database sends nothing until promoted, then exactly what is due, once", async () => {
  // Due after the snapshot, and sent by the original before the disaster.
  await remind(8_000, "email");
  await remind(8_000, "sms");
  // Due after the promotion.
  const laterAtMs = await remind(50_000, "email");
  const snapshotAt = new Date(await stage.snapshotDatabase()).toISOString();
  await until("the original has sent what was due", PATIENCE_MS, async () => {
    const [sent, said] = [await emails(), await texts()];
    return (
      sent.length === OF_EACH && said.length === OF_EACH && (await countIn(["delivered"])) === 2 * OF_EACH
    );
  });
  const original = await emails();

  await stage.restoreDatabase({ LEDGER_GENERATION: "restored" });
  await until(
    "the copy has opened what is overdue",
    PATIENCE_MS,
    async () => (await countDue()) >= 2 * OF_EACH,
  );
  const promote = ["promote", "--snapshot-at", snapshotAt, ...REASON, "--json"];
  const rehearsed = await stage.ops(...promote, "--dry-run");
  expect(JSON.parse(rehearsed.said)).toMatchObject({
    dryRun: true,
    generation: "restored",
    unknown: OF_EACH,
  });
  // Two commands took seconds, in which the engine, the app's start and its sweeps met the held ledger.
  expect((await emails()).length + (await texts()).length).toBe(2 * OF_EACH);
  expect(await countIn(["delivered", "dead", "sending"])).toBe(0);

  const promoted = await stage.ops(...promote);
  expect(promoted).toMatchObject({ code: 0 });
  const done = JSON.parse(promoted.said) as { unknown: number; repeated: number };
  expect(done.unknown).toBe(OF_EACH);
  // On a slow machine what was due later is due as well, and under the same rule.
  expect(done.repeated).toBeGreaterThanOrEqual(OF_EACH);
  await until(
    "what is due has been sent",
    PATIENCE_MS,
    async () => (await countIn(["delivered"])) === 2 * OF_EACH,
  );

  const calls = (await emails()).slice(OF_EACH);
  const [again, later] = [calls.filter(({ repeat }) => repeat), calls.filter(({ repeat }) => !repeat)];
  expect(again.map(({ key }) => key).sort()).toEqual(original.map(({ key }) => key).sort());
  expect(new Set(later.map(({ key }) => key)).size).toBe(OF_EACH);
  expect(later).toHaveLength(OF_EACH);
  for (const { at } of later) expect(at).toBeGreaterThanOrEqual(laterAtMs);
  expect(await texts()).toHaveLength(OF_EACH);
  const unknown =
    await stage.sql`select 1 from deliveries where channel = 'sms' and state = 'dead' and reason = 'outcome_unknown'`;
  expect(unknown).toHaveLength(OF_EACH);
  expect(await brokenPromises(stage)).toEqual([]);
}, 600_000);
