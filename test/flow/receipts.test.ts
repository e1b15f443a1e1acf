import { sql } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { rows, transact } from "../../db/connection";
import { putSubscriber } from "../../db/subscribers";
import { World } from "../support/world";

let world: World;

beforeEach(async () => {
  world = await World.start(Date.UTC(2031, 4, 5, 9, 0, 0));
});

afterEach(() => {
  world.close();
});

const query = <T>(statement: ReturnType<typeof sql>) => transact((tx) => rows<T>(tx, statement));

const meanings = async () =>
  (
    await query<{ meaning: string }>(
      sql`select r.meaning from receipts r join deliveries d on d.id = r.delivery_id order by r.reported_at, r.meaning`,
    )
  ).map((row) => row.meaning);

describe("reports are stored once, whatever their order and number", () => {
  test.each(["normal", "twice", "reversed"] as const)("%s", async (receipts) => {
    const { id } = await world.subscriber();
    world.providers.control("resend", { receipts });
    world.providers.control("twilio", { receipts });
    await world.remind(id, { inMs: 30_000, channels: ["email", "sms"] });
    await world.advance(120_000);
    const tries = world.providers.receipts();
    expect(tries.length).toBe(receipts === "twice" ? 10 : 5);
    expect(tries.map((entry) => entry.status)).toEqual(tries.map(() => 204));
    expect((await meanings()).toSorted()).toEqual(["accepted", "accepted", "accepted", "arrived", "arrived"]);
  });
});

describe("a report resolves an outcome that nobody knew (P9)", () => {
  test("SMS accepted, its answer lost: the callback proves it, and it is not sent again", async () => {
    const { id } = await world.subscriber();
    world.providers.control("twilio", { fault: "reset", faultWhen: "after", faultCount: 1 });
    const reminder = await world.remind(id, { inMs: 30_000, channels: ["sms"] });
    await world.advance(300_000);
    expect(await world.deliveries(reminder.id)).toMatchObject([{ state: "delivered", reason: null }]);
    expect(world.accepted("twilio")).toHaveLength(1);
  });

  test("the process dies during the call: the callback comes while the lease still runs, and counts", async () => {
    const { id } = await world.subscriber();
    world.providers.control("twilio", { latencyMs: 5_000 });
    const reminder = await world.remind(id, { inMs: 30_000, channels: ["sms"] });
    await world.advance(32_000);
    world.app.kill();
    await world.advance(1_000);
    world.app.down = false;
    await world.advance(300_000);
    expect(await world.deliveries(reminder.id)).toMatchObject([{ state: "delivered" }]);
    expect(world.accepted("twilio")).toHaveLength(1);
  });
});

describe("an address that must not be written to is not written to", () => {
  test("STOP holds for what waits already and for the number added again; START ends it", async () => {
    const { id } = await world.subscriber();
    await world.remind(id, { inMs: 30_000, channels: ["sms"] });
    await world.advance(60_000);
    const [{ to } = { to: "" }] = world.providers.messages({ channel: "sms" }) as { to: string }[];
    const waiting = await world.remind(id, { inMs: 60_000, channels: ["sms", "email"] });
    world.providers.replyToSms({ from: to, body: "please stop texting me" });
    await world.advance(120_000);
    expect(await world.deliveries(waiting.id)).toMatchObject([
      { channel: "email", state: "delivered" },
      { channel: "sms", state: "expired", reason: "consent" },
    ]);
    await putSubscriber("ada", { timeZone: "Europe/Berlin", phone: null });
    await putSubscriber("ada", { timeZone: "Europe/Berlin", phone: to, verified: ["phone"] });
    await expect(world.remind(id, { inMs: 30_000, channels: ["sms"] })).rejects.toThrow("channels");
    world.providers.replyToSms({ from: to, body: "START" });
    await world.advance(1_000);
    const after = await world.remind(id, { inMs: 30_000, channels: ["sms"] });
    await world.advance(120_000);
    expect((await world.deliveries(after.id)).map((row) => row.state)).toEqual(["delivered"]);
  });

  test("a permanent bounce suppresses the address for every subscriber who has it", async () => {
    const one = await putSubscriber("one", {
      timeZone: "UTC",
      email: "bounced@shopper.example",
      verified: ["email"],
    });
    const other = await putSubscriber("other", {
      timeZone: "UTC",
      email: "Bounced@shopper.example",
      verified: ["email"],
    });
    if (!one.ok || !other.ok) throw new Error("not stored");
    await world.remind(one.value.id, { inMs: 30_000 });
    const later = await world.remind(other.value.id, { inMs: 90_000 });
    await world.advance(180_000);
    expect(await world.deliveries(later.id)).toMatchObject([{ state: "expired" }]);
    expect(world.accepted("resend")).toHaveLength(1);
    expect(await meanings()).toEqual(["accepted", "not_arrived"]);
  });

  test.each([
    ["30005", "expired", 1],
    ["30008", "delivered", 2],
  ])(
    "a text that is accepted and fails later (%s) is not sent again; the next one is %s",
    async (code, next, accepted) => {
      const { id } = await world.subscriber();
      world.providers.control("twilio", { fault: `callback:${code}`, faultCount: 1 });
      const first = await world.remind(id, { inMs: 30_000, channels: ["sms"] });
      const later = await world.remind(id, { inMs: 300_000, channels: ["sms"] });
      await world.advance(200_000);
      expect(await world.deliveries(first.id)).toMatchObject([{ state: "delivered" }]);
      expect(world.accepted("twilio")).toHaveLength(1);
      expect(await meanings()).toContain("not_arrived");
      await world.advance(200_000);
      expect(await world.deliveries(later.id)).toMatchObject([{ state: next }]);
      expect(world.accepted("twilio")).toHaveLength(accepted);
    },
  );
});
