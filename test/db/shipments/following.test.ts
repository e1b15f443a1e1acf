import { sql } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { database, rows } from "../../../db/connection";
import { checkInvariants } from "../../../db/console/invariants";
import { replaceEffects } from "../../../db/effects";
import { exportSubscriber } from "../../../db/privacy/export";
import { readDeadFacts } from "../../../db/redrive/facts";
import { languageOf } from "../../../db/rules/languages";
import { tellDelivery } from "../../../db/rules/words";
import { followShipment, unfollowShipment } from "../../../db/shipments/follow";
import { readFollowing, readShipment } from "../../../db/shipments/read";
import { setChannelWanted } from "../../../db/shoppers";
import { fanOut } from "../../../inngest/fan-out";
import { type DeliveryRow, emptyLedger, makeShopper, makeSubscriber } from "../../support/factories";
import { ACCEPTED, admitRows, begin, claim, readDelivery, settle } from "../../support/ledger";
import { started, tick } from "../../support/redrives";
import { announcedIds, follow, record, updates } from "../../support/shipments";
import { testClock } from "../../support/test-clock";

let restore: () => void;

beforeEach(async () => {
  // An engine that takes every event and runs nothing.
  restore = replaceEffects({ fetch: async () => Response.json({ ids: ["event"], status: 200 }) });
  await emptyLedger();
});

afterEach(() => restore());

/** Announces a status and gives its followers their rows. */
async function announce(status: "in_transit" | "out_for_delivery" | "delivered"): Promise<DeliveryRow[]> {
  await record({ status });
  await fanOut(await announcedIds());
  return updates();
}

/** Whether a redrive would find each still wanted. */
async function preferred(given: readonly DeliveryRow[]): Promise<boolean[]> {
  const ids = sql.join(
    given.map(({ id }) => sql`${id}::uuid`),
    sql`, `,
  );
  const facts = await readDeadFacts(database(), sql`d.id in (${ids})`, { own: null, limit: 10 });
  return facts.map((one) => one.preferred);
}

async function claimAll(given: readonly DeliveryRow[]) {
  await rows(database(), sql`update deliveries set admission_id = null, admitted_until = null`);
  await admitRows(given.map((row) => row.id));
  return claim(await Promise.all(given.map((row) => readDelivery(row.id))));
}

describe("at the claim", () => {
  test("a follower of every gets the versions in order: the newer one waits until the older has ended", async () => {
    const shopper = await makeShopper({ channels: ["email"] });
    await follow(shopper.id, { policy: "every" });
    await announce("in_transit");
    const [older, newer] = await announce("out_for_delivery");
    if (older === undefined || newer === undefined) throw new Error("two updates were expected");
    const first = await claimAll([newer]);
    expect(first).toMatchObject({ begun: [], refused: [{ deliveryId: newer.id, reason: "held" }] });
    expect(await readDelivery(newer.id)).toMatchObject({ state: "scheduled", lastClass: "not_before" });
    await admitRows([older.id]);
    const begun = await begin(await readDelivery(older.id));
    await settle(begun, ACCEPTED);
    await testClock.advance(3_000);
    expect((await claimAll([newer])).begun).toMatchObject([{ deliveryId: newer.id }]);
  });

  test("the newer one waits as long as the older one does, and not much longer should that be sent sooner", async () => {
    const shopper = await makeShopper({ channels: ["email"] });
    await follow(shopper.id, { policy: "every" });
    await announce("in_transit");
    const [older, newer] = await announce("out_for_delivery");
    if (older === undefined || newer === undefined) throw new Error("two updates were expected");
    const asksAgainAfter = async (olderWaitsSeconds: number) => {
      await rows(
        database(),
        sql`update deliveries set next_eligible_at = ledger_now() + case when id = ${older.id} then ${olderWaitsSeconds} else 0 end
          * interval '1 second'`,
      );
      await admitRows([newer.id]);
      const { nowMs } = await claim([await readDelivery(newer.id)]);
      return Number((await readDelivery(newer.id)).nextEligibleAt) - nowMs;
    };
    expect(await asksAgainAfter(-1)).toBe(2_000);
    expect(await asksAgainAfter(30)).toBe(30_000);
    expect(await asksAgainAfter(1_800)).toBe(60_000);
  });

  test("an older version that is redriven after the newer one was sent breaks no promise", async () => {
    const shopper = await makeShopper({ channels: ["email"] });
    await follow(shopper.id, { policy: "every" });
    const [older] = await announce("in_transit");
    if (older === undefined) throw new Error("an update was expected");
    await admitRows([older.id]);
    await settle(await begin(older), { class: "message_rejected" });
    await testClock.advance(1_000);
    const newer = (await announce("out_for_delivery")).filter(({ id }) => id !== older.id);
    expect((await claimAll(newer)).begun).toHaveLength(1);
    await testClock.advance(1_000);
    await tick(await started({ filter: {} }));
    expect(await readDelivery(older.id)).toMatchObject({ state: "ready" });
    const { checks } = await checkInvariants({ historyMs: 60_000, toleranceMs: 0 });
    const name = "no attempt begins while an older version still goes to the same address";
    expect(checks.find((check) => check.name === name)).toMatchObject({ violations: 0 });
  });

  test("a newer scan that is not fanned out yet overtakes what a follower of the latest waits for", async () => {
    const shopper = await makeShopper({ channels: ["email"] });
    await follow(shopper.id, { policy: "latest" });
    const [waiting] = await announce("in_transit");
    if (waiting === undefined) throw new Error("an update was expected");
    await record({ status: "delivered" });
    expect((await claimAll([waiting])).begun).toEqual([]);
    expect(await readDelivery(waiting.id)).toMatchObject({
      state: "expired",
      reason: "superseded",
      attemptCount: 0,
    });
  });

  test.each([
    ["unfollowed", "opted_out", (id: string) => unfollowShipment({ externalId: "parcel-1" }, id)],
    [
      "chose other milestones",
      "milestone_not_chosen",
      (id: string) => follow(id, { milestones: ["delivered"] }),
    ],
    [
      "turned shipments off on the channel",
      "preference",
      (id: string) =>
        rows(
          database(),
          sql`insert into preferences (subscriber_id, topic, channel, enabled, updated_at)
            values (${id}::uuid, 'shipments', 'email', false, ledger_now())`,
        ),
    ],
  ])("who %s meanwhile is not told: %s", async (_what, reason, change) => {
    const shopper = await makeShopper({ channels: ["email"] });
    await follow(shopper.id);
    const [waiting] = await announce("in_transit");
    if (waiting === undefined) throw new Error("an update was expected");
    await change(shopper.id);
    expect((await claimAll([waiting])).begun).toEqual([]);
    expect(await readDelivery(waiting.id)).toMatchObject({ state: "expired", reason });
  });

  test("turning reminders off turns no parcel off, at its claim and for a redrive", async () => {
    const shopper = await makeShopper({ channels: ["email"] });
    await follow(shopper.id);
    await setChannelWanted(shopper.id, "reminders", "email", false);
    const waiting = await announce("in_transit");
    expect(await preferred(waiting)).toEqual([true]);
    expect((await claimAll(waiting)).begun).toHaveLength(1);
  });

  test("turning parcels off on a channel ends what waits there and opens nothing more, and a redrive leaves it", async () => {
    const shopper = await makeShopper({ channels: ["email"] });
    await follow(shopper.id);
    const waiting = await announce("in_transit");
    await setChannelWanted(shopper.id, "shipments", "email", false);
    expect(await preferred(waiting)).toEqual([false]);
    expect((await claimAll(waiting)).begun).toEqual([]);
    const all = await announce("out_for_delivery");
    expect(all.map(({ state, reason }) => [state, reason])).toEqual([
      ["expired", "preference"],
      ["expired", "preference"],
    ]);
  });

  test("the version that was rendered is the version that is sent, whatever the parcel says by then", async () => {
    const shopper = await makeShopper({ channels: ["sms"] });
    await follow(shopper.id, { channels: ["sms"] });
    const [waiting] = await announce("in_transit");
    if (waiting === undefined) throw new Error("an update was expected");
    await rows(database(), sql`update shipments set carrier = 'Another carrier'`);
    const { begun } = await claimAll([waiting]);
    expect(begun[0]?.content).toMatchObject({ text: expect.stringContaining("DHL") });
  });
});

describe("following", () => {
  const body = {
    channels: ["email" as const],
    milestones: ["delivered" as const],
    policy: "latest" as const,
    order: null,
  };

  test("a parcel that nobody has reported yet may be followed, and twice is once", async () => {
    const shopper = await makeShopper({ channels: ["email"] });
    const first = await followShipment({ externalId: "new" }, shopper.id, { ...body, order: "4711" });
    const again = await followShipment({ externalId: "new" }, shopper.id, body);
    expect(first).toMatchObject({ ok: true, value: { status: "pending", version: 0, order: "4711" } });
    expect(again).toEqual(first);
  });

  test("what was sent is told in words, before the provider has reported and after", async () => {
    const shopper = await makeShopper({ channels: ["email"] });
    await follow(shopper.id);
    const [update] = await announce("in_transit");
    if (update === undefined) throw new Error("an update was expected");
    const parcel = await readShipment({ externalId: "parcel-1" });
    const told = async () => {
      const { updates: sent } = await readFollowing(parcel?.id ?? "", shopper.id);
      return sent.map((one) => tellDelivery({ ...one, expectedAtMs: null }, languageOf("en")).status);
    };
    expect(await told()).toEqual(["Next in line"]);
    await admitRows([update.id]);
    await settle(await begin(await readDelivery(update.id)), ACCEPTED);
    expect(await told()).toEqual(["Sent"]);
  });

  test("who downloads what is kept gets the words of an update, not the key of its other readers' links", async () => {
    const shopper = await makeShopper({ channels: ["email"] });
    await follow(shopper.id);
    await announce("in_transit");
    const data = await exportSubscriber(shopper.id);
    const [kept] = await rows<{ key: string }>(
      database(),
      sql`select content ->> 'linkKey' as key from payloads`,
    );
    expect(kept?.key).toMatch(/^[\w-]{22}$/);
    expect(JSON.stringify(data)).toContain("Your parcel is on its way");
    expect(JSON.stringify(data)).not.toContain(kept?.key);
  });

  test("nobody is told where nothing arrives", async () => {
    const { id } = await makeSubscriber();
    const refused = await followShipment({ externalId: "new" }, id, body);
    expect(refused).toMatchObject({
      ok: false,
      problem: { code: "invalid_input", fields: [{ field: "channels" }] },
    });
    expect(await rows(database(), sql`select 1 from shipments`)).toEqual([]);
  });

  test("whoever follows again hears of what comes then, once", async () => {
    const shopper = await makeShopper({ channels: ["email"] });
    await follow(shopper.id);
    await unfollowShipment({ externalId: "parcel-1" }, shopper.id);
    await announce("in_transit");
    await follow(shopper.id);
    expect((await announce("delivered")).map((row) => row.version)).toEqual([2]);
  });

  test("whoever left before a newer version is told nothing, and not that a newer one came in its place", async () => {
    const shopper = await makeShopper({ channels: ["email"] });
    await follow(shopper.id, { policy: "latest" });
    await record({ status: "in_transit" });
    const late = await announcedIds();
    await unfollowShipment({ externalId: "parcel-1" }, shopper.id);
    await record({ status: "delivered" });
    await fanOut(late);
    const [update] = await updates();
    if (update === undefined) throw new Error("an update was expected");
    await claimAll([update]);
    expect(await readDelivery(update.id)).toMatchObject({ state: "expired", reason: "opted_out" });
  });

  test("unfollowing what nobody knows, or twice, is harmless", async () => {
    const shopper = await makeShopper({ channels: ["email"] });
    expect(await unfollowShipment({ externalId: "unknown" }, shopper.id)).toMatchObject({ ok: false });
    await follow(shopper.id);
    await unfollowShipment({ externalId: "parcel-1" }, shopper.id);
    expect(await unfollowShipment({ externalId: "parcel-1" }, shopper.id)).toMatchObject({ ok: true });
  });
});
