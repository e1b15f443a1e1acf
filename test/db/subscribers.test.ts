import { beforeEach, expect, test } from "vitest";
import { database } from "../../db/connection";
import { findSubscriber, readSubscriber, retireDestination, updateSubscriber } from "../../db/subscribers";
import { emptyLedger, makeDestination, makeShopper, makeSubscriber } from "../support/factories";
import { readDestination } from "../support/ledger";

beforeEach(emptyLedger);

test("a subscriber is found by the shop's own name, and by no other", async () => {
  const subscriber = await makeSubscriber({ externalId: "ada" });
  expect(await findSubscriber("ada")).toEqual({ id: subscriber.id, timeZone: "Europe/Berlin" });
  expect(await findSubscriber("Ada")).toBeNull();
  expect(await findSubscriber("' or true --")).toBeNull();
});

test("zone and locale change alone or together, and only where they are given", async () => {
  const [subscriber, other] = [await makeSubscriber(), await makeSubscriber()];
  await updateSubscriber(subscriber.id, { timeZone: "Asia/Tokyo" });
  expect(await readSubscriber(database(), subscriber.id)).toMatchObject({
    timeZone: "Asia/Tokyo",
    locale: "en",
  });
  await updateSubscriber(subscriber.id, { locale: "ja" });
  expect(await readSubscriber(database(), subscriber.id)).toMatchObject({
    timeZone: "Asia/Tokyo",
    locale: "ja",
  });
  expect(await readSubscriber(database(), other.id)).toMatchObject({
    timeZone: "Europe/Berlin",
    locale: "en",
  });
});

test("somebody removes their own address once, and nobody else's", async () => {
  const [mine, stranger] = [await makeShopper({ channels: [] }), await makeShopper({ channels: [] })];
  const address = await makeDestination(mine.id);
  expect(await retireDestination(stranger.id, address.id)).toMatchObject({ problem: { code: "not_found" } });
  expect(await retireDestination(mine.id, address.id)).toEqual({ ok: true, value: null });
  expect(await retireDestination(mine.id, address.id)).toMatchObject({ problem: { code: "not_found" } });
  expect(await readDestination(address.id)).toMatchObject({ state: "retired", stateReason: "removed" });
});
