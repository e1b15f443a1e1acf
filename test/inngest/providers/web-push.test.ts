import { createECDH } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import webPush from "web-push";
import { replaceEffects } from "../../../db/effects";
import { isUnpreparable, type PrepareInput } from "../../../inngest/providers/port";
import { createWebPushAdapter } from "../../../inngest/providers/web-push";
import { decryptPush } from "../../../standins/providers/push-crypto";
import { type ProviderServer, type Script, startProviderServer } from "./provider-server";

const REFERENCE = "vIc1sHbVqzOa2lVnSlyhjA0bQ4rF8kXy";
const vapid = webPush.generateVAPIDKeys();
const device = deviceKeys();

let server: ProviderServer;
let undo = () => {};
beforeAll(async () => {
  server = await startProviderServer();
});
afterEach(() => undo());
afterAll(() => server.close());

function deviceKeys() {
  const curve = createECDH("prime256v1");
  const p256dh = curve.generateKeys().toString("base64url");
  return { p256dh, auth: Buffer.alloc(16, 7).toString("base64url"), privateKey: curve.getPrivateKey() };
}

const adapter = (more: Partial<Parameters<typeof createWebPushAdapter>[0]> = {}) =>
  createWebPushAdapter({
    ...vapid,
    subject: "mailto:ops@punctual.example",
    extraHosts: ["127.0.0.1"],
    ...more,
  });

function input(more: Partial<PrepareInput> = {}, path = "/push/device-1"): PrepareInput {
  return {
    reference: REFERENCE,
    attemptId: "1f0c8e0e-0000-4000-8000-000000000001",
    content: { title: "Pick up parcel 😀", body: "Today", url: "https://shop.example/p/1" },
    destination: { endpoint: `${server.url}${path}`, p256dh: device.p256dh, auth: device.auth },
    partition: "push:127.0.0.1",
    lane: "standard",
    ...more,
  };
}

function prepared(more: Partial<PrepareInput> = {}) {
  const made = adapter().prepare(input(more));
  if (isUnpreparable(made) || made.provider !== "web-push") throw new Error("not prepared");
  return made;
}

async function send(
  script: Script,
  more: Partial<PrepareInput> = {},
  expiresInSeconds = 3600,
  by = adapter(),
) {
  server.script = script;
  const answer = await by.send(prepared(more), { expiresInSeconds, signal: AbortSignal.timeout(5000) });
  return { answer, request: server.received.at(-1) };
}

test("is collapsing, with ten seconds for a call", () => {
  expect(adapter()).toMatchObject({
    provider: "web-push",
    channel: "push",
    repeat: "collapsing",
    deadlineMs: 10_000,
  });
});

describe("the request", () => {
  test("is encrypted for the device, with the reference as topic and tag", async () => {
    const { answer, request } = await send({
      status: 201,
      headers: { location: "https://push.example/m/0:16%2599" },
    });
    expect(answer).toEqual({
      outcome: { class: "accepted", providerMessageId: "0:16%2599" },
      status: 201,
      code: null,
      retryAfterRaw: null,
      providerMessageId: "0:16%2599",
      detail: null,
      observedRatePerSecond: null,
    });
    expect(request).toMatchObject({ method: "POST", url: "/push/device-1" });
    expect(request?.headers).toMatchObject({
      topic: REFERENCE,
      ttl: "3600",
      urgency: "normal",
      "content-encoding": "aes128gcm",
      "content-type": "application/octet-stream",
      "content-length": String(request?.body.length),
    });
    expect(request?.headers.authorization).toMatch(/^vapid t=.+, k=.+/);
    expect(request?.headers["x-wns-cache-policy"]).toBeUndefined();
    expect(JSON.parse(decryptPush(device, request?.body ?? Buffer.alloc(0)) ?? "")).toEqual({
      title: "Pick up parcel 😀",
      body: "Today",
      url: "https://shop.example/p/1",
      tag: REFERENCE,
    });
  });

  test.each([
    ["urgent", "high"],
    ["standard", "normal"],
    ["bulk", "low"],
    ["redrive", "normal"],
  ] as const)("of the %s lane is of %s urgency", async (lane, urgency) => {
    expect((await send({ status: 201 }, { lane })).request?.headers.urgency).toBe(urgency);
  });

  test.each([
    [1.9, "1"],
    [86_400, "86400"],
    [Number.POSITIVE_INFINITY, "2419200"],
  ])("%d s of usefulness are a TTL of %s", async (expiresInSeconds, ttl) => {
    expect((await send({ status: 201 }, {}, expiresInSeconds)).request?.headers.ttl).toBe(ttl);
  });

  test("asks Windows to keep the message, as its TTL does", async () => {
    const calls: [string, RequestInit | undefined][] = [];
    undo = replaceEffects({
      fetch: async (url, init) => {
        calls.push([String(url), init]);
        return new Response(null, { status: 200, headers: { "x-wns-status": "received" } });
      },
    });
    const endpoint = "https://db5p.notify.windows.com/w/?token=abc";
    const { answer } = await send({ status: 500 }, { destination: { endpoint, ...device } });
    expect(answer.outcome.class).toBe("accepted");
    expect(calls[0]?.[0]).toBe(endpoint);
    expect(calls[0]?.[1]).toMatchObject({ redirect: "manual", headers: { "X-WNS-Cache-Policy": "cache" } });
  });

  test("is signed once per service and hour, and anew after a refusal", async () => {
    let monotonicMs = 1000;
    undo = replaceEffects({ monotonicMs: () => monotonicMs });
    const by = adapter();
    const authorization = async (status = 201) => {
      const { request } = await send({ status }, {}, 60, by);
      return request?.headers.authorization;
    };
    const first = await authorization();
    monotonicMs += 3_599_999;
    expect(await authorization()).toBe(first);
    monotonicMs += 1;
    const second = await authorization(403);
    expect(second).not.toBe(first);
    expect(await authorization()).not.toBe(second);
  });

  test("is hashed over endpoint, topic and plain text, not over lane, attempt or encryption", () => {
    const hash = prepared().contentHash;
    expect(prepared({ attemptId: "another", lane: "urgent" }).contentHash).toBe(hash);
    expect(prepared({ reference: "A".repeat(32) }).contentHash).not.toBe(hash);
    expect(
      prepared({ content: { title: "Other", body: "", url: "https://shop.example/" } }).contentHash,
    ).not.toBe(hash);
  });

  test("never carries more than a push service must take", async () => {
    const content = { title: "€".repeat(1500), body: "😀".repeat(1100), url: "https://shop.example/p/1" };
    const { request } = await send({ status: 201 }, { content });
    expect(request?.body.length).toBeLessThanOrEqual(4096);
    expect(JSON.parse(decryptPush(device, request?.body ?? Buffer.alloc(0)) ?? "").url).toBe(content.url);
  });
});

test.each([
  [
    "a short key",
    { destination: { endpoint: "https://fcm.googleapis.com/x", p256dh: "AAAA", auth: device.auth } },
    "destination_rejected",
  ],
  [
    "a short secret",
    { destination: { endpoint: "https://fcm.googleapis.com/x", p256dh: device.p256dh, auth: "AA" } },
    "destination_rejected",
  ],
  ["an address", { destination: { address: "a@punctual.example" } }, "message_rejected"],
  [
    "an endless link",
    { content: { title: "x", body: "", url: `https://x.example/${"x".repeat(4000)}` } },
    "message_rejected",
  ],
  ["content that was wiped", { content: null as never }, "message_rejected"],
])("%s cannot be prepared", (_, more, outcome) => {
  expect(adapter().prepare(input(more))).toMatchObject({ outcome: { class: outcome } });
});

describe("answers", () => {
  test.each([404, 410])("%d retires the subscription", async (status) => {
    expect((await send({ status })).answer.outcome).toEqual({
      class: "destination_rejected",
      disposition: "gone",
    });
  });

  test("429 is of unknown scope and names its time", async () => {
    const { answer } = await send({ status: 429, headers: { "retry-after": "30" }, body: "slow down" });
    expect(answer).toMatchObject({
      outcome: { class: "throttled", scope: "unknown", retryAfterMs: 30_000 },
      retryAfterRaw: "30",
      detail: "slow down",
    });
  });

  test("a redirect is not followed", async () => {
    const { answer } = await send({ status: 307, headers: { location: `${server.url}/internal` } });
    expect(answer.outcome.class).toBe("ambiguous");
    expect(server.received.at(-1)?.url).toBe("/push/device-1");
  });

  test("an endpoint that comes back in an answer is not stored", async () => {
    const script = { status: 201, headers: { location: `${server.url}/push/device-1` } };
    const { answer } = await send(script);
    expect(answer).toMatchObject({ outcome: { providerMessageId: null }, providerMessageId: null });
    const refused = await send({ status: 400, body: `bad ${server.url}/push/device-1 here` });
    expect(refused.answer.detail).toBe("bad (link) here");
  });

  test.each(["reset", "close", "garbage"] as const)("%s is unknown", async (script) => {
    expect((await send(script)).answer.outcome.class).toBe("ambiguous");
  });

  test("a 201 whose body is cut off is still a 201, and does not hang", async () => {
    expect((await send("truncate")).answer.outcome.class).toBe("accepted");
  });
});

describe("no byte leaves", () => {
  test.each([
    "http://127.0.0.1:9/push/1",
    "https://evil.example/push/1",
    "https://fcm.googleapis.com.evil.example/push/1",
    "http://169.254.169.254/latest/meta-data",
  ])("for %s, which is no push service", async (endpoint) => {
    const before = server.received.length;
    const by = adapter({ extraHosts: [] });
    const { answer } = await send({ status: 201 }, { destination: { ...device, endpoint } }, 60, by);
    expect(answer.outcome).toEqual({ class: "destination_rejected", disposition: "dead" });
    expect(answer.detail).not.toContain("evil");
    expect(server.received.length).toBe(before);
  });

  test("with keys that are none: that is configuration", async () => {
    const { answer } = await send({ status: 201 }, {}, 60, adapter({ privateKey: "x" }));
    expect(answer.outcome).toEqual({ class: "config_rejected" });
  });

  test.each([0, 0.5, -3, Number.NaN])("with %d s left", async (expiresInSeconds) => {
    expect((await send({ status: 201 }, {}, expiresInSeconds)).answer.outcome).toEqual({ class: "not_made" });
  });
});
