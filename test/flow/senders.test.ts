import { sql } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { resetConfig } from "../../db/config";
import { database, rows } from "../../db/connection";
import { checkInvariants } from "../../db/console/invariants";
import { mostInOneSecond } from "../db/rules/meters";
import { World } from "../support/world";

const ACCOUNT = "sms:twilio:AC00000000000000000000000000000000";
const FIRST = "+15005550006";
const SECOND = "+15017122661";
const SMS = { channels: ["sms"] as ["sms"] };

const SENDER_RATE = 20;
const ACCOUNT_RATE = 30;

let world: World;

/** From here on the process sends what it opens from another number of the same account. */
function sendFrom(number: string): void {
  process.env.TWILIO_FROM = number;
  resetConfig();
}

beforeEach(async () => {
  Object.assign(process.env, {
    SMS_RATE_PER_SECOND: String(SENDER_RATE),
    SMS_ACCOUNT_RATE_PER_SECOND: String(ACCOUNT_RATE),
  });
  sendFrom(FIRST);
  world = await World.start(Date.UTC(2031, 4, 5, 9, 0, 0));
});

afterEach(() => {
  world.close();
  delete process.env.SMS_RATE_PER_SECOND;
  delete process.env.SMS_ACCOUNT_RATE_PER_SECOND;
  sendFrom(FIRST);
});

/** The partition of each delivery, by its reference at the provider. */
async function partitions(): Promise<Map<string, string>> {
  const found = await rows<{ reference: string; partition: string }>(
    database(),
    sql`select reference, partition from deliveries`,
  );
  return new Map(found.map(({ reference, partition }) => [reference, partition]));
}

const sentFrom = () => world.providers.messages({ channel: "sms" }).map(({ from }) => from);

async function brokenPromises() {
  const { checks } = await checkInvariants({ historyMs: Number.POSITIVE_INFINITY });
  return checks.filter((check) => check.violations > 0);
}

test("P7: two senders of one account keep their own rates and together the account's, which they use up", async () => {
  const COUNT = 120;
  world.providers.control("twilio", { ratePerSecond: 100, burst: 10 });
  const { id } = await world.subscriber("ada", SMS);
  await world.remindMany(id, COUNT, { inMs: 10_000, ...SMS });
  // The first sender's are open by now.
  await world.advance(9_000);
  sendFrom(SECOND);
  const other = await world.subscriber("ben", SMS);
  await world.remindMany(other.id, COUNT, { inMs: 1_500, ...SMS });
  await world.advance(30_000);
  const ofDelivery = await partitions();
  const calls = world.providers.ledger.calls("twilio");
  const timesOf = (sender: string) =>
    calls.filter((call) => ofDelivery.get(call.key ?? "") === `${ACCOUNT}:${sender}`).map((call) => call.at);
  for (const sender of [FIRST, SECOND]) {
    expect(timesOf(sender)).toHaveLength(COUNT);
    expect(mostInOneSecond(timesOf(sender))).toBeLessThanOrEqual(SENDER_RATE + 1);
  }
  const times = calls.map((call) => call.at);
  expect(mostInOneSecond(times)).toBeLessThanOrEqual(ACCOUNT_RATE + 1);
  // At the account's 30 a second, not at the senders' 40, and no slower.
  const tookMs = Math.max(...times) - Math.min(...times);
  expect(tookMs).toBeGreaterThanOrEqual(((2 * COUNT - 2) / ACCOUNT_RATE) * 1_000);
  expect(tookMs).toBeLessThanOrEqual(((2 * COUNT) / ACCOUNT_RATE) * 1_000 + 2_000);
  const from = sentFrom();
  for (const sender of [FIRST, SECOND]) expect(from.filter((one) => one === sender)).toHaveLength(COUNT);
  expect(await brokenPromises()).toEqual([]);
});

describe("a sender that is changed while a throttled message waits: it goes on from the one it began with", () => {
  test("a text", async () => {
    const { id } = await world.subscriber("ada", SMS);
    world.providers.control("twilio", { fault: "throttle", faultCount: 1, retryAfterSeconds: 20 });
    const reminder = await world.remind(id, { inMs: 10_000, ...SMS });
    await world.advance(15_000);
    sendFrom(SECOND);
    await world.advance(60_000);
    expect((await world.deliveries(reminder.id))[0]).toMatchObject({ state: "delivered", attempts: 2 });
    expect(sentFrom()).toEqual([FIRST]);
  });

  test("an email: the same bytes under the same key", async () => {
    const address = process.env.EMAIL_FROM ?? "";
    const { id } = await world.subscriber("ada");
    world.providers.control("resend", { fault: "throttle", faultCount: 1, retryAfterSeconds: 20 });
    const reminder = await world.remind(id, { inMs: 10_000 });
    await world.advance(15_000);
    try {
      process.env.EMAIL_FROM = "Another name <news@punctual.example>";
      resetConfig();
      await world.advance(60_000);
      const later = await world.remind(id, { inMs: 10_000 });
      await world.advance(15_000);
      for (const { id: made } of [reminder, later])
        expect((await world.deliveries(made))[0]).toMatchObject({ state: "delivered" });
    } finally {
      process.env.EMAIL_FROM = address;
    }
    const from = world.providers.messages({ channel: "email" }).map((message) => message.from);
    expect(from).toEqual(["Another name <news@punctual.example>", address]);
  });
});
