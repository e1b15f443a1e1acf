import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isUnpreparable, type PrepareInput } from "../../../inngest/providers/port";
import { createTwilioAdapter, twilioCallbackUrl } from "../../../inngest/providers/twilio";
import { type ProviderServer, type Script, startProviderServer } from "./provider-server";

const REFERENCE = "vIc1sHbVqzOa2lVnSlyhjA0bQ4rF8kXy";
const ATTEMPT = "1f0c8e0e-0000-4000-8000-000000000001";
const ACCOUNT = "AC00000000000000000000000000000000";
const SID = "SM00000000000000000000000000000001";

let server: ProviderServer;
beforeAll(async () => {
  server = await startProviderServer();
});
afterAll(() => server.close());

const adapter = (more: { accountSid?: string } = {}) =>
  createTwilioAdapter({
    accountSid: ACCOUNT,
    authToken: "token",
    baseUrl: `${server.url}/twilio`,
    appUrl: "https://punctual.example",
    ...more,
  });

function input(more: Partial<PrepareInput> = {}): PrepareInput {
  return {
    reference: REFERENCE,
    attemptId: ATTEMPT,
    content: { text: "Pick up parcel & Grüße 😀\nhttps://shop.example/p?a=1", segments: 1 },
    destination: { address: "+4915112345678" },
    partition: `sms:twilio:${ACCOUNT}:+15005550006`,
    lane: "standard",
    ...more,
  };
}

function prepared(more: Partial<PrepareInput> = {}) {
  const made = adapter().prepare(input(more));
  if (isUnpreparable(made)) throw new Error(made.invalid);
  return made;
}

async function send(
  script: Script,
  expiresInSeconds = 3600,
  signal = AbortSignal.timeout(5000),
  by = adapter(),
  more: Partial<PrepareInput> = {},
) {
  server.script = script;
  const answer = await by.send(prepared(more), { expiresInSeconds, signal });
  const request = server.received.at(-1);
  return { answer, request, form: Object.fromEntries(new URLSearchParams(request?.body.toString("utf8"))) };
}

const CREATED: Script = {
  status: 201,
  body: JSON.stringify({ sid: SID, status: "queued", num_segments: "1", error_code: null }),
};

test("is blind, with thirty seconds for a call", () => {
  expect(adapter()).toMatchObject({
    provider: "twilio",
    channel: "sms",
    repeat: "blind",
    deadlineMs: 30_000,
  });
});

describe("the request", () => {
  test("is the SDK's, at the given base address, with reference and attempt in the callback", async () => {
    const { answer, request, form } = await send(CREATED);
    expect(answer).toEqual({
      outcome: { class: "accepted", providerMessageId: SID },
      status: 201,
      code: null,
      retryAfterRaw: null,
      providerMessageId: SID,
      detail: null,
      observedRatePerSecond: null,
    });
    expect(request).toMatchObject({
      method: "POST",
      url: `/twilio/2010-04-01/Accounts/${ACCOUNT}/Messages.json`,
    });
    expect(request?.headers).toMatchObject({
      authorization: `Basic ${Buffer.from(`${ACCOUNT}:token`).toString("base64")}`,
      "content-type": "application/x-www-form-urlencoded",
      connection: "close",
    });
    expect(request?.headers["user-agent"]).toMatch(/^twilio-node\//);
    expect(form).toEqual({
      To: "+4915112345678",
      From: "+15005550006",
      Body: "Pick up parcel & Grüße 😀\nhttps://shop.example/p?a=1",
      SmartEncoded: "true",
      ValidityPeriod: "3600",
      StatusCallback: `https://punctual.example/api/webhooks/twilio?d=${REFERENCE}&a=${ATTEMPT}`,
    });
  });

  test.each([
    [1.9, "1"],
    [59.9, "59"],
    [36_000, "36000"],
    [1_000_000, "36000"],
    [Number.POSITIVE_INFINITY, "36000"],
  ])("%d s of usefulness are a validity of %s", async (expiresInSeconds, validity) => {
    expect((await send(CREATED, expiresInSeconds)).form.ValidityPeriod).toBe(validity);
  });

  test("names a Messaging Service as one", async () => {
    const service = `MG${"0".repeat(32)}`;
    const partition = `sms:twilio:${ACCOUNT}:${service}`;
    const { form } = await send(CREATED, 60, AbortSignal.timeout(5000), adapter(), { partition });
    expect(form.MessagingServiceSid).toBe(service);
    expect(form.From).toBeUndefined();
  });

  test("is hashed over number, sender and text only", () => {
    const hash = prepared().contentHash;
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(prepared({ attemptId: "another", lane: "redrive" }).contentHash).toBe(hash);
    expect(prepared({ destination: { address: "+4915112345679" } }).contentHash).not.toBe(hash);
    expect(prepared({ content: { text: "x", segments: 1 } }).contentHash).not.toBe(hash);
    expect(prepared({ partition: `sms:twilio:${ACCOUNT}:+15005550007` }).contentHash).not.toBe(hash);
  });

  test("escapes what it puts into the callback", () => {
    expect(twilioCallbackUrl("https://a.example", "a-b_c", "1&x=y")).toBe(
      "https://a.example/api/webhooks/twilio?d=a-b_c&a=1%26x%3Dy",
    );
  });
});

test.each([
  ["a number that is not E.164", { destination: { address: "030 1234567" } }, "destination_rejected"],
  ["an email address", { destination: { address: "a@punctual.example" } }, "destination_rejected"],
  ["an email", { content: { subject: "x", html: "x", text: "x" } }, "message_rejected"],
  ["1601 characters", { content: { text: "x".repeat(1601), segments: 11 } }, "message_rejected"],
  ["blanks", { content: { text: "  ", segments: 1 } }, "message_rejected"],
  ["content that was wiped", { content: null as never }, "message_rejected"],
])("%s cannot be prepared", (_, more, outcome) => {
  expect(adapter().prepare(input(more))).toMatchObject({ outcome: { class: outcome } });
});

describe("answers", () => {
  test("are read once, with their headers, whatever the SDK makes of them", async () => {
    const before = server.received.length;
    const body = JSON.stringify({ code: 20429, message: "Too Many Requests", status: 429 });
    const { answer } = await send({ status: 429, headers: { "retry-after": "7" }, body });
    expect(answer).toMatchObject({
      outcome: { class: "throttled", scope: "account", retryAfterMs: 7000 },
      status: 429,
      code: "20429",
      retryAfterRaw: "7",
      detail: "Too Many Requests",
    });
    expect(server.received.length).toBe(before + 1);
  });

  test("the recipient's number does not get into the record", async () => {
    const body = JSON.stringify({
      code: 21211,
      message: "The 'To' number +4915112345678 is not valid.",
      status: 400,
    });
    expect((await send({ status: 400, body })).answer).toMatchObject({
      outcome: { class: "destination_rejected", disposition: "dead" },
      detail: "The 'To' number (number) is not valid.",
    });
  });

  test.each<[string, Script]>([
    ["201 with HTML, which the SDK throws away", { status: 201, body: "<html>" }],
    ["502 with HTML", { status: 502, body: "<html>" }],
    ["500 with null", { status: 500, body: "null" }],
    ["302", { status: 302, headers: { location: "https://portal.example/" } }],
    ["reset", "reset"],
    ["close", "close"],
    ["truncate", "truncate"],
    ["garbage", "garbage"],
  ])("%s is unknown", async (_, script) => {
    expect((await send(script)).answer.outcome.class).toBe("ambiguous");
  });

  test("no answer until the deadline is unknown", async () => {
    const { answer } = await send("hang", 60, AbortSignal.timeout(30));
    expect(answer).toMatchObject({ outcome: { class: "ambiguous" }, status: null, code: "TimeoutError" });
  });

  test("calls at the same time keep their answers apart", async () => {
    server.script = CREATED;
    const one = send(CREATED);
    const two = send({ status: 400, body: JSON.stringify({ code: 21610, message: "…", status: 400 }) });
    const outcomes = [(await one).answer.outcome.class, (await two).answer.outcome.class];
    // Both requests meet the script of the moment; what matters is that neither answer is lost or doubled.
    expect(outcomes.every((outcome) => outcome === "accepted" || outcome === "destination_rejected")).toBe(
      true,
    );
  });
});

describe("no byte leaves", () => {
  test.each([
    ["after the deadline", 60, AbortSignal.abort()],
    ["less than a second before the expiry", 0.9, AbortSignal.timeout(5000)],
    ["without a known expiry", Number.NaN, AbortSignal.timeout(5000)],
  ])("%s", async (_, expiresInSeconds, signal) => {
    const before = server.received.length;
    expect((await send(CREATED, expiresInSeconds, signal)).answer.outcome).toEqual({ class: "not_made" });
    expect(server.received.length).toBe(before);
  });

  test("for an account that the SDK refuses: that is configuration", async () => {
    const before = server.received.length;
    const { answer } = await send(CREATED, 60, AbortSignal.timeout(5000), adapter({ accountSid: "SK1" }));
    expect(answer.outcome).toEqual({ class: "config_rejected" });
    expect(server.received.length).toBe(before);
  });
});
