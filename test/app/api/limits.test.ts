import { beforeAll, describe, expect, test } from "vitest";
import { newApiSecret, storeApiKey } from "../../../db/api-keys";
import { replaceEffects } from "../../../db/effects";
import { takeFrequentTurn } from "../../../db/rate-limits";
import { RATE_LIMITS } from "../../../db/rules/rate-limit";
import { testClock } from "../../support/database";
import { call } from "./calls";
import { countRows, createReminder, openShop, putSubscriber, query } from "./shop";

let busy: string;
let quiet: string;

beforeAll(async () => {
  busy = await openShop("busy shop");
  quiet = await openShop("quiet shop");
  await putSubscriber(quiet, "ada");
});

/** Takes whatever a key may ask for at this instant, as any process of the app would. */
async function useUp(name: string): Promise<void> {
  const [key] = await query<{ id: string }>(`select id from api_keys where name = '${name}'`);
  const asked = { limit: "apiKey" as const, subject: key?.id ?? "", why: "" };
  let taken = 0;
  while ((await takeFrequentTurn(asked)).ok) taken += 1;
  expect(taken).toBeLessThanOrEqual(RATE_LIMITS.apiKey.burst);
}

describe("an API key that asks too often", () => {
  test("is told when to come again, stores nothing, keeps nobody else waiting, and goes on after that", async () => {
    let monotonicMs = 0;
    const restore = replaceEffects({ monotonicMs: () => monotonicMs });
    await useUp("busy shop");
    const before = await countRows();
    const refused = await createReminder(busy);
    expect(refused).toMatchObject({
      status: 429,
      body: {
        code: "rate_limited",
        status: 429,
        retryAfterSeconds: 1,
        type: "urn:punctual:problem:rate_limited",
      },
    });
    expect(refused.headers.get("content-type")).toBe("application/problem+json");
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(refused.headers.get("cache-control")).toContain("no-store");
    expect(await countRows()).toEqual(before);
    expect((await createReminder(quiet)).status).toBe(201);
    await testClock.advance(1000);
    monotonicMs += 1000;
    expect((await createReminder(busy)).status).toBe(201);
    restore();
  });

  test("is so on every route, also where its scope opens nothing, and however its header is spelled", async () => {
    const secret = newApiSecret();
    await storeApiKey("narrow", secret, ["notices"]);
    await useUp("narrow");
    const ways: [string, string][] = [
      ["GET", "/api/v1/reminders"],
      ["GET", "/api/v1/subscribers/ada"],
      ["GET", "/api/v1/subscribers/ada/export"],
      ["POST", "/api/v1/shipments/events"],
      ["POST", "/api/v1/notices"],
    ];
    for (const [method, path] of ways) {
      for (const scheme of ["Bearer", "bearer", "BEARER"]) {
        const headers = {
          authorization: `${scheme} ${secret}`,
          "x-forwarded-for": "198.51.100.9",
          "x-real-ip": "198.51.100.9",
        };
        const body = method === "GET" ? undefined : {};
        expect((await call(method, path, { headers, body })).status, `${method} ${path}`).toBe(429);
      }
    }
  });

  test("and a refused one does not push its own time away", async () => {
    await useUp("busy shop");
    for (let count = 0; count < 50; count += 1) expect((await createReminder(busy)).status).toBe(429);
    await testClock.advance(1000);
    expect((await createReminder(busy)).status).toBe(201);
  });
});

test("a key in a header that is too long to be one is nobody's", async () => {
  const headers = { authorization: `Bearer ${"k".repeat(100_000)}` };
  expect((await call("GET", "/api/v1/reminders", { headers })).status).toBe(401);
});

describe("a list that is too long is refused whole, with what is accepted", () => {
  const device = (index: number) => ({
    endpoint: `https://fcm.googleapis.com/fcm/send/${index}`,
    keys: { p256dh: `BA${"x".repeat(85)}`, auth: "y".repeat(22) },
  });
  const event = { shipment: "p", status: "in_transit", at: "2026-03-02T10:00:00Z" };
  test.each([
    [
      "PUT",
      "/api/v1/subscribers/long",
      { timeZone: "UTC", pushSubscriptions: Array.from({ length: 21 }, (_, i) => device(i)) },
      "pushSubscriptions",
    ],
    ["POST", "/api/v1/shipments/events", { events: Array(1001).fill(event) }, "events"],
    ["POST", "/api/v1/shipments/events", { events: [] }, "events"],
  ])("%s %s", async (method, path, body, field) => {
    const before = await countRows();
    const answer = await call(method, path, { key: quiet, body });
    expect(answer.status, answer.text).toBe(422);
    const error = answer.body.errors.find((one: { field: string }) => one.field === field);
    expect(error?.accepted, answer.text).toMatch(/\d/);
    expect(await countRows()).toEqual(before);
  });
});

test.each(["", " ", "k".repeat(256)])(
  "an Idempotency-Key of %j is refused with what is accepted",
  async (value) => {
    const before = await countRows();
    const answer = await createReminder(quiet, {}, { "idempotency-key": value });
    expect(answer).toMatchObject({
      status: 422,
      body: { errors: [{ field: "Idempotency-Key", accepted: "1 to 255 characters" }] },
    });
    expect(await countRows()).toEqual(before);
  },
);
