import { createHmac } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { resetConfig } from "../../../db/config";
import { replaceEffects } from "../../../db/effects";
import { type Answer, call } from "./calls";
import { openShop, putSubscriber, query } from "./shop";

const SECRET = "a-secret-of-the-webhook";

let key: string;
let restore: () => void;

beforeAll(async () => {
  process.env.AFTERSHIP_WEBHOOK_SECRET = SECRET;
  resetConfig();
  key = await openShop();
  await putSubscriber(key, "ada");
});

afterAll(() => {
  delete process.env.AFTERSHIP_WEBHOOK_SECRET;
  resetConfig();
});

beforeEach(async () => {
  restore = replaceEffects({ fetch: async () => Response.json({ ids: ["event"], status: 200 }) });
  await query("truncate shipments cascade");
});

afterEach(() => restore());

const SCAN = {
  eventId: "e-1",
  shipment: "parcel-1",
  order: "4711",
  status: "in_transit",
  occurredAt: "2026-03-02T09:00:00+01:00",
};

const report = (body: unknown, headers = {}): Promise<Answer> =>
  call("POST", "/api/v1/shipments/events", { key, body, headers });

describe("POST /api/v1/shipments/events", () => {
  test("takes one scan, and says of the same one again that it is known", async () => {
    expect((await report(SCAN)).body.results).toEqual([
      { eventId: "e-1", shipment: "parcel-1", outcome: "announced", version: 1 },
    ]);
    expect((await report(SCAN)).body.results[0]).toMatchObject({ outcome: "duplicate", version: null });
  });

  test("takes a thousand, and refuses one more or none", async () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, index) => ({
        ...SCAN,
        eventId: `e-${index}`,
        shipment: `p-${index}`,
      }));
    expect((await report({ events: many(1_000) })).body.results).toHaveLength(1_000);
    expect(await report({ events: many(1_001) })).toMatchObject({
      status: 422,
      body: { errors: [{ field: "events" }] },
    });
    expect((await report({ events: [] })).status).toBe(422);
  });

  test("with the same Idempotency-Key answers as before, and records nothing more", async () => {
    const first = await report(SCAN, { "idempotency-key": "import-1" });
    const again = await report(SCAN, { "idempotency-key": "import-1" });
    expect(again.body).toEqual(first.body);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    const other = await report({ ...SCAN, eventId: "e-2" }, { "idempotency-key": "import-1" });
    expect(other).toMatchObject({ status: 422, body: { code: "idempotency_mismatch" } });
  });

  test.each([
    ["occurredAt", "2026-03-02T09:00:00"],
    ["occurredAt", "2026-02-30T09:00:00Z"],
    ["occurredAt", 1_772_000_000],
    ["status", "lost"],
    ["shipment", "a b"],
    ["shipment", "a/b"],
    ["eventId", ""],
    ["detail", "two\nlines"],
    ["detail", "a\u0000b"],
    ["url", "javascript:alert(1)"],
    ["expectedOn", "2026-02-30"],
    ["colour", "red"],
  ])("names %s when it is %j, and stores nothing of the batch", async (field, value) => {
    const answer = await report({ events: [SCAN, { ...SCAN, eventId: "e-2", [field]: value }] });
    expect(answer.status).toBe(422);
    expect(answer.body.errors.map((error: { field: string }) => error.field)).toContain(`events.1.${field}`);
    expect(await query("select 1 from shipments")).toEqual([]);
  });
});

describe("AfterShip's webhook", () => {
  const body = JSON.stringify({
    event: "tracking_update",
    event_id: "5b1d1c2e",
    ts: 1_772_000_000,
    msg: { tracking_number: "936", slug: "usps", tag: "Delivered", order_id: "4711" },
  });
  const sign = (text: string, secret = SECRET) => createHmac("sha256", secret).update(text).digest("base64");
  const deliver = (text: string, signature: string) =>
    call("POST", "/api/v1/shipments/events", { body: text, headers: { "aftership-hmac-sha256": signature } });

  test("is recorded under its signature, once", async () => {
    const [first, again] = [await deliver(body, sign(body)), await deliver(body, sign(body))];
    expect(first.body.results).toEqual([
      { eventId: "5b1d1c2e", shipment: "usps:936", outcome: "announced", version: 1 },
    ]);
    expect(again.body.results[0].outcome).toBe("duplicate");
  });

  test("what announces nothing is taken and recorded nowhere", async () => {
    const estimate = body.replace("tracking_update", "edd_revise");
    expect(await deliver(estimate, sign(estimate))).toMatchObject({ status: 200, body: { results: [] } });
  });

  test.each([
    ["of another body", sign(`${body} `)],
    ["with another secret", sign(body, "another-secret-of-16")],
    ["that is empty", ""],
    ["that is no base64", "%%%"],
  ])("a signature %s is nobody's", async (_what, signature) => {
    expect((await deliver(body, signature)).status).toBe(401);
  });

  test("without a secret nobody is let in", async () => {
    delete process.env.AFTERSHIP_WEBHOOK_SECRET;
    resetConfig();
    try {
      expect((await deliver(body, sign(body, "undefined"))).status).toBe(401);
      expect((await deliver(body, sign(body))).status).toBe(401);
    } finally {
      process.env.AFTERSHIP_WEBHOOK_SECRET = SECRET;
      resetConfig();
    }
  });
});

describe("followers", () => {
  const path = "/api/v1/shipments/parcel-1/followers/ada";

  test("follow, change and leave, and the parcel tells its history and its link", async () => {
    const followed = await call("PUT", path, { key, body: { channels: ["email"], order: "4711" } });
    expect(followed).toMatchObject({
      status: 200,
      body: { policy: "latest", status: "pending", version: 0 },
    });
    await report(SCAN);
    const changed = await call("PUT", path, { key, body: { channels: ["sms"], policy: "every" } });
    expect(changed.body).toMatchObject({ channels: ["sms"], policy: "every", version: 1 });
    const parcel = await call("GET", "/api/v1/shipments/parcel-1", { key });
    expect(parcel.body).toMatchObject({
      order: "4711",
      status: "in_transit",
      history: [{ outcome: "announced" }],
    });
    expect(parcel.body.followUrl).toMatch(/\/shipments\/[0-9a-f-]{36}$/);
    expect((await call("DELETE", path, { key })).body).toEqual({ following: false });
  });

  test.each([
    [path, { channels: [] }, "channels"],
    [path, { channels: ["push"] }, "channels"],
    [path, { channels: ["email"], milestones: ["eaten"] }, "milestones.0"],
    [path, { channels: ["email"], policy: "some" }, "policy"],
    ["/api/v1/shipments/parcel-1/followers/nobody", { channels: ["email"] }, "subscriber"],
    ["/api/v1/shipments/a%20b/followers/ada", { channels: ["email"] }, "id"],
  ])("PUT %s %j names %s", async (where, body, field) => {
    const answer = await call("PUT", where, { key, body });
    expect(answer).toMatchObject({ status: 422, body: { errors: [{ field }] } });
  });

  test("a parcel that does not exist, or cannot, is not found", async () => {
    for (const id of ["unknown", "a%00b", "x".repeat(201)]) {
      expect((await call("GET", `/api/v1/shipments/${id}`, { key })).status).toBe(404);
    }
  });
});
