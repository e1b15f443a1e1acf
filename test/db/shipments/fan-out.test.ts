import { sql } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { database, rows } from "../../../db/connection";
import { checkInvariants } from "../../../db/console/invariants";
import { replaceEffects } from "../../../db/effects";
import { shipmentEvents } from "../../../db/schema";
import { openFanOutPage } from "../../../db/shipments/fan-out";
import { unfollowShipment } from "../../../db/shipments/follow";
import { fanOut } from "../../../inngest/fan-out";
import { emptyLedger, makeDestination, makeShopper, makeSubscriber } from "../../support/factories";
import { announcedIds, follow, record, updates } from "../../support/shipments";
import { testClock } from "../../support/test-clock";

const HOUR_MS = 3_600_000;

let restore: () => void;

beforeEach(async () => {
  // An engine that takes every event and runs nothing.
  restore = replaceEffects({ fetch: async () => Response.json({ ids: ["event"], status: 200 }) });
  await emptyLedger();
});

afterEach(() => restore());

const shop = { externalId: "parcel-1" };

async function fanOutAll() {
  const ids = await announcedIds();
  for (let left = ids; left.length > 0; ) left = (await fanOut(left)).remaining;
  return updates();
}

describe("who is told", () => {
  test("every follower at the event has a row per channel and device, and later followers have none", async () => {
    const one = await makeShopper({ channels: ["email", "push"], devices: 2 });
    const other = await makeShopper({ channels: ["sms"] });
    const late = await makeShopper({ channels: ["email"] });
    await follow(one.id, { channels: ["email", "push"] });
    await follow(other.id, { channels: ["sms"] });
    await record({ status: "in_transit" });
    await follow(late.id);
    const born = await fanOutAll();
    expect(born.map(({ subscriberId, channel, state }) => [subscriberId, channel, state]).sort()).toEqual(
      [
        [one.id, "email", "ready"],
        [one.id, "push", "ready"],
        [one.id, "push", "ready"],
        [other.id, "sms", "ready"],
      ].sort(),
    );
    expect((await checkInvariants()).checks.filter((check) => check.violations > 0)).toEqual([]);
  });

  test("keys name parcel, version, follower, channel and device; the flow is the order", async () => {
    const shopper = await makeShopper({ channels: ["email"] });
    await follow(shopper.id, { order: "4711" });
    await record({ status: "in_transit" });
    const [row] = await fanOutAll();
    expect(row?.key).toMatch(/^shipment:[0-9a-f-]{36}:1:[0-9a-f-]{36}:email$/);
    expect(row?.flow).toMatch(/^order:[0-9a-f]{32}$/);
    expect(row?.lane).toBe("bulk");
  });

  test("whoever is skipped has a row that says why", async () => {
    const reasons: Record<string, string | null> = {};
    const skip = async (name: string, prepare: (id: string) => Promise<unknown>, options = {}) => {
      const shopper = await makeShopper({ channels: ["email", "sms"] });
      await follow(shopper.id, options);
      await prepare(shopper.id);
      reasons[shopper.id] = name;
    };
    const off = (
      id: string,
    ) => sql`insert into preferences (subscriber_id, topic, channel, enabled, updated_at)
      values (${id}::uuid, 'shipments', 'email', false, ledger_now())`;
    await skip("milestone_not_chosen", async () => {}, { milestones: ["delivered"] });
    await skip("preference", (id) => rows(database(), off(id)));
    await skip(
      "consent",
      (id) =>
        rows(database(), sql`update destinations set state = 'suppressed' where subscriber_id = ${id}::uuid`),
      {
        channels: ["sms"],
      },
    );
    await skip("opted_out", (id) =>
      rows(database(), sql`update destinations set state = 'suppressed' where subscriber_id = ${id}::uuid`));
    await skip("no_destination", (id) =>
      rows(database(), sql`update destinations set state = 'retired' where subscriber_id = ${id}::uuid`));
    await record({ status: "in_transit" });
    const born = await fanOutAll();
    expect(Object.fromEntries(born.map((row) => [row.subscriberId, row.reason]))).toEqual(reasons);
    expect(born.every((row) => row.state === "expired" && row.finishedAt !== null)).toBe(true);
  });

  test("quiet hours hold an update until they end", async () => {
    const shopper = await makeShopper({ channels: ["email"], quietFrom: "12:00", quietUntil: "15:00" });
    await follow(shopper.id);
    await record({ status: "in_transit" });
    const [row] = await fanOutAll();
    // 13:00 in Berlin at noon UTC.
    expect(row).toMatchObject({ state: "scheduled", lastClass: "quiet_hours" });
    expect(row?.nextEligibleAt?.getTime()).toBe(testClock.nowMs() + 2 * HOUR_MS);
  });

  test("a scan of three days ago tells nobody any more", async () => {
    const shopper = await makeShopper({ channels: ["email"] });
    await follow(shopper.id);
    await record({ status: "delivered", occurredAt: testClock.nowMs() - 72 * HOUR_MS });
    expect(await fanOutAll()).toMatchObject([{ state: "expired", reason: "past_deadline" }]);
  });

  test("who left after the event still has a row, who left before has none", async () => {
    const before = await makeShopper({ channels: ["email"] });
    const after = await makeShopper({ channels: ["email"] });
    await follow(before.id);
    await follow(after.id);
    await unfollowShipment(shop, before.id);
    await record({ status: "in_transit" });
    await unfollowShipment(shop, after.id);
    await follow(after.id);
    const born = await fanOutAll();
    expect(born.map((row) => row.subscriberId)).toEqual([after.id]);
  });
});

describe("pages", () => {
  async function crowd(count: number, shipment = "parcel-1") {
    for (let index = 0; index < count; index += 1) {
      const subscriber = await makeSubscriber();
      await makeDestination(subscriber.id);
      await follow(subscriber.id, { shipment });
    }
  }

  test("a fan-out that stops after any page goes on where the rows end, and two at once open nothing twice", async () => {
    await crowd(30);
    await record({ status: "in_transit" });
    const [id = ""] = await announcedIds();
    await fanOut([id]);
    await rows(database(), sql`truncate deliveries cascade`);
    // As a crash between pages leaves it: the first ten have rows, the cursor behind them.
    await rows(database(), sql`alter table shipment_events disable trigger user`);
    await rows(
      database(),
      sql`update shipment_events set fanned_out_at = null, cursor = (select subscriber_id from shipment_followers
        order by subscriber_id offset 9 limit 1)`,
    );
    await rows(database(), sql`alter table shipment_events enable trigger user`);
    const opened = await Promise.all([openFanOutPage([id]), openFanOutPage([id]), openFanOutPage([id])]);
    expect(opened.reduce((sum, outcome) => sum + outcome.followers, 0)).toBe(20);
    expect(await updates()).toHaveLength(20);
    expect(await openFanOutPage([id])).toMatchObject({ followers: 0, finished: 0 });
  });

  test("a large order takes its turns: a small one behind it stands in front of its rest", async () => {
    await crowd(12, "large");
    await crowd(1, "small");
    await record({ shipment: "large", status: "in_transit" });
    await record({ shipment: "small", status: "in_transit" });
    const ids = await announcedIds();
    await fanOut(ids);
    const born = (await updates()).toSorted((one, other) => (one.pass ?? 0) - (other.pass ?? 0));
    const flows = [...new Set(born.map((row) => row.flow))];
    expect(flows).toHaveLength(2);
    const passes = born.filter((row) => row.flow === flows[1]).map((row) => row.pass);
    expect(Math.min(...born.map((row) => row.pass ?? 0))).toBe(1);
    expect(passes.length === 1 ? passes[0] : 1).toBe(1);
  });

  test("content is rendered once per language and shared by all followers of it", async () => {
    const german = await makeShopper({ channels: ["email"], locale: "de-AT" });
    const english = await makeShopper({ channels: ["email"], locale: "en" });
    const other = await makeShopper({ channels: ["email"], locale: "en-GB" });
    for (const { id } of [german, english, other]) await follow(id);
    await record({ status: "delivered", order: "4711" });
    const born = await fanOutAll();
    expect(new Set(born.map((row) => row.payloadId)).size).toBe(2);
    const texts = await rows<{ text: string }>(
      database(),
      sql`select content->>'text' as text from payloads order by variant`,
    );
    expect(texts[0]?.text).toContain("Ihr Paket wurde zugestellt");
    expect(texts[1]?.text).toContain("Your parcel was delivered");
  });

  test("an announced scan without followers is finished with no row", async () => {
    await record({ status: "in_transit" });
    expect(await fanOutAll()).toEqual([]);
    const [event] = await database().select().from(shipmentEvents);
    expect(event?.fannedOutAt).not.toBeNull();
  });
});

describe("coalescing", () => {
  test("for a follower of the latest an older version that waits ends superseded; for one of every it stays", async () => {
    const latest = await makeShopper({ channels: ["email"] });
    const every = await makeShopper({ channels: ["email"] });
    await follow(latest.id, { policy: "latest" });
    await follow(every.id, { policy: "every" });
    await record({ status: "in_transit" });
    await fanOutAll();
    await record({ status: "out_for_delivery" });
    const born = await fanOutAll();
    const told = (id: string) =>
      born
        .filter((row) => row.subscriberId === id)
        .map(({ version, state, reason }) => [version, state, reason]);
    expect(told(latest.id)).toEqual([
      [1, "expired", "superseded"],
      [2, "ready", null],
    ]);
    expect(told(every.id)).toEqual([
      [1, "ready", null],
      [2, "ready", null],
    ]);
  });

  test("a newer version that the follower did not choose overtakes nothing", async () => {
    const shopper = await makeShopper({ channels: ["email"] });
    await follow(shopper.id, { policy: "latest", milestones: ["in_transit"] });
    await record({ status: "in_transit" });
    await record({ status: "out_for_delivery" });
    const born = await fanOutAll();
    expect(born.map(({ state, reason }) => [state, reason])).toEqual([
      ["ready", null],
      ["expired", "milestone_not_chosen"],
    ]);
  });

  test("what is under way or of unknown outcome is left to finish", async () => {
    const shopper = await makeShopper({ channels: ["email"] });
    await follow(shopper.id, { policy: "latest" });
    await record({ status: "in_transit" });
    await fanOutAll();
    await rows(
      database(),
      sql`update deliveries set state = 'sending', token = 1, attempt_count = 1, first_attempt_at = ledger_now(),
        latest_attempt_at = ledger_now(), lease_until = ledger_now() + interval '15 seconds', content_hash = 'h'`,
    );
    await record({ status: "out_for_delivery" });
    const born = await fanOutAll();
    expect(born.map((row) => row.state)).toEqual(["sending", "ready"]);
  });

  test("a fan-out that comes after the newer version opens the older one superseded", async () => {
    const shopper = await makeShopper({ channels: ["email"] });
    await follow(shopper.id, { policy: "latest" });
    await record({ status: "in_transit" });
    await record({ status: "delivered" });
    const born = await fanOutAll();
    expect(born.map(({ version, state, reason }) => [version, state, reason])).toEqual([
      [1, "expired", "superseded"],
      [2, "ready", null],
    ]);
  });
});
