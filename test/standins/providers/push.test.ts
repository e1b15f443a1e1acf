import { createECDH } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import webpush from "web-push";
import type { PushProfile } from "../../../standins/providers/index";
import { decryptPush, newDeviceKeys } from "../../../standins/providers/push-crypto";
import { NOTIFICATION, push, stage, VAPID } from "./stage";

// web-push stamps its tokens by the machine's clock.
const now = () => ({ startMs: Date.now() });

describe("a push", () => {
  test("is decrypted with the device's keys and shown to its reader", async () => {
    const { providers, send, finish } = stage(now());
    const device = providers.addPushDevice();
    const response = await finish(send(push(device, { topic: "topic-1", TTL: 60 })));
    expect(response.status).toBe(201);
    expect(response.headers.get("location")).toMatch(/^http:\/\/standins\.test\/push-messages\//);
    expect(providers.messages({ to: device.deviceId })).toMatchObject([
      {
        channel: "push",
        subject: "Water the plants",
        text: NOTIFICATION,
        url: "/reminders/1",
        key: "topic-1",
      },
    ]);
    expect(providers.ledger.calls("push")).toMatchObject([
      { key: "topic-1", destination: device.endpoint, accepted: true, status: 201 },
    ]);
  });

  test("of the same topic takes the former one's place on that device only", async () => {
    const { providers, send, finish } = stage(now());
    const [one, other] = [providers.addPushDevice(), providers.addPushDevice()];
    for (const device of [one, other, one]) await finish(send(push(device, { topic: "t" })));
    const [newest, untouched, oldest] = providers.messages();
    expect(oldest?.replacedBy).toBe(newest?.providerMessageId);
    expect([newest?.replacedBy, untouched?.replacedBy]).toEqual([null, null]);
    expect(providers.ledger.summary("push")).toMatchObject({ accepted: 3, distinctKeys: 1, duplicates: 2 });
  });

  test("opens whatever web-push encrypts, up to the largest record", () => {
    const text = fc.string({ unit: "grapheme", maxLength: 300 });
    fc.assert(
      fc.property(text, (plain) => {
        const keys = newDeviceKeys();
        const sealed = webpush.encrypt(keys.p256dh, keys.auth, plain, "aes128gcm").cipherText;
        expect(decryptPush(keys, sealed)).toBe(plain);
        const spoilt = Buffer.from(sealed);
        spoilt[spoilt.length - 1] = (spoilt[spoilt.length - 1] ?? 0) ^ 1;
        expect(decryptPush(keys, spoilt)).toBeNull();
        expect(decryptPush(newDeviceKeys(), sealed)).toBeNull();
      }),
      { numRuns: 25 },
    );
  });

  test("of 3993 bytes fits, one more byte is 413", async () => {
    const { providers, send, finish } = stage(now());
    const device = providers.addPushDevice();
    expect((await finish(send(push(device, {}, "x".repeat(3993))))).status).toBe(201);
    expect((await finish(send(push(device, {}, "x".repeat(3994))))).status).toBe(413);
    expect(providers.messages()).toMatchObject([{ text: "x".repeat(3993) }]);
  });

  test("that the device cannot decrypt is accepted, for the service cannot know", async () => {
    const { providers, send, finish } = stage(now());
    const device = providers.addPushDevice();
    const auth = providers.addPushDevice().keys.auth;
    const response = await finish(send(push({ ...device, keys: { ...device.keys, auth } })));
    expect(response.status).toBe(201);
    expect(providers.messages()).toMatchObject([{ text: null, note: expect.stringContaining("decrypt") }]);
  });
});

describe("a push service", () => {
  const invalid: [string, Record<string, string | null>, number][] = [
    ["without TTL", { ttl: null }, 400],
    ["with a TTL that is none", { ttl: "soon" }, 400],
    ["with a topic of other letters", { topic: "a b" }, 400],
    ["with too long a topic", { topic: "t".repeat(33) }, 400],
    ["with an urgency that is none", { urgency: "urgent" }, 400],
    ["without its encoding", { "content-encoding": null }, 400],
    ["with an old encoding", { "content-encoding": "aesgcm" }, 400],
    ["without a sender", { authorization: null }, 401],
    ["with a token that is none", { authorization: "vapid t=a.b.c, k=AAAA" }, 401],
  ];
  test.each(invalid)("refuses a push %s", async (_, headers, status) => {
    const { providers, send, finish } = stage(now());
    const device = providers.addPushDevice({ profile: "mozilla" });
    const response = await finish(send(push(device, {}, NOTIFICATION, headers)));
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ code: status, errno: expect.any(Number) });
    expect(providers.ledger.calls("push")).toMatchObject([{ accepted: false, status }]);
  });

  test("refuses a token for another audience, expired, too long, or signed by another key", async () => {
    const { providers, send, finish } = stage(now());
    const device = providers.addPushDevice({ profile: "mozilla" });
    const seconds = Math.floor(Date.now() / 1000);
    const token = (audience: string, expiration: number) =>
      webpush.getVapidHeaders(
        audience,
        "mailto:ops@punctual.shop",
        VAPID.publicKey,
        VAPID.privateKey,
        "aes128gcm",
        expiration,
      ).Authorization;
    const status = async (authorization: string) =>
      (await finish(send(push(device, {}, NOTIFICATION, { authorization })))).status;
    const good = token("http://standins.test", seconds + 3600);
    expect(await status(good)).toBe(201);
    expect(await status(token("http://elsewhere.test", seconds + 3600))).toBe(401);
    expect(await status(token("http://standins.test", seconds - 1))).toBe(401);
    const other = createECDH("prime256v1").generateKeys().toString("base64url");
    expect(await status(good.replace(/k=.*/, `k=${other}`))).toBe(401);
    // web-push itself makes no token that outlives 24 hours; a service with a slower clock sees one.
    const slow = stage({ startMs: Date.now() - 60_000 });
    const slowDevice = slow.providers.addPushDevice({ profile: "mozilla" });
    const longest = token("http://standins.test", seconds + 86_390);
    const early = push(slowDevice, {}, NOTIFICATION, { authorization: longest });
    expect((await slow.finish(slow.send(early))).status).toBe(401);
  });

  test("judges expiry by another clock when told to", async () => {
    const { providers, send, finish } = stage({ vapidNowMs: () => Date.now() });
    expect((await finish(send(push(providers.addPushDevice())))).status).toBe(201);
  });

  test("refuses another sender than the one subscribed to", async () => {
    const { providers, send, finish } = stage(now());
    const applicationServerKey = webpush.generateVAPIDKeys().publicKey;
    const device = providers.addPushDevice({ applicationServerKey });
    const response = await finish(send(push(device)));
    expect(response.status).toBe(403);
    expect(await response.text()).toContain("do not correspond to the credentials");
  });

  test("does not know an unknown device, and says when one is gone", async () => {
    const { providers, send, finish } = stage(now());
    const device = providers.addPushDevice();
    const unknown = push({ ...device, endpoint: `${device.endpoint}x` });
    expect((await finish(send(unknown))).status).toBe(404);
    providers.removePushDevice(device.deviceId);
    expect((await finish(send(push(device)))).status).toBe(410);
    expect(providers.messages()).toEqual([]);
  });

  const throttles: [PushProfile, number, RegExp][] = [
    ["fcm", 429, /Too many/],
    ["mozilla", 429, /"errno":201/],
    ["apple", 429, /"reason":"TooManyRequests"/],
    ["wns", 406, /^$/],
  ];
  test.each(throttles)("of %s throttles in its own words", async (profile, status, body) => {
    const { providers, send, finish } = stage(now());
    const device = providers.addPushDevice({ profile });
    providers.control("push", { fault: "throttle", faultCount: 1, retryAfterSeconds: 120 });
    const throttled = await finish(send(push(device)));
    expect(throttled.status).toBe(status);
    expect(throttled.headers.get("retry-after")).toBe("120");
    expect(await throttled.text()).toMatch(body);
    expect((await finish(send(push(device)))).status).toBe(201);
    expect(providers.ledger.summary("push")).toMatchObject({ accepted: 1, throttled: 1 });
  });

  test("of each kind accepts with its own headers", async () => {
    const { providers, send, finish } = stage(now());
    const headersOf = async (profile: PushProfile) =>
      (await finish(send(push(providers.addPushDevice({ profile }), { TTL: 3_000_000 })))).headers;
    expect((await headersOf("mozilla")).get("ttl")).toBe("2592000");
    expect((await headersOf("apple")).get("apns-id")).toBeTruthy();
    expect((await headersOf("wns")).get("x-wns-status")).toBe("received");
  });

  test("of Windows drops with a 2xx, and refuses TTL 0 without its cache policy", async () => {
    const { providers, send, finish } = stage(now());
    const device = providers.addPushDevice({ profile: "wns" });
    providers.control("push", { fault: "dropped", faultCount: 1 });
    const dropped = await finish(send(push(device)));
    expect(dropped.status).toBe(201);
    expect(dropped.headers.get("x-wns-status")).toBe("dropped");
    expect(providers.ledger.calls("push")).toMatchObject([
      { accepted: false, status: 201, fault: "dropped" },
    ]);
    expect((await finish(send(push(device, { TTL: 0 })))).status).toBe(400);
    const policy = { "x-wns-cache-policy": "no-cache" };
    expect((await finish(send(push(device, { TTL: 0 }, NOTIFICATION, policy)))).status).toBe(201);
  });
});
