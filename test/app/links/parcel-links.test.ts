import "next/dist/server/node-environment-baseline";
import { beforeEach, describe, expect, test } from "vitest";
import { actByLink, linkedParcel } from "../../../app/_reminders/linked";
import { GET as look, POST as unsubscribe } from "../../../app/api/unsubscribe/[token]/route";
import { readFollowing, readShipment } from "../../../db/shipments/read";
import { readShopper } from "../../../db/shoppers";
import { parcelToken, readParcelToken } from "../../../inngest/messages/links";
import { emptyLedger, makeShopper } from "../../support/factories";
import { follow } from "../../support/shipments";

beforeEach(emptyLedger);

const at = (token: string) => ({ params: Promise.resolve({ token }) });
const ask = (token: string, method: "GET" | "POST") =>
  new Request(`https://punctual.example/api/unsubscribe/${token}?channel=email`, { method });

async function followed() {
  const { id: subscriberId } = await makeShopper({ channels: ["email", "sms"] });
  await follow(subscriberId);
  const shipmentId = (await readShipment({ externalId: "parcel-1" }))?.id ?? "";
  const following = { shipmentId, subscriberId };
  const state = async () => ({
    follows: (await readFollowing(shipmentId, subscriberId)).follower !== null,
    off: (await readShopper(subscriberId))?.off,
  });
  return { following, token: parcelToken(following), state };
}

const UNTOUCHED = { follows: true, off: { reminders: [], shipments: [] } };

test("a token names one follower of one parcel; changed, or another's, it is nobody's", async () => {
  const { following, token } = await followed();
  expect(readParcelToken(token)).toEqual(following);
  const other = parcelToken({ ...following, subscriberId: "00000000-0000-4000-8000-000000000000" });
  const [ids = "", mac = ""] = token.split(".");
  const [otherIds = "", otherMac = ""] = other.split(".");
  for (const wrong of [`${otherIds}.${mac}`, `${ids}.${otherMac}`, ids, "", `${token}A`])
    expect(readParcelToken(wrong)).toBeNull();
  expect(await linkedParcel(other)).toBeNull();
  expect(await actByLink(other, "stop", "email")).toBe(false);
});

describe("unsubscribing from a parcel's mail", () => {
  test("looking, as scanners do, changes nothing and leads to the page that asks", async () => {
    const { token, state } = await followed();
    const answer = await look(ask(token, "GET"), at(token));
    expect([answer.status, answer.headers.get("location")]).toEqual([303, `/r/${token}?stop=email`]);
    expect(await state()).toEqual(UNTOUCHED);
  });

  test("one click stops parcels by email and nothing else; twice is once", async () => {
    const { token, state } = await followed();
    for (let count = 0; count < 2; count += 1)
      expect((await unsubscribe(ask(token, "POST"), at(token))).status).toBe(200);
    expect(await state()).toEqual({ follows: true, off: { reminders: [], shipments: ["email"] } });
  });

  test("leaving ends that following alone, again is harmless, and what is of reminders is refused", async () => {
    const { token, state } = await followed();
    for (const action of ["done", "snooze", "tomorrow", "cancel", "opened"] as const)
      expect(await actByLink(token, action)).toBe(false);
    expect(await state()).toEqual(UNTOUCHED);
    expect(await actByLink(token, "leave")).toBe(true);
    expect(await actByLink(token, "leave")).toBe(true);
    expect(await state()).toEqual({ ...UNTOUCHED, follows: false });
  });
});
