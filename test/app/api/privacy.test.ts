import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { newApiSecret, storeApiKey } from "../../../db/api-keys";
import { API_SCOPES } from "../../../db/rules/api-scopes";
import { call } from "./calls";
import { createReminder, openShop, putSubscriber, query } from "./shop";

const KEYS = { p256dh: `BA${"x".repeat(85)}`, auth: "y".repeat(22) };

let shop: string;
let privacy: string;
let name: string;
let turn = 0;

beforeAll(async () => {
  shop = await openShop("whole shop");
  privacy = newApiSecret();
  await storeApiKey("privacy only", privacy, ["privacy"]);
});

beforeEach(async () => {
  turn += 1;
  name = `private-${String(turn).padStart(3, "0")}`;
});

const phone = () => `+1202555${String(1000 + turn)}`;

/** What the shop tells of somebody; in each test of somebody else. */
const told = () => ({
  email: `${name}@shopper.example`,
  phone: phone(),
  timeZone: "Asia/Kathmandu",
  locale: "de",
  verified: true,
  pushSubscriptions: [{ endpoint: `https://fcm.googleapis.com/fcm/send/${name}-device`, keys: KEYS }],
});

/** A subscriber with addresses, a reminder and its request's key. */
async function ada(): Promise<string> {
  await putSubscriber(shop, name, told());
  const reminder = await createReminder(
    shop,
    { subscriber: name, title: `${name}: the clinic`, channels: ["email", "sms", "push"] },
    { "idempotency-key": name },
  );
  expect(reminder.status, reminder.text).toBe(201);
  return reminder.body.id;
}

const path = (tail = "") => `/api/v1/subscribers/${name}${tail}`;

describe("an export", () => {
  test("holds everything that the shop gave, opens nothing, and is kept by nobody on its way", async () => {
    const id = await ada();
    const answer = await call("GET", path("/export"), { key: privacy });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("cache-control")).toContain("no-store");
    expect(answer.body).toMatchObject({
      person: { external_id: name, time_zone: "Asia/Kathmandu", locale: "de" },
      account: null,
      addresses: expect.arrayContaining([
        expect.objectContaining({ channel: "email", address: `${name}@shopper.example` }),
        expect.objectContaining({ channel: "sms", address: phone() }),
        expect.objectContaining({ channel: "push", address: "fcm.googleapis.com" }),
      ]),
      reminders: [expect.objectContaining({ id, title: `${name}: the clinic` })],
    });
    for (const secret of [`${name}-device`, KEYS.p256dh, KEYS.auth])
      expect(answer.text).not.toContain(secret);
  });

  test("of one person has nothing of another", async () => {
    await ada();
    await putSubscriber(shop, "neighbour", {
      email: "neighbour@shopper.example",
      timeZone: "UTC",
      verified: true,
    });
    await createReminder(shop, { subscriber: "neighbour", title: "the neighbour's" });
    const { text } = await call("GET", path("/export"), { key: privacy });
    expect(text).not.toContain("neighbour");
  });
});

describe("erasure", () => {
  test("answers what it came to, and after it nothing of the person is there for anybody", async () => {
    const id = await ada();
    const erased = await call("DELETE", path(), { key: privacy });
    expect(erased).toMatchObject({ status: 200, body: { reminders: 1, addresses: 3 } });
    expect(Object.keys(erased.body).sort()).toEqual(["addresses", "ended", "reminders"]);
    for (const [method, tail] of [
      ["GET", ""],
      ["GET", "/export"],
      ["DELETE", ""],
    ] as const)
      expect((await call(method, path(tail), { key: shop })).status, `${method} ${tail}`).toBe(404);
    for (const [method, of] of [
      ["GET", `/api/v1/reminders/${id}`],
      ["GET", `/api/v1/reminders/${id}/deliveries`],
      ["DELETE", `/api/v1/reminders/${id}`],
    ] as const)
      expect((await call(method, of, { key: shop })).status, `${method} ${of}`).toBe(404);
    const list = await call("GET", `/api/v1/reminders?subscriber=${name}`, { key: shop });
    expect(list.body.reminders).toEqual([]);
    expect((await call("GET", "/api/v1/reminders?limit=200", { key: shop })).text).not.toContain(id);
    const tables = await query<{ name: string }>(
      "select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'",
    );
    for (const { name: table } of tables) {
      const lines = await query<{ line: string }>(`select to_jsonb(t)::text as line from "${table}" t`);
      for (const planted of [name, phone()])
        expect(
          lines.filter(({ line }) => line.includes(planted)),
          `${planted} in ${table}`,
        ).toEqual([]);
    }
  });

  test("is written down with the key that asked, and names nobody", async () => {
    await ada();
    const [before] = await query<{ id: string }>(`select id from subscribers where external_id = '${name}'`);
    await call("DELETE", path(), { key: privacy });
    const [key] = await query<{ id: string }>("select id from api_keys where name = 'privacy only'");
    const actions = await query<{ line: string }>(
      `select to_jsonb(a)::text as line from operator_actions a where action = 'erase' and target = '${before?.id}'`,
    );
    expect(actions).toHaveLength(1);
    expect(actions[0]?.line).toContain(`api:${key?.id}`);
  });

  test("frees the shop's name: the same one is a new person, with nothing of before", async () => {
    await ada();
    await call("DELETE", path(), { key: privacy });
    const again = await putSubscriber(shop, name, { timeZone: "UTC" });
    expect(again.body).toMatchObject({ externalId: name, destinations: [] });
    const list = await call("GET", `/api/v1/reminders?subscriber=${name}`, { key: shop });
    expect(list.body.reminders).toEqual([]);
    const repeated = await createReminder(shop, { subscriber: name }, { "idempotency-key": name });
    expect(repeated.headers.get("idempotent-replayed")).toBeNull();
  });

  test("at once by several, and again, erases once", async () => {
    await ada();
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => call("DELETE", path(), { key: privacy })),
    );
    const counts = answers.filter(({ status }) => status === 200).map(({ body }) => body.reminders);
    expect(counts.filter((count) => count === 1)).toHaveLength(1);
    expect(answers.every(({ status }) => status === 200 || status === 404)).toBe(true);
  });
});

describe("neither is done", () => {
  const WAYS = [
    ["GET", "/export"],
    ["DELETE", ""],
  ] as const;

  test.each(API_SCOPES.filter((scope) => scope !== "privacy"))("for a key of %s alone", async (scope) => {
    await ada();
    const secret = newApiSecret();
    await storeApiKey(`only ${scope} ${turn}`, secret, [scope]);
    for (const [method, tail] of WAYS) {
      const answer = await call(method, path(tail), { key: secret });
      expect(answer).toMatchObject({ status: 403, body: { code: "forbidden" } });
      expect(answer.text).not.toContain("private");
    }
    expect((await call("GET", path(), { key: shop })).status).toBe(200);
  });

  test("without a key, nor for names that are nobody's, which are all told alike", async () => {
    await ada();
    const texts = new Set<string>();
    for (const [method, tail] of WAYS) {
      expect((await call(method, path(tail))).status).toBe(401);
      for (const nobody of ["nobody", "a%00b", "%20", name.toUpperCase(), "x".repeat(201)]) {
        const answer = await call(method, `/api/v1/subscribers/${nobody}${tail}`, { key: privacy });
        expect(answer.status, nobody).toBe(404);
        texts.add(answer.text);
      }
    }
    expect(texts.size).toBe(1);
    expect((await call("GET", path(), { key: shop })).status).toBe(200);
  });

  test("of an operator: the role is to be taken away first", async () => {
    await ada();
    await query(`insert into auth_users (id, name, email, email_verified, role, created_at, updated_at)
      values ('${name}', '', '${name}@punctual.example', true, 'operator', now(), now())`);
    await query(`update subscribers set user_id = '${name}' where external_id = '${name}'`);
    const answer = await call("DELETE", path(), { key: privacy });
    expect(answer).toMatchObject({ status: 409, body: { code: "conflict" } });
    expect((await call("GET", path(), { key: shop })).status).toBe(200);
  });
});
