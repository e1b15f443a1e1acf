import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isUnpreparable, type PrepareInput } from "../../../inngest/providers/port";
import { createResendAdapter } from "../../../inngest/providers/resend";
import { type ProviderServer, type Script, startProviderServer } from "./provider-server";

const REFERENCE = "vIc1sHbVqzOa2lVnSlyhjA0bQ4rF8kXy";
const ID = "49a3999c-0ce1-4ea6-ab68-afcd6dc2e794";

let server: ProviderServer;
beforeAll(async () => {
  server = await startProviderServer();
});
afterAll(() => server.close());

const adapter = (apiKey = "re_test") =>
  createResendAdapter({
    apiKey,
    baseUrl: `${server.url}/resend`,
    from: "Punctual <reminders@punctual.example>",
  });

function input(more: Partial<PrepareInput> = {}): PrepareInput {
  return {
    reference: REFERENCE,
    attemptId: "1f0c8e0e-0000-4000-8000-000000000001",
    content: { subject: "Pick up parcel", html: "<p>Grüße 😀</p>", text: "Grüße 😀" },
    destination: { address: "ada+shop@punctual.example" },
    partition: "email:resend:main",
    lane: "standard",
    ...more,
  };
}

function prepared(more: Partial<PrepareInput> = {}) {
  const made = adapter().prepare(input(more));
  if (isUnpreparable(made) || made.provider !== "resend") throw new Error("not prepared");
  return made;
}

async function send(script: Script, signal = AbortSignal.timeout(5000), expiresInSeconds = 3600) {
  server.script = script;
  return adapter().send(prepared(), { expiresInSeconds, signal });
}

test("is keyed, with ten seconds for a call", () => {
  expect(adapter()).toMatchObject({
    provider: "resend",
    channel: "email",
    repeat: "keyed",
    deadlineMs: 10_000,
  });
});

describe("the request", () => {
  test("is Resend's, with the reference as key and tag, and the prepared bytes as body", async () => {
    const answer = await send({
      status: 200,
      headers: { "ratelimit-limit": "2", "ratelimit-policy": "2;w=1" },
      body: `{"id":"${ID}"}`,
    });
    expect(answer).toEqual({
      outcome: { class: "accepted", providerMessageId: ID },
      status: 200,
      code: null,
      retryAfterRaw: null,
      providerMessageId: ID,
      detail: null,
      observedRatePerSecond: 2,
    });
    const request = server.received.at(-1);
    expect(request).toMatchObject({ method: "POST", url: "/resend/emails" });
    expect(request?.headers).toMatchObject({
      authorization: "Bearer re_test",
      "content-type": "application/json",
      "idempotency-key": REFERENCE,
    });
    expect(request?.headers["user-agent"]).toMatch(/^resend-node:/);
    expect(request?.body.toString("utf8")).toBe(prepared().body);
    expect(JSON.parse(prepared().body)).toEqual({
      from: "Punctual <reminders@punctual.example>",
      to: "ada+shop@punctual.example",
      subject: "Pick up parcel",
      html: "<p>Grüße 😀</p>",
      text: "Grüße 😀",
      tags: [{ name: "delivery_id", value: REFERENCE }],
    });
  });

  test("is from whom its content names, else from the account's setting", () => {
    const fromOf = (more: object) =>
      JSON.parse(prepared({ content: { subject: "Hi", html: "<p>x</p>", text: "x", ...more } }).body).from;
    expect(fromOf({ from: "The shop <shop@punctual.example>" })).toBe("The shop <shop@punctual.example>");
    expect(fromOf({})).toBe("Punctual <reminders@punctual.example>");
  });

  test("has the same bytes on every attempt of a delivery, and others for any other content", async () => {
    const first = prepared();
    const second = prepared({ attemptId: "another", lane: "redrive" });
    expect(second.body).toBe(first.body);
    expect(second.contentHash).toBe(first.contentHash);
    expect(first.contentHash).toMatch(/^[0-9a-f]{64}$/);
    const other = prepared({ content: { subject: "Pick up parcel", html: "<p>Hello</p>", text: "Hello" } });
    expect(other.contentHash).not.toBe(first.contentHash);
    expect(prepared({ destination: { address: "eve@punctual.example" } }).contentHash).not.toBe(
      first.contentHash,
    );
  });

  test("offers one-click unsubscription where there is an address for it", () => {
    const headersFor = (unsubscribeUrl: string) => {
      const content = { subject: "Pick up parcel", html: "<p>Hi</p>", text: "Hi", unsubscribeUrl };
      return JSON.parse(prepared({ content }).body).headers;
    };
    const headers = headersFor("https://punctual.example/u/1?t=a b\r\nBcc: x");
    expect(headers).toEqual({
      "List-Unsubscribe": "<https://punctual.example/u/1?t=a%20bBcc:%20x>",
      "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    });
    expect(headersFor("javascript:alert(1)")).toBeUndefined();
  });

  test("carries the title as one line", () => {
    const subject = (text: string) =>
      JSON.parse(prepared({ content: { subject: text, html: "<p>x</p>", text: "x" } }).body).subject;
    expect(subject("Sale\r\nBcc: b@example.com")).toBe("Sale Bcc: b@example.com");
    expect(subject("Sale\u2028now\u0000")).toBe("Sale now");
    expect(subject("🎁".repeat(1000))).toBe(`${"🎁".repeat(199)}…`);
    expect(subject("ab\ud83d")).toBe("ab\ufffd");
  });
});

test.each([
  [
    "two addresses",
    { destination: { address: "a@punctual.example, b@punctual.example" } },
    "destination_rejected",
  ],
  [
    "a second header",
    { destination: { address: "a@punctual.example\r\nBcc: b@punctual.example" } },
    "destination_rejected",
  ],
  ["a subscription", { destination: { endpoint: "https://x", p256dh: "", auth: "" } }, "message_rejected"],
  ["an empty subject", { content: { subject: " \n ", html: "<p>x</p>", text: "x" } }, "message_rejected"],
  ["a text message", { content: { text: "x", segments: 1 } }, "message_rejected"],
  ["content that was wiped", { content: null as never }, "message_rejected"],
])("%s cannot be prepared", (_, more, outcome) => {
  expect(adapter().prepare(input(more))).toMatchObject({ outcome: { class: outcome } });
});

describe("answers", () => {
  test("a 429 names its time as it was sent", async () => {
    const body = JSON.stringify({
      statusCode: 429,
      name: "rate_limit_exceeded",
      message: "Too many requests.",
    });
    expect(
      await send({ status: 429, headers: { "retry-after": ["5", "10"], "ratelimit-limit": "2" }, body }),
    ).toEqual({
      outcome: { class: "throttled", scope: "partition", retryAfterMs: 10_000 },
      status: 429,
      code: "rate_limit_exceeded",
      retryAfterRaw: "5, 10",
      providerMessageId: null,
      detail: "Too many requests.",
      observedRatePerSecond: 2,
    });
  });

  test("an error body with NUL, an address and half characters can be stored", async () => {
    const body = '{"name":"validation_error","message":"no a\\u0000b for ada@punctual.example \\ud83d"}';
    const answer = await send({ status: 422, body });
    expect(answer.detail).toBe("no a\ufffdb for (address) \ufffd");
  });

  test("a foreign page leaves its words, not its markup", async () => {
    const answer = await send({ status: 502, body: "<html><script>x</script><h1>Bad Gateway</h1></html>" });
    expect(answer).toMatchObject({
      outcome: { class: "ambiguous" },
      status: 502,
      code: null,
      detail: "x Bad Gateway",
    });
  });

  test.each(["reset", "close", "truncate", "garbage"] as const)(
    "%s after the request is unknown",
    async (script) => {
      expect((await send(script)).outcome.class).toBe("ambiguous");
    },
  );

  test("no answer until the deadline is unknown", async () => {
    const answer = await send("hang", AbortSignal.timeout(30));
    expect(answer).toMatchObject({ outcome: { class: "ambiguous" }, status: null, code: "TimeoutError" });
  });
});

describe("no byte leaves", () => {
  test.each([
    ["after the deadline", AbortSignal.abort(), 3600],
    ["after the expiry", AbortSignal.timeout(5000), 0],
    ["without a known expiry", AbortSignal.timeout(5000), Number.NaN],
  ])("%s", async (_, signal, expiresInSeconds) => {
    const before = server.received.length;
    expect((await send({ status: 200 }, signal, expiresInSeconds)).outcome).toEqual({ class: "not_made" });
    expect(server.received.length).toBe(before);
  });

  test("with a key that no header can carry: that is configuration", async () => {
    const answer = await adapter("re_a\nb").send(prepared(), {
      expiresInSeconds: 60,
      signal: AbortSignal.timeout(5000),
    });
    expect(answer.outcome).toEqual({ class: "config_rejected" });
  });
});
