import { beforeAll, describe, expect, test } from "vitest";
import { call, listOperations } from "./calls";
import { countRows, createReminder, openShop, putSubscriber, query } from "./shop";

const MISSING_ID = "00000000-0000-4000-8000-000000000000";
const PUBLIC = ["GET /api/health", "GET /api/v1/openapi.json"];

let key: string;

beforeAll(async () => {
  key = await openShop();
  await putSubscriber(key, "ada");
});

describe("without a valid key", () => {
  const headers: [string, Record<string, string>][] = [
    ["no header", {}],
    ["an empty header", { authorization: "" }],
    ["a scheme without a key", { authorization: "Bearer " }],
    ["the key of an unset variable in JavaScript", { authorization: "Bearer undefined" }],
    ["the key of an unset variable elsewhere", { authorization: "Bearer null" }],
    ["an unfilled template", { authorization: "Bearer $API_KEY" }],
    ["an unknown key", { authorization: "Bearer pk_unknown" }],
    ["another scheme", { authorization: "Basic cGs6" }],
    ["two keys", { authorization: "Bearer one two" }],
    [
      "the header that once walked around middleware",
      { "x-middleware-subrequest": Array(5).fill("middleware").join(":") },
    ],
  ];
  for (const [what, sent] of headers) {
    test(`every route refuses ${what} with one and the same answer, and stores nothing`, async () => {
      const before = await countRows();
      for (const operation of await listOperations()) {
        if (PUBLIC.includes(operation)) continue;
        const [method = "", pattern = ""] = operation.split(" ");
        const path = pattern.replace("{id}", MISSING_ID).replace(/\{externalId\}|\{subscriber\}/, "ada");
        const body = method === "GET" || method === "DELETE" ? undefined : {};
        const answer = await call(method, path, { headers: sent, body });
        expect(answer.status, operation).toBe(401);
        expect(answer.headers.get("www-authenticate")).toBe('Bearer realm="punctual"');
        expect(answer.headers.get("content-type")).toBe("application/problem+json");
        expect(answer.body.code).toBe("unauthorised");
      }
      expect(await countRows()).toEqual(before);
    });
  }

  test("a revoked key is nobody's, and the scheme's case does not matter", async () => {
    const revoked = await openShop("former shop");
    const withKey = (secret: string) =>
      call("GET", "/api/v1/reminders", { headers: { authorization: `bearer ${secret}` } });
    expect((await withKey(revoked)).status).toBe(200);
    await query("update api_keys set revoked_at = ledger_now() where name = 'former shop'");
    expect((await withKey(revoked)).status).toBe(401);
    expect((await withKey(key)).status).toBe(200);
  });
});

describe("an id that is missing, malformed or not the shop's", () => {
  /** A shopper who came by themselves: the shop knows nothing of them. */
  async function foreignReminder(): Promise<string> {
    const { body } = await createReminder(key);
    await query(`insert into subscribers (id, time_zone, locale, created_at)
      values ('${MISSING_ID}', 'UTC', 'en', ledger_now()) on conflict do nothing`);
    await query(`update reminders set subscriber_id = '${MISSING_ID}' where id = '${body.id}'`);
    return body.id;
  }

  test.each([
    ["GET", "", undefined],
    ["PATCH", "", {}],
    ["PATCH", "", { title: "Mine now" }],
    ["DELETE", "", undefined],
    ["POST", "/snooze", { minutes: 10 }],
    ["GET", "/deliveries", undefined],
  ])("%s …%s answers each of them alike, with 404", async (method, tail, body) => {
    const foreign = await foreignReminder();
    const before = await countRows();
    const ids = [foreign, MISSING_ID, "7", "a%00b", "..%2F..", "'or'1'='1", `${foreign}%20`];
    const answers = [];
    for (const id of ids) {
      answers.push(await call(method, `/api/v1/reminders/${id}${tail}`, { key, body }));
    }
    for (const answer of answers) {
      expect(answer.status).toBe(404);
      expect(answer.text).toBe(answers[0]?.text);
    }
    expect(await countRows()).toEqual(before);
    const [row] = await query(`select title, status, version from reminders where id = '${foreign}'`);
    expect(row).toEqual({ title: "Pay the rent", status: "active", version: 1 });
  });

  test("lists and subscribers are told apart no more than that", async () => {
    const foreign = await foreignReminder();
    const list = await call("GET", "/api/v1/reminders?limit=200", { key });
    expect(list.body.reminders.map((reminder: { id: string }) => reminder.id)).not.toContain(foreign);
    for (const externalId of ["nobody", "a%00b", "two%20words", "x".repeat(201), MISSING_ID]) {
      const answer = await call("GET", `/api/v1/subscribers/${externalId}`, { key });
      expect(answer).toMatchObject({ status: 404, body: { detail: "There is no such subscriber." } });
    }
  });
});
