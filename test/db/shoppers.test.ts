import { sql } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { database, rows } from "../../db/connection";
import { effects } from "../../db/effects";
import { readLocale, readShopper, registerDevice, setChannelWanted, updateShopper } from "../../db/shoppers";
import { testClock } from "../support/database";
import { makeSubscriber } from "../support/factories";

let subscriberId = "";

beforeEach(async () => {
  subscriberId = (await makeSubscriber()).id;
});

async function read() {
  const shopper = await readShopper(subscriberId);
  if (shopper === null) throw new Error("no such shopper");
  return shopper;
}

function device(name: string) {
  return {
    endpoint: `https://fcm.googleapis.com/fcm/send/${name}`,
    keys: { p256dh: `p-${name}`, auth: `a-${name}` },
  };
}

describe("what a shopper's pages need", () => {
  test("comes with the ledger's clock, not this machine's", async () => {
    expect(await read()).toMatchObject({
      timeZone: "Europe/Berlin",
      quietHours: null,
      off: { reminders: [], shipments: [] },
      nowMs: testClock.nowMs(),
    });
    expect(await readShopper(effects.newId())).toBeNull();
  });
});

describe("settings", () => {
  test("zone and quiet hours are kept, and removed again", async () => {
    const quietHours = { start: "22:00", end: "07:30" };
    expect(await updateShopper(subscriberId, { timeZone: "asia/tokyo", quietHours })).toMatchObject({
      ok: true,
    });
    expect(await read()).toMatchObject({ timeZone: "Asia/Tokyo", quietHours });
    await updateShopper(subscriberId, { timeZone: "Asia/Tokyo", quietHours: null });
    expect((await read()).quietHours).toBeNull();
  });

  test("the language is stored when it is chosen, and stays when it is not", async () => {
    await updateShopper(subscriberId, { timeZone: "UTC", quietHours: null, locale: "ar" });
    await updateShopper(subscriberId, { timeZone: "UTC", quietHours: null });
    expect(await readLocale(subscriberId)).toBe("ar");
    expect(await readLocale("00000000-0000-4000-8000-000000000000")).toBeNull();
  });

  test("an unknown zone changes nothing", async () => {
    const change = { timeZone: "Mars/Base", quietHours: { start: "22:00", end: "07:00" } };
    expect(await updateShopper(subscriberId, change)).toMatchObject({ ok: false });
    expect(await read()).toMatchObject({ timeZone: "Europe/Berlin", quietHours: null });
  });

  test("a channel is turned off and on again, for reminders and for parcels each", async () => {
    await setChannelWanted(subscriberId, "reminders", "sms", false);
    await setChannelWanted(subscriberId, "reminders", "sms", false);
    await setChannelWanted(subscriberId, "shipments", "email", false);
    expect((await read()).off).toEqual({ reminders: ["sms"], shipments: ["email"] });
    await setChannelWanted(subscriberId, "reminders", "sms", true);
    expect((await read()).off).toEqual({ reminders: [], shipments: ["email"] });
  });
});

describe("devices", () => {
  const names = async () => (await read()).destinations.map((destination) => destination.label);

  test("the same browser is one device, however often it registers", async () => {
    const first = await registerDevice(subscriberId, {
      ...device("one"),
      label: "Chrome on Linux",
      replaces: null,
    });
    const again = await registerDevice(subscriberId, {
      ...device("one"),
      label: "Chrome on Linux",
      replaces: null,
    });
    expect(again).toEqual(first);
    expect(await names()).toEqual(["Chrome on Linux"]);
  });

  test("a subscription that the browser changed takes the place of the old one and keeps its name", async () => {
    await registerDevice(subscriberId, { ...device("old"), label: "Firefox on Mac", replaces: null });
    await registerDevice(subscriberId, { ...device("new"), label: null, replaces: device("old").endpoint });
    expect(await names()).toEqual(["Firefox on Mac"]);
  });

  test("a device that is refused leaves the one that it was to replace, and its owner's, where they are", async () => {
    const full = (await makeSubscriber()).id;
    for (let count = 0; count < 20; count += 1)
      await registerDevice(full, { ...device(`full-${count}`), label: null, replaces: null });
    await registerDevice(subscriberId, { ...device("taken"), label: "Mine", replaces: null });
    await rows(
      database(),
      sql`update destinations set state = 'suppressed' where address = ${device("full-0").endpoint}`,
    );
    await registerDevice(full, { ...device("full-20"), label: null, replaces: null });
    const refused = await registerDevice(full, {
      ...device("taken"),
      label: null,
      replaces: device("full-0").endpoint,
    });
    expect(refused.ok).toBe(false);
    expect(await names()).toEqual(["Mine"]);
    const [old] = await rows<{ state: string }>(
      database(),
      sql`select state from destinations where address = ${device("full-0").endpoint}`,
    );
    expect(old?.state).toBe("suppressed");
  });

  test("nobody's device is replaced by somebody who only knows its endpoint", async () => {
    const owner = await makeSubscriber();
    await registerDevice(owner.id, { ...device("theirs"), label: "Theirs", replaces: null });
    await registerDevice(subscriberId, {
      ...device("mine"),
      label: "Mine",
      replaces: device("theirs").endpoint,
    });
    const [row] = await rows<{ state: string }>(
      database(),
      sql`select state from destinations where address = ${device("theirs").endpoint}`,
    );
    expect(row?.state).toBe("active");
  });

  test("a browser that somebody else signs in to stops showing the first one's reminders", async () => {
    const before = await makeSubscriber();
    await registerDevice(before.id, { ...device("shared"), label: "Shared", replaces: null });
    await registerDevice(subscriberId, { ...device("shared"), label: "Shared", replaces: null });
    expect((await readShopper(before.id))?.destinations).toEqual([]);
    expect(await names()).toEqual(["Shared"]);
  });
});
