import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { setLaneWeight } from "../../db/admission/controls";
import { checkInvariants } from "../../db/console/invariants";
import { ringDoorbell } from "../../inngest/publish";
import { sweep } from "../../inngest/sweep";
import { expectConsole } from "../support/console";
import { follow, record, updates } from "../support/shipments";
import { World } from "../support/world";

let world: World;

beforeEach(async () => {
  world = await World.start(Date.UTC(2031, 4, 5, 9, 0, 0));
});

afterEach(() => {
  world.close();
});

/** Parcels with followers, each a subscriber of their own with an email address. */
async function followed(parcels: number, followers: number, options: Parameters<typeof follow>[1] = {}) {
  for (let parcel = 0; parcel < parcels; parcel += 1) {
    for (let follower = 0; follower < followers; follower += 1) {
      const { id } = await world.subscriber(`s-${parcel}-${follower}`, { channels: ["email"] });
      await follow(id, { shipment: `p-${parcel}`, ...options });
    }
  }
}

async function report(
  status: "in_transit" | "out_for_delivery" | "delivered",
  parcels: number,
  eventPrefix = status as string,
) {
  const scans = Array.from({ length: parcels }, (_, parcel) => ({
    eventId: `${eventPrefix}-${parcel}`,
    shipment: `p-${parcel}`,
    status,
  }));
  const recorded = await record(...scans);
  await ringDoorbell();
  return recorded;
}

async function endState(): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { state, reason } of await updates()) {
    const name = reason === null ? state : `${state}: ${reason}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

async function promisesKept() {
  const { checks } = await checkInvariants({ historyMs: Number.POSITIVE_INFINITY });
  expect(checks.filter((check) => check.violations > 0)).toEqual([]);
}

describe("an import", () => {
  test("reaches every follower once, at the provider's pace", async () => {
    world.providers.control("resend", { ratePerSecond: 5 });
    await followed(5, 4);
    await report("delivered", 5);
    await world.advance(30_000);
    expect(new Set(world.accepted("resend")).size).toBe(20);
    expect(world.providers.ledger.summary()).toMatchObject({ accepted: 20, duplicates: 0, throttled: 0 });
    expect(await endState()).toEqual({ delivered: 20 });
    await promisesKept();
  });

  test("that comes twice is the same import", async () => {
    await followed(3, 2);
    await report("delivered", 3);
    const again = await report("delivered", 3);
    expect(again.every((scan) => scan.outcome === "duplicate")).toBe(true);
    await report("delivered", 3, "under-another-id");
    await world.advance(30_000);
    expect(await endState()).toEqual({ delivered: 6 });
    expect(world.accepted("resend")).toHaveLength(6);
    await promisesKept();
  });

  test("whose event the engine never got is fanned out by the sweep, and a doubled tick adds nothing", async () => {
    await followed(3, 2);
    world.engineDown = true;
    expectConsole(/engine refused events/);
    await report("delivered", 3);
    world.engine.forgetEverything();
    world.engineDown = false;
    await world.resync();
    await world.advance(200_000);
    await Promise.all([sweep("command"), sweep("command")]);
    await world.advance(30_000);
    expect(await endState()).toEqual({ delivered: 6 });
    expect(world.accepted("resend")).toHaveLength(6);
    await promisesKept();
  });

  test("during an outage of the provider waits in the ledger and ends as if there had been none", async () => {
    await followed(3, 2);
    world.providers.control("resend", { fault: "json-500", faultCount: 4 });
    await report("delivered", 3);
    await world.advance(180_000);
    expect(await endState()).toEqual({ delivered: 6 });
    expect(new Set(world.accepted("resend")).size).toBe(6);
    await promisesKept();
  });

  test("doubled, with doubled ticks, amid an outage of the provider ends as if it had come once and none had been", async () => {
    await followed(3, 2);
    world.providers.control("resend", { fault: "html-502", faultCount: 6 });
    await report("delivered", 3);
    await world.advance(2_000);
    await Promise.all([report("delivered", 3), report("delivered", 3, "under-another-id")]);
    await Promise.all([sweep("command"), sweep("command")]);
    await world.advance(65_000);
    await Promise.all([sweep("command"), sweep("command"), report("delivered", 3)]);
    await world.advance(180_000);
    expect(await endState()).toEqual({ delivered: 6 });
    expect(world.accepted("resend")).toHaveLength(6);
    await promisesKept();
  });

  test("with the app killed in the middle of the fan-out and again while it sends: nobody twice, nobody left out", async () => {
    world.providers.control("resend", { ratePerSecond: 5, latencyMs: 300 });
    await followed(12, 2);
    await report("delivered", 12);
    await world.advance(150);
    world.killApp();
    await world.advance(5_000);
    await world.restartApp();
    await world.advance(2_000);
    world.killApp();
    await world.advance(5_000);
    await world.restartApp();
    await world.advance(120_000);
    expect(await endState()).toEqual({ delivered: 24 });
    expect(world.providers.ledger.summary()).toMatchObject({ accepted: 24, duplicates: 0 });
    await promisesKept();
  });
});

describe("several changes of one parcel", () => {
  test("every sends each in its order, also when the provider throttles the first", async () => {
    await followed(1, 1, { policy: "every" });
    world.providers.control("resend", { fault: "throttle", faultCount: 1, retryAfter: "seconds" });
    await report("in_transit", 1);
    await report("out_for_delivery", 1);
    await report("delivered", 1);
    await world.advance(60_000);
    const sent = (await updates()).map((row) => [
      row.version,
      row.state,
      row.latestAttemptAt?.getTime() ?? 0,
    ]);
    expect(sent.map(([version, state]) => [version, state])).toEqual([
      [1, "delivered"],
      [2, "delivered"],
      [3, "delivered"],
    ]);
    const times = sent.map(([, , at]) => at as number);
    expect(times).toEqual(times.toSorted((one, other) => one - other));
    await promisesKept();
  });

  test("latest sends one after an outage, and the older ones say that they were superseded", async () => {
    await followed(1, 1, { policy: "latest" });
    world.providers.control("resend", { fault: "throttle", retryAfter: "seconds" });
    await report("in_transit", 1);
    await world.advance(1_000);
    await report("out_for_delivery", 1);
    await world.advance(1_000);
    await report("delivered", 1);
    world.providers.control("resend", { fault: null });
    await world.advance(120_000);
    expect(await endState()).toEqual({ delivered: 1, "expired: superseded": 2 });
    expect(world.accepted("resend")).toHaveLength(1);
    await promisesKept();
  });
});

test("a burst of updates keeps a reminder and a code on time, whatever the weights", async () => {
  world.providers.control("resend", { ratePerSecond: 5 });
  await followed(30, 2);
  await report("delivered", 30);
  await world.advance(500);
  const { partition } = (await updates())[0] ?? {};
  const turned = await setLaneWeight(partition ?? "", "bulk", 0.5, { name: "ops", reason: "a burst" });
  expect(turned.ok).toBe(true);
  const { id } = await world.subscriber("ada", { channels: ["email"] });
  const reminder = await world.remind(id, { inMs: 3_000, channels: ["email"] });
  await world.advance(6_000);
  const [delivery] = await world.deliveries(reminder.id);
  expect(delivery?.state).toBe("delivered");
  await world.advance(60_000);
  await promisesKept();
});
