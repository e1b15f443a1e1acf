import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { replaceEffects } from "../../../db/effects";
import { call } from "./calls";
import { openShop, putSubscriber, query } from "./shop";

let key: string;
let restore: () => void;

beforeAll(async () => {
  key = await openShop();
  await putSubscriber(key, "ada");
});

beforeEach(() => {
  restore = replaceEffects({ fetch: async () => Response.json({ ids: ["event"], status: 200 }) });
});

afterEach(() => restore());

const RESET = {
  subscriber: "ada",
  template: "password-reset",
  channels: ["email"],
  url: "https://shop.example/reset/9f2c",
};

const send = (body: object, headers = {}) => call("POST", "/api/v1/notices", { key, body, headers });

interface Row {
  lane: string;
  state: string;
  key: string;
  channel: string;
  useful: number;
}

const rowsOf = (id: string) =>
  query<Row>(`select lane, state, key, channel, extract(epoch from expires_at - scheduled_at)::int as useful
    from deliveries where notice_id = '${id}' order by channel`);

describe("POST /api/v1/notices", () => {
  test("goes out in the urgent lane under keys of its own, and is of use for as long as was asked", async () => {
    const { status, body } = await send({ ...RESET, channels: ["email", "sms"], expiresAfterSeconds: 900 });
    expect(status).toBe(201);
    expect(body.deliveries).toBe(2);
    const rows = await rowsOf(body.id);
    expect(rows.map(({ channel, lane, state, useful }) => [channel, lane, state, useful])).toEqual([
      ["email", "urgent", "ready", 900],
      ["sms", "urgent", "ready", 900],
    ]);
    expect(rows[0]?.key).toMatch(new RegExp(`^notice:${body.id}:[0-9a-f-]{36}:email$`));
  });

  test("quiet hours and turned-off topics do not hold it", async () => {
    await query(
      "update subscribers set quiet_from = '00:00', quiet_until = '23:59' where external_id = 'ada'",
    );
    const { body } = await send({
      ...RESET,
      template: "fraud-alert",
      detail: "A payment of 120 EUR in Lyon",
    });
    expect(await rowsOf(body.id)).toMatchObject([{ state: "ready" }]);
    await query("update subscribers set quiet_from = null, quiet_until = null where external_id = 'ada'");
  });

  test("with the same Idempotency-Key sends one", async () => {
    const [first, again] = [
      await send(RESET, { "idempotency-key": "reset-1" }),
      await send(RESET, { "idempotency-key": "reset-1" }),
    ];
    expect(again.body).toEqual(first.body);
    expect(await rowsOf(first.body.id)).toHaveLength(1);
  });

  test("many alerts take away nobody's sign-in code", async () => {
    for (let count = 0; count < 8; count += 1) {
      expect((await send({ ...RESET, template: "account-security", detail: "Changed" })).status).toBe(201);
    }
  });

  test.each([
    [{ url: undefined }, "url"],
    [{ template: "fraud-alert" }, "detail"],
    [{ template: "poem" }, "template"],
    [{ channels: ["push"] }, "channels"],
    [{ subscriber: "nobody" }, "subscriber"],
    [{ expiresAfterSeconds: 5 }, "expiresAfterSeconds"],
    [{ url: "javascript:alert(1)" }, "url"],
  ])("with %j names %s", async (change, field) => {
    const answer = await send({ ...RESET, ...change });
    expect(answer.status).toBe(422);
    expect(answer.body.errors.map((error: { field: string }) => error.field)).toContain(field);
  });
});
