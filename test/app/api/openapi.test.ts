import { beforeAll, describe, expect, test } from "vitest";
import { call, listOperations } from "./calls";
import { expectDocumented, served } from "./documented";
import { openShop, putSubscriber } from "./shop";

let key: string;

beforeAll(async () => {
  key = await openShop();
});

interface Operation {
  operationId: string;
  summary: string;
  tags: string[];
  security?: unknown[];
  parameters?: { in: string; name: string; required?: boolean }[];
  requestBody?: {
    content: Record<string, { examples?: Record<string, { value: Record<string, unknown> }> }>;
  };
  responses: Record<string, unknown>;
}

const operations = Object.entries(served.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path}`,
    ...(operation as unknown as Operation),
  })),
);

describe("the OpenAPI document", () => {
  test("is served to anybody, and has every route and no other", async () => {
    const answer = await call("GET", "/api/v1/openapi.json");
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual(served);
    expect(operations.map(({ name }) => name).sort()).toEqual(await listOperations());
  });

  test("refers only to what is in it", () => {
    const references = [...JSON.stringify(served).matchAll(/"\$ref":"#\/components\/(\w+)\/(\w+)"/g)];
    expect(references.length).toBeGreaterThan(10);
    const components: Record<string, Record<string, unknown>> = served.components;
    for (const [reference, kind = "", name = ""] of references) {
      expect(components[kind]?.[name], reference).toBeDefined();
    }
  });

  test("tells of every operation what it is, its path's parameters and how it fails", () => {
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { name, summary, tags, parameters = [], responses, security } of operations) {
      expect(summary, name).toMatch(/^[A-Z].*[^.]$/);
      expect(tags, name).toHaveLength(1);
      const inPath = parameters
        .filter((parameter) => parameter.in === "path")
        .map((parameter) => parameter.name);
      expect(inPath, name).toEqual([...name.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter));
      const isPublic = security?.length === 0;
      for (const status of ["401", "500", "503"]) {
        if (!isPublic) expect(Object.keys(responses), name).toContain(status);
      }
    }
  });

  test("offers an Idempotency-Key on every POST, and on nothing that may be repeated as it is", () => {
    for (const { name, parameters = [] } of operations) {
      const offered = parameters.some((parameter) => parameter.name === "Idempotency-Key");
      expect(offered, name).toBe(name.startsWith("POST "));
    }
  });

  test("has examples that are accepted", async () => {
    await putSubscriber(key, "shopper-1", {
      timeZone: "Europe/Berlin",
      email: "ada@shopper.example",
      phone: "+12025550123",
      verified: true,
      pushSubscriptions: [
        {
          endpoint: "https://fcm.googleapis.com/x",
          keys: { p256dh: `BA${"x".repeat(85)}`, auth: "y".repeat(22) },
        },
      ],
    });
    let id = "";
    let tried = 0;
    for (const { name, requestBody } of operations) {
      for (const { value } of Object.values(requestBody?.content["application/json"]?.examples ?? {})) {
        const [method = "", path = ""] = name.split(" ");
        const filled = path.replace("{id}", id).replace(/\{externalId\}|\{subscriber\}/, "shopper-1");
        const answer = await call(method, filled, { key, body: value });
        expect(answer.status, `${name}: ${answer.text}`).toBeLessThan(300);
        if (name === "POST /api/v1/reminders") id = answer.body.id;
        tried += 1;
      }
    }
    expect(tried).toBeGreaterThanOrEqual(5);
  });
});

// Every answer in this folder is held to the document by `call`; this holds the holder to its word.
describe("an answer that is not as documented is found", () => {
  const reminder = {
    id: "0b6cf4c1-5a2e-4f6e-9c8e-3f6f0d1c2b3a",
    subscriber: "ada",
    title: "Pay the rent",
    note: null,
    url: null,
    dueAt: "2026-12-24T08:00:00.000Z",
    timeZone: "Europe/Berlin",
    channels: ["email"],
    expiresAfterSeconds: 86_400,
    repeat: null,
    floating: false,
    throughQuietHours: false,
    nextChannelAfterMinutes: null,
    checkUrl: null,
    status: "active",
    version: 1,
    occurrence: "0b6cf4c1-5a2e-4f6e-9c8e-3f6f0d1c2b3b",
    createdAt: "2026-03-02T12:00:00.000Z",
    updatedAt: "2026-03-02T12:00:00.000Z",
  };
  const json = new Headers({ "content-type": "application/json", location: "/" });
  const hold = (body: object, status = 201, headers = json) =>
    expectDocumented("POST /api/v1/reminders", { status, headers, body });

  test("while a right one passes", () => {
    expect(() => hold(reminder)).not.toThrow();
  });

  test.each([
    ["a member more", { ...reminder, subscriberId: "x" }],
    ["a member less", { ...reminder, url: undefined }],
    ["another type", { ...reminder, version: "1" }],
    ["an instant without zone", { ...reminder, dueAt: "2026-12-24T08:00:00" }],
    ["an unknown word", { ...reminder, status: "postponed" }],
    ["null", { ...reminder, title: null }],
    ["a nested object instead of an id", { ...reminder, occurrence: { id: reminder.occurrence } }],
  ])("by %s", (_what, body) => {
    expect(() => hold(body)).toThrow();
  });

  test("by an undocumented status, content type or a missing header", () => {
    expect(() => hold(reminder, 202)).toThrow();
    expect(() => hold(reminder, 201, new Headers({ "content-type": "text/plain", location: "/" }))).toThrow();
    expect(() => hold(reminder, 201, new Headers({ "content-type": "application/json" }))).toThrow();
  });
});
