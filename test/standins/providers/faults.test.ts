import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { inProcessFetch, type ProviderName, type Settings } from "../../../standins/providers/index";
import { type ProvidersServer, startProvidersServer } from "../../../standins/providers/server";
import { email, push, settle, sms, stage } from "./stage";

describe("a fault before acceptance", () => {
  const bodies: [string, number, RegExp][] = [
    ["html-502", 502, /^<html>/],
    ["html-200", 200, /^<html>/],
    ["json-500", 500, /^\{"ok":false/],
    ["json-429", 429, /"rate_limited"/],
    ["null-500", 500, /^null$/],
    ["empty-202", 202, /^$/],
    ["empty-204", 204, /^$/],
  ];
  test.each(bodies)(
    "%s answers what is no provider's answer, and nothing is accepted",
    async (fault, status, body) => {
      const { providers, send, finish } = stage();
      providers.control("resend", { fault, faultCount: 1 });
      const response = await finish(send(email()));
      expect(response.status).toBe(status);
      expect(await response.text()).toMatch(body);
      expect(response.headers.get("retry-after")).toBe(status === 429 ? "5" : null);
      expect(providers.ledger.calls("resend")).toMatchObject([{ accepted: false, status, fault }]);
      expect((await finish(send(email()))).status).toBe(200);
    },
  );

  const refusals: [ProviderName, string, number, Record<string, unknown>][] = [
    ["resend", "throttle", 429, { name: "rate_limit_exceeded" }],
    ["resend", "quota", 429, { name: "daily_quota_exceeded" }],
    ["resend", "unauthorized", 401, { name: "validation_error" }],
    ["resend", "forbidden", 403, { name: "validation_error" }],
    ["resend", "error:monthly_quota_exceeded", 429, { name: "monthly_quota_exceeded" }],
    ["resend", "error:invalid_idempotent_request", 409, { name: "invalid_idempotent_request" }],
    ["resend", "error:internal_server_error", 500, { name: "internal_server_error" }],
    ["twilio", "throttle", 429, { code: 20429 }],
    ["twilio", "quota", 429, { code: 63038 }],
    ["twilio", "unauthorized", 401, { code: 20003 }],
    ["twilio", "forbidden", 403, { code: 20005 }],
    ["twilio", "error:21610", 400, { code: 21610 }],
    ["twilio", "error:21611", 400, { code: 21611 }],
    ["twilio", "error:20500", 500, { code: 20500 }],
  ];
  test.each(refusals)(
    "at %s, %s is worded as the provider would, even when asked for after",
    async (provider, fault, status, body) => {
      const { providers, send, finish } = stage();
      providers.control(provider, { fault, faultWhen: "after" });
      const response = await finish(send(provider === "resend" ? email() : sms()));
      expect(response.status).toBe(status);
      expect(await response.json()).toMatchObject(body);
      expect(providers.ledger.summary(provider)).toMatchObject({
        accepted: 0,
        throttled: status === 429 ? 1 : 0,
      });
    },
  );

  test.each([
    ["gone", 410],
    ["error:404", 404],
    ["error:413", 413],
    ["error:503", 503],
    ["unauthorized", 401],
    ["forbidden", 403],
  ])("at a push service, %s is its status", async (fault, status) => {
    const { providers, send, finish } = stage({ startMs: Date.now() });
    const device = providers.addPushDevice({ profile: "mozilla" });
    providers.control("push", { fault });
    const response = await finish(send(push(device)));
    expect(response.status).toBe(status);
    expect(response.headers.get("retry-after")).toBe(status === 503 ? "5" : null);
  });
});

describe("a fault after acceptance", () => {
  test.each(["html-502", "null-500", "reset", "close", "truncate", "empty-202"])(
    "%s leaves an accepted message behind",
    async (fault) => {
      const { providers, send, finish } = stage();
      providers.control("twilio", { fault, faultWhen: "after", faultCount: 1 });
      await finish(send(sms()).then((response) => response.text())).catch(() => {});
      expect(providers.ledger.calls("twilio")).toMatchObject([{ accepted: true, fault }]);
      expect(providers.messages()).toHaveLength(1);
    },
  );

  test("does not count down on a request that was refused", async () => {
    const { providers, send, finish } = stage();
    providers.control("resend", { fault: "html-502", faultWhen: "after", faultCount: 1 });
    expect((await finish(send(email({ to: [] })))).status).toBe(422);
    expect(providers.settings("resend").faultCount).toBe(1);
    expect((await finish(send(email()))).status).toBe(502);
    expect(providers.settings("resend")).toMatchObject({ fault: null, faultCount: 0 });
  });

  test("spoils an answer from memory too, without a second acceptance", async () => {
    const { providers, send, finish } = stage();
    providers.control("resend", { fault: "html-502", faultWhen: "after", faultCount: 2 });
    const keyed = () => email({}, { "idempotency-key": "k" });
    for (let count = 0; count < 2; count += 1) expect((await finish(send(keyed()))).status).toBe(502);
    expect((await finish(send(keyed()))).status).toBe(200);
    expect(providers.ledger.summary("resend")).toMatchObject({ accepted: 1, duplicates: 0 });
  });
});

describe("a fault for one destination", () => {
  test("spares the others", async () => {
    const { providers, send, finish } = stage();
    providers.control("resend", { fault: "throttle", faultTo: "ada@shopper.example" });
    expect((await finish(send(email({ to: "bob@shopper.example" })))).status).toBe(200);
    expect((await finish(send(email({ to: "Ada <ada@shopper.example>" })))).status).toBe(429);
  });

  test("does not touch look-ups", async () => {
    const { providers, send, finish } = stage();
    const { id } = await (await finish(send(email()))).json();
    providers.control("resend", { fault: "hang" });
    const headers = { authorization: "Bearer re_test" };
    const lookUp = new Request(`http://standins.test/resend/emails/${id}`, { headers });
    expect((await finish(send(lookUp))).status).toBe(200);
  });
});

describe("a hang in process", () => {
  test("ends by the caller's signal with the caller's reason, and what was accepted stays", async () => {
    const { providers, send, finish, pass } = stage();
    providers.control("resend", { fault: "hang", faultWhen: "after" });
    const caller = new AbortController();
    const reason = new DOMException("Took too long.", "TimeoutError");
    const answer = send(email(), { signal: caller.signal });
    await pass(60_000);
    caller.abort(reason);
    await expect(answer).rejects.toBe(reason);
    await expect(send(email(), { signal: caller.signal })).rejects.toBe(reason);
    expect(providers.ledger.calls("resend")).toMatchObject([{ accepted: true, status: null, fault: "hang" }]);
    expect(await finish(Promise.resolve(1))).toBe(1);
  });

  test("a caller that gives up during the latency does not stop the provider", async () => {
    const { providers, send, pass } = stage();
    const caller = new AbortController();
    const answer = send(email(), { signal: caller.signal });
    await settle();
    caller.abort();
    await expect(answer).rejects.toMatchObject({ name: "AbortError" });
    expect(providers.ledger.summary("resend").accepted).toBe(0);
    await pass(1000);
    expect(providers.ledger.summary("resend").accepted).toBe(1);
  });
});

describe("broken connections", () => {
  let server: ProvidersServer;
  beforeAll(async () => {
    server = await startProvidersServer({ port: 0 });
  });
  afterAll(() => server.close());

  /** What a caller sees of one email, over a socket and in process. */
  async function seen(send: typeof fetch, base: string, giveUpAfterMs = 10_000): Promise<unknown> {
    const made = email();
    const url = made.url.replace("http://standins.test", base);
    const init = {
      method: "POST",
      headers: made.headers,
      body: await made.text(),
      signal: AbortSignal.timeout(giveUpAfterMs),
    };
    try {
      const response = await send(url, init);
      const { status } = response;
      const read = await response.text().catch((error) => describeError(error));
      return { status, read };
    } catch (error) {
      return describeError(error);
    }
  }

  function describeError(error: unknown) {
    const { name, message, cause } = error as Error & { cause?: { code?: string; syscall?: string } };
    return { name, message, code: cause?.code, syscall: cause?.syscall };
  }

  const faults: [string, "before" | "after", unknown][] = [
    ["reset", "after", { name: "TypeError", message: "fetch failed", code: "ECONNRESET", syscall: "read" }],
    ["close", "after", { name: "TypeError", message: "fetch failed", code: "UND_ERR_SOCKET" }],
    [
      "truncate",
      "before",
      { status: 200, read: { name: "TypeError", message: "terminated", code: "UND_ERR_SOCKET" } },
    ],
    [
      "truncate",
      "after",
      { status: 200, read: { name: "TypeError", message: "terminated", code: "UND_ERR_SOCKET" } },
    ],
    ["hang", "before", { name: "TimeoutError" }],
  ];
  test.each(faults)(
    "%s %s acceptance looks the same over a socket and in process",
    async (fault, faultWhen, wanted) => {
      const change: Partial<Settings> = { fault, faultWhen, faultCount: 1, latencyMs: 0 };
      server.providers.reset();
      server.providers.control("resend", change);
      const giveUpAfterMs = fault === "hang" ? 50 : undefined;
      const overSocket = await seen(fetch, server.url, giveUpAfterMs);
      const { providers } = stage();
      providers.control("resend", change);
      const inProcess = await seen(inProcessFetch(providers), "http://standins.test", giveUpAfterMs);
      expect(overSocket).toMatchObject(wanted as object);
      expect(inProcess).toEqual(overSocket);
      for (const { ledger } of [server.providers, providers]) {
        expect(ledger.summary("resend").accepted).toBe(faultWhen === "after" ? 1 : 0);
      }
    },
  );

  test("refuse is a connection that never came to be, so nothing is accepted", async () => {
    const { providers } = stage();
    providers.control("resend", { fault: "refuse", faultWhen: "after", latencyMs: 0 });
    const refused = await seen(inProcessFetch(providers), "http://standins.test");
    expect(refused).toMatchObject({ code: "ECONNREFUSED", syscall: "connect" });
    expect(providers.ledger.summary("resend").accepted).toBe(0);
  });
});
