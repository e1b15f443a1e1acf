import "next/dist/server/node-environment-baseline";
import { sql } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { linkedReminder } from "../../../app/_reminders/linked";
import { POST as answerHandler } from "../../../app/api/answers/[token]/route";
import { GET as look, POST as unsubscribe } from "../../../app/api/unsubscribe/[token]/route";
import { database, rows } from "../../../db/connection";
import { eraseSubscriber } from "../../../db/privacy/erase";
import { readReminder } from "../../../db/reminders/read";
import { readShopper } from "../../../db/shoppers";
import { linkToken, readLinkToken, unsubscribeAddress } from "../../../inngest/messages/links";
import { emptyLedger, inMs, makeReminder, makeShopper } from "../../support/factories";
import { requestScope } from "../../support/request-scope";

beforeEach(emptyLedger);

const SHOP = { kind: "shop" } as const;
const at = (token: string) => ({ params: Promise.resolve({ token }) });
const request = (path: string, body?: unknown) =>
  new Request(`https://punctual.example${path}`, {
    method: body === undefined ? "GET" : "POST",
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
/** As Next runs it, up to the answer. */
function answer(...call: Parameters<typeof answerHandler>): Promise<Response> {
  return requestScope().run(() => answerHandler(...call));
}
const ONE_CLICK = "List-Unsubscribe=One-Click";

async function set() {
  const subscriber = await makeShopper({ channels: ["email", "push"] });
  const { reminder } = await makeReminder({ subscriberId: subscriber.id, channels: ["email", "push"] });
  const offNow = async () => (await readShopper(subscriber.id))?.off.reminders;
  return { id: reminder.id, token: linkToken(reminder.id), subscriberId: subscriber.id, offNow };
}

describe("a link's token", () => {
  test("names its reminder and is the same each time", async () => {
    const { id, token } = await set();
    expect(readLinkToken(token)).toBe(id);
    expect(linkToken(id)).toBe(token);
    expect(unsubscribeAddress(id)).toMatch(/\/api\/unsubscribe\/[\w-]{22}\.[\w-]{22}\?channel=email$/);
  });

  test.each([
    ["another id", (token: string) => `${"A".repeat(22)}${token.slice(22)}`],
    ["another signature", (token: string) => `${token.slice(0, 23)}${"A".repeat(22)}`],
    ["none", (token: string) => token.slice(0, 22)],
    ["nothing", () => ""],
    ["a path", () => "../../etc"],
  ])("with %s is nobody's", async (_what, change) => {
    const { token } = await set();
    expect(readLinkToken(change(token))).toBeNull();
  });
});

describe("unsubscribing", () => {
  test("looking at the address, as scanners do, changes nothing and leads to the page that asks", async () => {
    const { token, offNow } = await set();
    for (let count = 0; count < 2; count += 1) {
      const response = await look(request(`/api/unsubscribe/${token}?channel=email`), at(token));
      expect(response.status).toBe(303);
      expect(response.headers.get("location")).toBe(`/r/${token}?stop=email`);
    }
    expect(await offNow()).toEqual([]);
  });

  test("one click, without a cookie, stops that channel and no other; twice is once", async () => {
    const { token, offNow } = await set();
    for (let count = 0; count < 2; count += 1) {
      const path = `/api/unsubscribe/${token}?channel=email`;
      const response = await unsubscribe(request(path, ONE_CLICK), at(token));
      expect([response.status, response.redirected]).toEqual([200, false]);
    }
    expect(await offNow()).toEqual(["email"]);
  });

  test("with a token that is not ours stops nothing", async () => {
    const { token, offNow } = await set();
    const wrong = `${token.slice(0, 44)}A`;
    if (wrong === token) return;
    const response = await unsubscribe(request(`/api/unsubscribe/${wrong}`, ONE_CLICK), at(wrong));
    expect(response.status).toBe(404);
    expect(await offNow()).toEqual([]);
  });
});

test("a link of somebody who was erased is nobody's: it shows nothing, does nothing and writes nothing", async () => {
  const { id, token, subscriberId } = await set();
  expect(await eraseSubscriber(subscriberId, { name: "grace", reason: "they asked" })).toMatchObject({
    ok: true,
  });
  const kept = () =>
    rows(
      database(),
      sql`select (select count(*)::int from preferences) as preferences, r.status, r.updated_at
      from reminders r where r.id = ${id}::uuid`,
    );
  const before = await kept();
  const one = await requestScope().run(() => unsubscribe(request("/x?channel=email", ONE_CLICK), at(token)));
  expect(one.status).toBe(404);
  const looked = await requestScope().run(() => look(request("/x?channel=email"), at(token)));
  expect(looked.headers.get("location")).toBe("/r/unknown");
  for (const action of ["done", "snooze", "opened"])
    expect((await answer(request("/x", { action }), at(token))).status, action).toBe(404);
  expect(await linkedReminder(token)).toBeNull();
  expect(await kept()).toEqual(before);
});

describe("an answer on a notification", () => {
  test("Done finishes the reminder, again is harmless", async () => {
    const { id, token } = await set();
    for (let count = 0; count < 2; count += 1) {
      const response = await answer(request(`/api/answers/${token}`, { action: "done" }), at(token));
      expect(response.status).toBe(204);
    }
    expect(await readReminder(SHOP, id)).toMatchObject({ value: { status: "done" } });
  });

  test("later puts it off by an hour", async () => {
    const { id, token } = await set();
    await answer(request(`/api/answers/${token}`, { action: "snooze" }), at(token));
    expect(await readReminder(SHOP, id)).toMatchObject({ value: { dueAt: inMs(3_600_000).toISOString() } });
  });

  test.each([
    ["no JSON", "nonsense"],
    ["nothing", {}],
    ["what a notification cannot do", { action: "cancel" }],
    ["a number", { action: 1 }],
    ["a long text", "x".repeat(5000)],
  ])("of %s is refused", async (_what, body) => {
    const { id, token } = await set();
    expect((await answer(request(`/api/answers/${token}`, body), at(token))).status).toBe(422);
    expect(await readReminder(SHOP, id)).toMatchObject({ value: { status: "active" } });
  });
});
