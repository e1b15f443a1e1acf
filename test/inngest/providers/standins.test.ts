import { afterEach, describe, expect, test } from "vitest";
import webPush from "web-push";
import { replaceEffects } from "../../../db/effects";
import { isUnpreparable, type PrepareInput, type ProviderAdapter } from "../../../inngest/providers/port";
import { createResendAdapter } from "../../../inngest/providers/resend";
import { createTwilioAdapter } from "../../../inngest/providers/twilio";
import { createWebPushAdapter } from "../../../inngest/providers/web-push";
import { createProviders, inProcessFetch } from "../../../standins/providers";

const BASE = "http://127.0.0.1:4010";
const vapid = webPush.generateVAPIDKeys();

let undo = () => {};
afterEach(() => undo());

/** The adapters against the stand-ins, without a socket; `send` sends one delivery and gives its answer. */
function stage() {
  const providers = createProviders({ baseUrl: BASE });
  undo = replaceEffects({ fetch: inProcessFetch(providers) as never });
  for (const name of ["resend", "twilio", "push"] as const) providers.control(name, { latencyMs: 0 });
  const device = providers.addPushDevice({ applicationServerKey: vapid.publicKey });
  const resend = createResendAdapter({
    apiKey: "re_test",
    baseUrl: `${BASE}/resend`,
    from: "Punctual <reminders@punctual.example>",
  });
  const twilio = createTwilioAdapter({
    accountSid: "AC00000000000000000000000000000000",
    authToken: "token",
    baseUrl: `${BASE}/twilio`,
    appUrl: "https://punctual.example",
  });
  const push = createWebPushAdapter({
    ...vapid,
    subject: "mailto:ops@punctual.example",
    extraHosts: ["127.0.0.1:4010"],
  });
  const inputs: Record<string, Pick<PrepareInput, "content" | "destination">> = {
    resend: {
      content: { subject: "Pick up parcel", html: "<p>Today</p>", text: "Today" },
      destination: { address: "ada@punctual.example" },
    },
    twilio: { content: { text: "Pick up parcel", segments: 1 }, destination: { address: "+4915112345678" } },
    push: {
      content: { title: "Pick up parcel", body: "Today", url: "https://shop.example/p/1" },
      destination: { endpoint: device.endpoint, ...device.keys },
    },
  };
  const adapters: Record<string, ProviderAdapter> = { resend, twilio, push };
  async function send(
    name: "resend" | "twilio" | "push",
    more: Partial<PrepareInput> = {},
    deadlineMs = 2000,
  ) {
    const adapter = adapters[name] as ProviderAdapter;
    const prepared = adapter.prepare({
      reference: "r".repeat(32),
      attemptId: "attempt-1",
      lane: "standard",
      partition: "sms:twilio:AC00000000000000000000000000000000:+15005550006",
      ...(inputs[name] as Pick<PrepareInput, "content" | "destination">),
      ...more,
    });
    if (isUnpreparable(prepared)) throw new Error(prepared.invalid);
    return adapter.send(prepared, { expiresInSeconds: 3600, signal: AbortSignal.timeout(deadlineMs) });
  }
  return { providers, device, send };
}

describe.each(["resend", "twilio", "push"] as const)("%s", (name) => {
  test("takes what the adapter sends, under the delivery's reference", async () => {
    const { providers, send } = stage();
    const answer = await send(name);
    expect(answer.outcome.class).toBe("accepted");
    expect(providers.ledger.calls(name)).toMatchObject([{ key: "r".repeat(32), accepted: true }]);
  });

  test.each(["reset", "close", "truncate", "html-502", "json-500", "null-500", "html-200", "empty-204"])(
    "with %s after acceptance the outcome is unknown, or known to be accepted",
    async (fault) => {
      const { providers, send } = stage();
      providers.control(name, { fault, faultWhen: "after", faultCount: 1 });
      const answer = await send(name);
      // A push service's 201 is the evidence, whatever became of the body.
      const known = name === "push" && fault === "truncate";
      expect(answer.outcome.class).toBe(known ? "accepted" : "ambiguous");
      expect(providers.ledger.calls(name).filter((call) => call.accepted)).toHaveLength(1);
    },
  );

  test("a hang is ended by the deadline, and unknown", async () => {
    const { providers, send } = stage();
    providers.control(name, { fault: "hang", faultWhen: "after", faultCount: 1 });
    expect(await send(name, {}, 30)).toMatchObject({ outcome: { class: "ambiguous" }, code: "TimeoutError" });
  });

  test("a refused connection was not sent", async () => {
    const { providers, send } = stage();
    providers.control(name, { fault: "refuse", faultCount: 1 });
    expect((await send(name)).outcome).toEqual({ class: "transient" });
  });

  test.each([
    ["seconds", "7", 7000],
    ["absent", null, null],
    ["soon", "soon", null],
    ["5, 10", "5, 10", 10_000],
    ["9223372036854775808", "9223372036854775808", 31_557_600_000_000],
  ])("a throttle with Retry-After %s", async (retryAfter, raw, retryAfterMs) => {
    const { providers, send } = stage();
    providers.control(name, { fault: "throttle", faultCount: 1, retryAfter, retryAfterSeconds: 7 });
    const answer = await send(name);
    expect(answer).toMatchObject({ outcome: { class: "throttled" }, retryAfterRaw: raw });
    const given = answer.outcome.class === "throttled" ? answer.outcome.retryAfterMs : undefined;
    // Without a readable header Resend still tells when its window resets.
    if (name === "resend" && retryAfterMs === null) expect(given).toBeGreaterThan(0);
    else expect(given).toBe(retryAfterMs);
  });

  test("a throttle until a date waits by the provider's clock", async () => {
    const { providers, send } = stage();
    providers.control(name, {
      fault: "throttle",
      faultCount: 1,
      retryAfter: "http-date",
      retryAfterSeconds: 7,
    });
    const { outcome } = await send(name);
    const given = outcome.class === "throttled" ? outcome.retryAfterMs : undefined;
    expect(given === 7000 || given === 8000).toBe(true);
  });

  test("a refused key is configuration, not the recipient", async () => {
    const { providers, send } = stage();
    providers.control(name, { fault: "unauthorized", faultCount: 1 });
    expect((await send(name)).outcome.class).toBe("config_rejected");
  });
});

test("Resend: a repeat after a lost answer is answered from the first and sent once", async () => {
  const { providers, send } = stage();
  providers.control("resend", { fault: "truncate", faultWhen: "after", faultCount: 1 });
  expect((await send("resend")).outcome.class).toBe("ambiguous");
  const second = await send("resend", { attemptId: "attempt-2", lane: "redrive" });
  expect(second.outcome.class).toBe("accepted");
  expect(providers.ledger.calls("resend").filter((call) => call.accepted)).toHaveLength(1);
});

test("Resend: other bytes under the same key need a person", async () => {
  const { send } = stage();
  await send("resend");
  const answer = await send("resend", { content: { subject: "Other", html: "<p>x</p>", text: "x" } });
  expect(answer).toMatchObject({
    outcome: { class: "ambiguous", needsReview: true },
    code: "invalid_idempotent_request",
  });
});

test("Resend: the quota is told from the rate", async () => {
  const { providers, send } = stage();
  providers.control("resend", { dailyQuota: 1, ratePerSecond: 4 });
  expect((await send("resend")).observedRatePerSecond).toBe(4);
  const answer = await send("resend", { reference: "s".repeat(32) });
  expect(answer).toMatchObject({ outcome: { class: "quota" }, code: "daily_quota_exceeded" });
});

test("Twilio: STOP is an opt-out of this number", async () => {
  const { providers, send } = stage();
  await send("twilio");
  providers.replyToSms({ from: "+4915112345678", body: "STOP" });
  expect(await send("twilio")).toMatchObject({
    outcome: { class: "destination_rejected", disposition: "opted_out" },
    code: "21610",
  });
});

test.each([
  ["+15005550001", "destination_rejected", "21211"],
  ["+15005550003", "config_rejected", "21408"],
  ["+15005550009", "destination_rejected", "21614"],
])("Twilio: the magic number %s is %s", async (address, outcome, code) => {
  const { send } = stage();
  expect(await send("twilio", { destination: { address } })).toMatchObject({
    outcome: { class: outcome },
    code,
  });
});

test("push: the device that unsubscribed is gone, a fresh one is not", async () => {
  const { providers, device, send } = stage();
  providers.removePushDevice(device.deviceId);
  expect((await send("push")).outcome).toEqual({ class: "destination_rejected", disposition: "gone" });
  const fresh = providers.addPushDevice({ applicationServerKey: vapid.publicKey });
  const again = await send("push", { destination: { endpoint: fresh.endpoint, ...fresh.keys } });
  expect(again.outcome.class).toBe("accepted");
});

test.each(["fcm", "mozilla", "apple", "wns"] as const)(
  "push: accepted by %s, and decrypted by the device",
  async (profile) => {
    const { providers, send } = stage();
    const device = providers.addPushDevice({ profile, applicationServerKey: vapid.publicKey });
    const answer = await send("push", { destination: { endpoint: device.endpoint, ...device.keys } });
    expect(answer.outcome.class).toBe("accepted");
    expect(JSON.stringify(providers.messages())).toContain("Pick up parcel");
  },
);
