import { eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { database } from "../../../db/connection";
import { checkInvariants } from "../../../db/console/invariants";
import { replaceEffects } from "../../../db/effects";
import { eraseSubscriber } from "../../../db/privacy/erase";
import { deliveries, payloads } from "../../../db/schema";
import { giveUpBatch, switchDegradation, writeDegradation } from "../../../db/shipments/degradation";
import { unfollowShipment } from "../../../db/shipments/follow";
import { moveToOtherChannel } from "../../../db/shipments/other-channel";
import { degrade } from "../../../inngest/degrade";
import { fanOut } from "../../../inngest/fan-out";
import { publishOutbox } from "../../../inngest/publish";
import { emptyLedger, makeShopper } from "../../support/factories";
import { ACCEPTED, admitRows, begin, readDelivery, settle } from "../../support/ledger";
import { announcedIds, follow, record, updates } from "../../support/shipments";
import { testClock } from "../../support/test-clock";

const WHY = { name: "grace", reason: "the import is too large" };
const HOUR_MS = 3_600_000;
const WINDOW_MS = HOUR_MS / 2;

let restore: () => void;

beforeEach(async () => {
  // An engine that takes every event and runs nothing.
  restore = replaceEffects({ fetch: async () => Response.json({ ids: ["event"], status: 200 }) });
  await emptyLedger();
});

afterEach(() => restore());

async function announce(status: "in_transit" | "out_for_delivery" = "in_transit") {
  await record({ status });
  for (let left = await announcedIds(); left.length > 0; ) left = (await fanOut(left)).remaining;
}

async function on(policy: string, ...partitions: (string | null | undefined)[]) {
  for (const partition of partitions) {
    const given = { lane: "bulk", policy, windowMs: WINDOW_MS };
    expect(await writeDegradation(partition ?? "", given, WHY)).toMatchObject({ ok: true });
    expect(await switchDegradation(partition ?? "", "bulk", 2 * HOUR_MS, WHY)).toMatchObject({ ok: true });
  }
}

/** Each update as `channel: state/reason`. */
async function endings() {
  return (await updates()).map(({ channel, state, reason }) => `${channel}: ${state}/${reason}`).sort();
}

async function keepsPromises() {
  await publishOutbox();
  expect((await checkInvariants()).checks.filter((check) => check.violations > 0)).toEqual([]);
}

describe("moving an update to another channel", () => {
  test("when every channel of its reader moves at once, one of them keeps it", async () => {
    const shopper = await makeShopper({ channels: ["email", "push"] });
    await follow(shopper.id, { channels: ["email", "push"] });
    await announce();
    await testClock.advance(HOUR_MS);
    await on("other_channel", ...(await updates()).map(({ partition }) => partition));
    await Promise.all([degrade(), degrade()]);
    await degrade();
    const ended = await endings();
    expect(ended.filter((ending) => ending.endsWith("ready/null"))).toHaveLength(1);
    expect(ended.filter((ending) => ending.endsWith("expired/moved"))).toHaveLength(1);
    await keepsPromises();
  });

  test("it does not come back to a channel that it was moved away from", async () => {
    const shopper = await makeShopper({ channels: ["email", "sms"] });
    await follow(shopper.id, { channels: ["sms"] });
    await announce();
    await testClock.advance(HOUR_MS);
    await on("other_channel", (await updates())[0]?.partition);
    expect(await degrade()).toBe(1);
    await testClock.advance(HOUR_MS);
    await on("other_channel", ...(await updates()).map(({ partition }) => partition));
    expect(await degrade()).toBe(0);
    expect(await endings()).toEqual(["email: ready/null", "sms: expired/moved"]);
  });

  test("a channel on which it was given up already does not carry it", async () => {
    const shopper = await makeShopper({ channels: ["email", "push"] });
    await follow(shopper.id, { channels: ["email", "push"] });
    await announce();
    await testClock.advance(HOUR_MS);
    const partitionOf = async (channel: string) =>
      (await updates()).find((row) => row.channel === channel)?.partition;
    await on("expire_oldest", await partitionOf("push"));
    expect(await degrade()).toBe(1);
    await on("other_channel", await partitionOf("email"));
    expect(await degrade()).toBe(0);
    expect(await endings()).toEqual(["email: ready/null", "push: expired/shed"]);
  });

  test("what one device of its reader has got stays where it is", async () => {
    const shopper = await makeShopper({ channels: ["email", "push"], devices: 2 });
    await follow(shopper.id, { channels: ["push"] });
    await announce();
    const [first] = await updates();
    await admitRows([first?.id ?? ""]);
    await settle(await begin(await readDelivery(first?.id ?? "")), ACCEPTED);
    await testClock.advance(HOUR_MS);
    await on("other_channel", first?.partition);
    expect(await degrade()).toBe(0);
    expect((await updates()).map(({ channel }) => channel)).toEqual(["push", "push"]);
  });

  test("its words are still there when somebody else who had them is erased", async () => {
    const erased = await makeShopper({ channels: ["email"] });
    const reader = await makeShopper({ channels: ["email", "sms"] });
    await follow(erased.id, { channels: ["email"] });
    await follow(reader.id, { channels: ["sms"] });
    await announce();
    expect(await eraseSubscriber(erased.id, WHY)).toMatchObject({ ok: true });
    await testClock.advance(HOUR_MS);
    await on("other_channel", (await updates()).find((row) => row.subscriberId === reader.id)?.partition);
    expect(await degrade()).toBe(1);
    const copy = (await updates()).find((row) => row.subscriberId === reader.id && row.channel === "email");
    const [payload] = await database()
      .select()
      .from(payloads)
      .where(eq(payloads.id, copy?.payloadId ?? ""));
    expect(payload?.content).not.toBeNull();
  });
});

describe("a policy that was switched off", () => {
  test("does not act any more, also for a run that had read it before", async () => {
    const shopper = await makeShopper({ channels: ["email", "sms"] });
    await follow(shopper.id, { channels: ["email"] });
    await announce();
    const partition = (await updates())[0]?.partition ?? "";
    await testClock.advance(HOUR_MS);
    for (const degradation of ["expire_oldest", "coalesce", "other_channel"] as const) {
      await on(degradation, partition);
      expect(await switchDegradation(partition, "bulk", null, WHY)).toMatchObject({ ok: true });
      const read = { partition, lane: "bulk" as const, windowMs: WINDOW_MS, untilMs: testClock.nowMs() + 1 };
      const { moved } = await moveToOtherChannel({ ...read, degradation });
      expect(moved).toBe(0);
      if (degradation !== "other_channel")
        expect(await giveUpBatch({ ...read, degradation })).toMatchObject({ ended: 0 });
    }
    expect(await endings()).toEqual(["email: ready/null"]);
  });

  test("coalescing leaves the last that somebody is told who came back later", async () => {
    const shopper = await makeShopper({ channels: ["email"] });
    await follow(shopper.id);
    await announce();
    await unfollowShipment({ externalId: "parcel-1" }, shopper.id);
    await announce("out_for_delivery");
    await follow(shopper.id);
    await on("coalesce", (await updates())[0]?.partition);
    expect(await degrade()).toBe(0);
    expect((await database().select().from(deliveries)).map(({ state }) => state)).toEqual(["ready"]);
  });
});
