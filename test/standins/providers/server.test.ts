import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Resend } from "resend";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import webpush from "web-push";
import { type ProvidersServer, startProvidersServer } from "../../../standins/providers/server";
import { basic, NOTIFICATION, VAPID } from "./stage";

let server: ProvidersServer;
/** An app that only notes the type of each Resend webhook. */
const told: string[] = [];
const app = createServer((request, response) => {
  let body = "";
  request.on("data", (chunk) => {
    body += chunk;
  });
  request.on("end", () => {
    told.push(JSON.parse(body).type);
    response.writeHead(404).end();
  });
});

beforeAll(async () => {
  await new Promise<void>((resolve) => app.listen(0, "127.0.0.1", resolve));
  const appUrl = `http://127.0.0.1:${(app.address() as AddressInfo).port}`;
  server = await startProvidersServer({ port: 0, appUrl });
});
afterAll(async () => {
  await server.close();
  app.close();
});
beforeEach(async () => {
  await fetch(`${server.url}/reset`, { method: "POST" });
});

const call = async (method: string, path: string, body?: unknown) => {
  const response = await fetch(server.url + path, {
    method,
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
};

describe("the server", () => {
  test("serves the Resend SDK by its base URL, and survives an app that answers 404", async () => {
    await call("PUT", "/control/resend", { receiptDelayMs: 0 });
    const resend = new Resend("re_test", { baseUrl: `${server.url}/resend` });
    const mail = { from: "P <p@punctual.shop>", to: "ada@shopper.example", subject: "Hi", html: "<p>Yo</p>" };
    const { data } = await resend.emails.send(mail, { idempotencyKey: "k1" });
    const { body } = await call("GET", "/inbox.json?to=ada@shopper.example");
    expect(body).toMatchObject([
      {
        channel: "email",
        to: "ada@shopper.example",
        subject: "Hi",
        html: "<p>Yo</p>",
        key: "k1",
        providerMessageId: data?.id,
      },
    ]);
    await expect
      .poll(async () => (await call("GET", "/receipts")).body.map(({ status }: { status: number }) => status))
      .toEqual([404, 404]);
    expect(told).toEqual(["email.sent", "email.delivered"]);
  });

  test("serves a push that web-push encrypted, to a device made over HTTP", async () => {
    const { body: device } = await call("POST", "/push-devices", { profile: "mozilla" });
    expect(device).toEqual({
      deviceId: expect.any(String),
      endpoint: `${server.url}/push/${device.deviceId}`,
      keys: { p256dh: expect.any(String), auth: expect.any(String) },
    });
    const vapidDetails = { subject: "mailto:ops@punctual.shop", ...VAPID };
    const details = webpush.generateRequestDetails(device, NOTIFICATION, { vapidDetails, topic: "t" });
    const send = () =>
      fetch(details.endpoint, {
        method: "POST",
        headers: details.headers as HeadersInit,
        body: details.body as BodyInit,
      });
    expect((await send()).status).toBe(201);
    expect((await call("GET", "/inbox.json?channel=push")).body).toMatchObject([
      { text: NOTIFICATION, key: "t" },
    ]);
    await call("DELETE", `/push-devices/${device.deviceId}`);
    expect((await send()).status).toBe(410);
    expect((await call("POST", "/push-devices", { profile: "opera" })).status).toBe(422);
  });

  test("finds a number whose plus sign arrived as a space", async () => {
    const body = new URLSearchParams({ To: "+15551234567", From: "+15005550006", Body: "Hi" });
    const path = "/twilio/2010-04-01/Accounts/AC00000000000000000000000000000001/Messages.json";
    await fetch(server.url + path, { method: "POST", headers: basic(), body });
    expect((await call("GET", "/inbox.json?to=+15551234567")).body).toHaveLength(1);
  });

  test("answers an unknown address and a wrong provider with a problem", async () => {
    expect((await call("GET", "/nowhere")).body).toMatchObject({
      status: 404,
      detail: expect.stringContaining("/ledger"),
    });
    expect((await call("PUT", "/control/sendgrid", {})).status).toBe(404);
    expect((await call("GET", "/ledger?provider=sendgrid")).status).toBe(422);
    expect((await call("GET", "/health")).body).toEqual({ ok: true });
  });
});

describe("the control address", () => {
  test("changes in part, shows, and restores", async () => {
    const { body } = await call("PUT", "/control/twilio", {
      ratePerSecond: 2,
      burst: 1,
      fault: "throttle",
      faultCount: 3,
    });
    expect(body).toMatchObject({
      ratePerSecond: 2,
      burst: 1,
      fault: "throttle",
      faultCount: 3,
      latencyMs: 20,
    });
    expect((await call("PUT", "/control/twilio", { latencyMs: 5 })).body).toMatchObject({
      fault: "throttle",
      latencyMs: 5,
    });
    expect((await call("GET", "/control/twilio")).body).toMatchObject({ ratePerSecond: 2, latencyMs: 5 });
    expect((await call("PUT", "/control/twilio", { fault: "hang" })).body).toMatchObject({
      faultCount: null,
    });
    expect((await call("DELETE", "/control/twilio")).body).toMatchObject({
      ratePerSecond: 50,
      burst: 10,
      fault: null,
    });
  });

  const bad: [string, unknown, string][] = [
    ["resend", { ratePerSecond: 0 }, "ratePerSecond"],
    ["resend", { ratePerSecond: "5" }, "ratePerSecond"],
    ["resend", { burst: 1.5 }, "burst"],
    ["resend", { retryAfter: 5 }, "retryAfter"],
    ["resend", { retryAfter: "a\nb" }, "retryAfter"],
    ["resend", { fault: "gone" }, "fault"],
    ["resend", { fault: "error:21610" }, "fault"],
    ["twilio", { fault: "error:99999" }, "fault"],
    ["twilio", { fault: "callback:21610" }, "fault"],
    ["push", { fault: "html-99" }, "fault"],
    ["push", { faultWhen: "during" }, "faultWhen"],
    ["push", { faultCount: -1 }, "faultCount"],
    ["push", { toString: 1 }, "toString"],
    ["push", [], "(body)"],
    ["push", undefined, "(body)"],
  ];
  test.each(bad)("at %s refuses %j, names the field and changes nothing", async (provider, change, field) => {
    const before = (await call("GET", `/control/${provider}`)).body;
    const { status, body } = await call("PUT", `/control/${provider}`, change);
    expect(status).toBe(422);
    expect(body).toMatchObject({
      field,
      accepted: expect.any(String),
      detail: expect.stringContaining(field),
    });
    expect((await call("GET", `/control/${provider}`)).body).toEqual(before);
  });

  test("takes back what it showed", async () => {
    const { body } = await call("GET", "/control/push");
    expect((await call("PUT", "/control/push", body)).body).toEqual(body);
  });
});

describe("the ledger address", () => {
  test("shows every call and sums them up, by provider and in all", async () => {
    const resend = new Resend("re_test", { baseUrl: `${server.url}/resend` });
    const mail = { from: "P <p@punctual.shop>", to: "ada@shopper.example", subject: "Hi", html: "<p>Yo</p>" };
    for (const key of ["a", "a", "b"]) await resend.emails.send(mail, { idempotencyKey: key });
    await call("PUT", "/control/resend", { fault: "throttle" });
    await resend.emails.send(mail, { idempotencyKey: "c" });
    const { body } = await call("GET", "/ledger?provider=resend");
    expect(
      body.map(({ key, accepted, status, repeat }: Record<string, unknown>) => [
        key,
        accepted,
        status,
        repeat,
      ]),
    ).toEqual([
      ["a", true, 200, false],
      ["a", false, 200, true],
      ["b", true, 200, false],
      ["c", false, 429, false],
    ]);
    const summary = { accepted: 2, distinctKeys: 2, duplicates: 0, throttled: 1, maxInOneSecond: 4 };
    expect((await call("GET", "/ledger/summary?provider=resend")).body).toEqual(summary);
    const all = (await call("GET", "/ledger/summary")).body;
    expect(all).toMatchObject({ ...summary, providers: { resend: summary, twilio: { accepted: 0 } } });
    await call("DELETE", "/ledger");
    expect((await call("GET", "/ledger")).body).toEqual([]);
  });
});
