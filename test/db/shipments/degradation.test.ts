import { eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { database } from "../../../db/connection";
import { listActions } from "../../../db/console/actions";
import { checkInvariants } from "../../../db/console/invariants";
import { predictDegradation } from "../../../db/console/predictions";
import { replaceEffects } from "../../../db/effects";
import { deliveries } from "../../../db/schema";
import { readDegradations, switchDegradation, writeDegradation } from "../../../db/shipments/degradation";
import { degrade } from "../../../inngest/degrade";
import { fanOut } from "../../../inngest/fan-out";
import { publishOutbox } from "../../../inngest/publish";
import { sweep } from "../../../inngest/sweep";
import { emptyLedger, makeDelivery, makeShopper } from "../../support/factories";
import { announcedIds, follow, record, updates } from "../../support/shipments";
import { testClock } from "../../support/test-clock";

const WHY = { name: "grace", reason: "the import is too large" };
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

let restore: () => void;

beforeEach(async () => {
  // An engine that takes every event and runs nothing.
  restore = replaceEffects({ fetch: async () => Response.json({ ids: ["event"], status: 200 }) });
  await emptyLedger();
});

afterEach(() => restore());

let parcels = 0;

/** Waits for one follower of a parcel, in lane `bulk`. */
async function waiting(channels: ("email" | "sms" | "push")[], policy: "every" | "latest" = "every") {
  const shopper = await makeShopper({ channels });
  const [channel = "email"] = channels;
  parcels += 1;
  const shipment = `waiting-${parcels}`;
  await follow(shopper.id, { shipment, channels: [channel], policy });
  await record({ shipment, status: "in_transit" });
  await announceAll();
  const row = (await updates()).find(({ subscriberId }) => subscriberId === shopper.id);
  if (row?.partition == null) throw new Error("nobody was told");
  return { shopper, shipment, row, partition: row.partition };
}

async function announceAll() {
  for (let left = await announcedIds(); left.length > 0; ) left = (await fanOut(left)).remaining;
}

async function on(partition: string, policy: string, windowMs = 30 * MINUTE_MS) {
  expect(await writeDegradation(partition, { lane: "bulk", policy, windowMs }, WHY)).toMatchObject({
    ok: true,
  });
  expect(await switchDegradation(partition, "bulk", 2 * HOUR_MS, WHY)).toMatchObject({ ok: true });
}

const stateOf = async (id: string) => {
  const [row] = await database().select().from(deliveries).where(eq(deliveries.id, id));
  return [row?.state, row?.reason];
};

async function keepsPromises() {
  await publishOutbox();
  expect((await checkInvariants()).checks.filter((check) => check.violations > 0)).toEqual([]);
}

describe("what a lane gives up under load", () => {
  test("is written beforehand and does nothing until it is switched on, with who and why", async () => {
    const { row, partition } = await waiting(["email"]);
    await writeDegradation(
      partition,
      { lane: "bulk", policy: "expire_oldest", windowMs: 30 * MINUTE_MS },
      WHY,
    );
    await testClock.advance(HOUR_MS);
    expect(await degrade()).toBe(0);
    expect(await stateOf(row.id)).toEqual(["ready", null]);
    await switchDegradation(partition, "bulk", HOUR_MS, WHY);
    expect(await degrade()).toBe(1);
    expect(await stateOf(row.id)).toEqual(["expired", "shed"]);
    const actions = await listActions({ target: partition }, { limit: 5 });
    expect(actions.ok && actions.value.actions.map(({ action, operator }) => [action, operator])).toEqual([
      ["degradation-on", "grace"],
      ["degradation-written", "grace"],
    ]);
    await keepsPromises();
  });

  test("ends by itself, and can be ended", async () => {
    const { row, partition } = await waiting(["email"]);
    await on(partition, "expire_oldest", 3 * HOUR_MS);
    await testClock.advance(4 * HOUR_MS);
    expect(await readDegradations(partition)).toMatchObject([{ lane: "bulk", untilMs: null }]);
    expect(await degrade()).toBe(0);
    await switchDegradation(partition, "bulk", HOUR_MS, WHY);
    await switchDegradation(partition, "bulk", null, WHY);
    expect(await degrade()).toBe(0);
    expect(await stateOf(row.id)).toEqual(["ready", null]);
  });

  test("is never a reminder, a notice, another lane's or another partition's work, nor what is young enough", async () => {
    const { row, partition } = await waiting(["email"]);
    const reminder = await makeDelivery({ partition, lane: "bulk" });
    const other = await waiting(["sms"]);
    await testClock.advance(HOUR_MS);
    const young = await makeShopper({ channels: ["email"] });
    await follow(young.id, { shipment: "parcel-2" });
    await record({ shipment: "parcel-2", status: "in_transit" });
    await announceAll();
    const late = (await updates()).find(({ subscriberId }) => subscriberId === young.id);
    await on(partition, "expire_oldest");
    expect(
      await predictDegradation({
        partition,
        lane: "bulk",
        degradation: "expire_oldest",
        windowMs: 30 * MINUTE_MS,
      }),
    ).toEqual({ waiting: 2, affected: 1 });
    expect((await sweep("command"))?.degraded).toBe(1);
    expect(await stateOf(row.id)).toEqual(["expired", "shed"]);
    for (const id of [reminder.id, other.row.id, late?.id ?? ""])
      expect(await stateOf(id)).toEqual(["ready", null]);
  });

  test("coalesce: of a parcel's updates only the latest stays, also for who asked for every one", async () => {
    const { shopper, shipment, row, partition } = await waiting(["email"]);
    await record({ shipment, status: "out_for_delivery" });
    await announceAll();
    await on(partition, "coalesce");
    expect(await degrade()).toBe(1);
    expect(await stateOf(row.id)).toEqual(["expired", "superseded"]);
    const newer = (await updates()).find((one) => one.subscriberId === shopper.id && one.version === 2);
    expect(newer?.state).toBe("ready");
    expect(await degrade()).toBe(0);
    await keepsPromises();
  });

  test("other channel: what is old goes out on another verified channel of its reader, once; who has none waits on", async () => {
    const { shopper, row, partition } = await waiting(["sms", "email"]);
    const alone = await waiting(["sms"]);
    expect(alone.partition).toBe(partition);
    await testClock.advance(HOUR_MS);
    await on(partition, "other_channel");
    expect(await degrade()).toBe(1);
    expect(await degrade()).toBe(0);
    expect(await stateOf(row.id)).toEqual(["expired", "moved"]);
    const [copy, ...more] = (await updates()).filter(
      (one) => one.subscriberId === shopper.id && one.id !== row.id,
    );
    expect(more).toEqual([]);
    expect(copy).toMatchObject({
      channel: "email",
      state: "ready",
      key: row.key.replace(/:sms$/, ":email"),
      version: row.version,
      expiresAt: row.expiresAt,
    });
    expect(await stateOf(alone.row.id)).toEqual(["ready", null]);
    await keepsPromises();
  });

  test("two movers at once make one copy", async () => {
    const { shopper, partition } = await waiting(["sms", "email"]);
    await testClock.advance(HOUR_MS);
    await on(partition, "other_channel");
    const counts = await Promise.all([degrade(), degrade(), degrade()]);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(1);
    expect((await updates()).filter((one) => one.subscriberId === shopper.id)).toHaveLength(2);
  });

  test("refuses lanes that give nothing up, policies that there are not, and windows without sense", async () => {
    const { partition } = await waiting(["email"]);
    const write = (given: Partial<Parameters<typeof writeDegradation>[1]>) =>
      writeDegradation(partition, { lane: "bulk", policy: "coalesce", windowMs: HOUR_MS, ...given }, WHY);
    expect(await write({ lane: "urgent" })).toMatchObject({
      ok: false,
      problem: { fields: [{ field: "lane" }] },
    });
    expect(await write({ policy: "drop" })).toMatchObject({
      ok: false,
      problem: { fields: [{ field: "policy" }] },
    });
    expect(await write({ windowMs: 1 })).toMatchObject({
      ok: false,
      problem: { fields: [{ field: "window" }] },
    });
    expect(await switchDegradation(partition, "bulk", HOUR_MS, WHY)).toMatchObject({ ok: false });
    expect(await switchDegradation(partition, "bulk", 30 * HOUR_MS, WHY)).toMatchObject({
      ok: false,
      problem: { fields: [{ field: "for" }] },
    });
  });
});
