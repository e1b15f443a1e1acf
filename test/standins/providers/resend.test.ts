import { Resend } from "resend";
import { describe, expect, test } from "vitest";
import { DEFAULT_WEBHOOK_SECRET } from "../../../standins/providers/index";
import { email, settle, stage } from "./stage";

const HOUR_MS = 3_600_000;

describe("a send to Resend", () => {
  test("is answered with an id, kept, and shown to its reader", async () => {
    const { providers, send, finish } = stage();
    const response = await finish(send(email({ html: "<p>Water</p>" }, { "idempotency-key": "key-1" })));
    const { id } = await response.json();
    expect(response.status).toBe(200);
    expect(providers.ledger.calls("resend")).toMatchObject([
      {
        key: "key-1",
        destination: "ada@shopper.example",
        accepted: true,
        status: 200,
        providerMessageId: id,
      },
    ]);
    expect(providers.messages({ to: "ADA@shopper.example" })).toMatchObject([
      {
        channel: "email",
        subject: "Your reminder",
        html: "<p>Water</p>",
        key: "key-1",
        providerMessageId: id,
      },
    ]);
  });

  const refused: [string, Record<string, unknown>, Record<string, string>, number, string][] = [
    ["without a key", {}, { authorization: "" }, 401, "missing_api_key"],
    ["with a key that is none", {}, { authorization: "Bearer sk_live" }, 401, "validation_error"],
    ["with a revoked key", {}, { authorization: "Bearer re_invalid_1" }, 403, "invalid_api_key"],
    ["from a foreign domain", { from: "me@gmail.com" }, {}, 403, "validation_error"],
    ["from no address", { from: "Punctual" }, {}, 422, "invalid_from_address"],
    ["without a recipient", { to: [] }, {}, 422, "missing_required_field"],
    ["to no address", { to: "ada" }, {}, 422, "validation_error"],
    ["to a placeholder domain", { to: "ada@example.com" }, {}, 422, "validation_error"],
    ["to too many", { to: Array.from({ length: 51 }, (_, n) => `a${n}@b.co`) }, {}, 422, "validation_error"],
    ["without a body", { text: "" }, {}, 422, "missing_required_field"],
    ["with a line break in the subject", { subject: "Sale\nBcc: b@b.co" }, {}, 422, "validation_error"],
    [
      "with a line break in a header",
      { headers: { "X-A": "a\r\nBcc: b@b.co" } },
      {},
      422,
      "validation_error",
    ],
    [
      "with a tag of other letters",
      { tags: [{ name: "delivery_id", value: "a b" }] },
      {},
      422,
      "validation_error",
    ],
    [
      "with an endless idempotency key",
      {},
      { "idempotency-key": "k".repeat(257) },
      400,
      "invalid_idempotency_key",
    ],
  ];
  test.each(refused)("%s is refused and not accepted", async (_, fields, headers, status, name) => {
    const { providers, send, finish } = stage();
    const response = await finish(send(email(fields, headers)));
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ statusCode: status, name });
    expect(providers.ledger.calls("resend")).toMatchObject([{ accepted: false, status }]);
    expect(providers.messages()).toEqual([]);
  });

  test("works through the real SDK, batch and look-up included", async () => {
    const { clock, providers, send, finish } = stage();
    const real = globalThis.fetch;
    globalThis.fetch = send;
    try {
      const resend = new Resend("re_test", { baseUrl: "http://standins.test/resend" });
      const mail = { from: "P <p@punctual.shop>", to: "ada@shopper.example", subject: "Hi", text: "Yo" };
      const sent = await finish(resend.emails.send(mail, { idempotencyKey: "k" }));
      const id = String(sent.data?.id);
      clock.advanceTo(clock.nowMs() + 10_000);
      expect(await finish(resend.emails.get(id))).toMatchObject({ data: { id, last_event: "delivered" } });
      const batch = await finish(resend.batch.send([mail, mail]));
      expect(batch.data?.data).toHaveLength(2);
      const wrong = await finish(resend.emails.send({ ...mail, subject: "a\nb" }));
      expect(wrong.error).toMatchObject({ statusCode: 422, name: "validation_error" });
      expect(wrong.headers?.["ratelimit-limit"]).toBe("50");
    } finally {
      globalThis.fetch = real;
    }
    expect(providers.ledger.calls("resend").map(({ accepted }) => accepted)).toEqual([true, true, false]);
    expect(providers.ledger.calls("resend", "look-up")).toHaveLength(1);
    expect(providers.messages()).toHaveLength(3);
  });
});

describe("an idempotency key", () => {
  const keyed = (fields = {}) => email(fields, { "idempotency-key": "k" });

  test("answers a repeat from memory: same id, nothing sent, not counted as accepted", async () => {
    const { providers, send, finish } = stage();
    const first = await (await finish(send(keyed()))).json();
    const second = await finish(send(keyed()));
    expect(second.status).toBe(200);
    expect(await second.json()).toEqual(first);
    expect(providers.ledger.calls("resend")).toMatchObject([
      { accepted: true, repeat: false },
      { accepted: false, repeat: true, status: 200, providerMessageId: first.id },
    ]);
    expect(providers.ledger.summary("resend")).toMatchObject({ accepted: 1, distinctKeys: 1, duplicates: 0 });
    expect(providers.messages()).toHaveLength(1);
  });

  test("refuses other bytes, and a second request while the first is running", async () => {
    const { clock, send, finish } = stage();
    const first = send(keyed());
    await settle();
    const meanwhile = send(keyed());
    await settle();
    clock.advanceTo(clock.nowMs() + 20);
    expect((await first).status).toBe(200);
    expect(await (await meanwhile).json()).toMatchObject({
      statusCode: 409,
      name: "concurrent_idempotent_requests",
    });
    const other = await finish(send(keyed({ subject: "Other" })));
    expect(await other.json()).toMatchObject({ statusCode: 409, name: "invalid_idempotent_request" });
  });

  test("is forgotten after 24 hours, and then the ledger shows the duplicate", async () => {
    const { providers, send, finish, pass } = stage();
    await finish(send(keyed()));
    await pass(24 * HOUR_MS - 1000);
    await finish(send(keyed()));
    expect(providers.ledger.summary("resend")).toMatchObject({ accepted: 1 });
    await pass(HOUR_MS);
    await finish(send(keyed()));
    expect(providers.ledger.summary("resend")).toMatchObject({ accepted: 2, distinctKeys: 1, duplicates: 1 });
  });

  test("is not used up by a request that was refused", async () => {
    const { providers, send, finish } = stage();
    expect((await finish(send(keyed({ subject: "a\nb" })))).status).toBe(422);
    providers.control("resend", { fault: "throttle", faultCount: 1 });
    expect((await finish(send(keyed()))).status).toBe(429);
    expect((await finish(send(keyed()))).status).toBe(200);
  });
});

describe("Resend's webhooks", () => {
  const types = (told: { body: string }[]) => told.map(({ body }) => JSON.parse(body).type);

  test("tell sent and delivered, signed so that the SDK verifies them", async () => {
    // The SDK compares the signature's time with the machine's clock.
    const { send, finish, pass, told } = stage({ startMs: Date.now() });
    const tags = [{ name: "delivery_id", value: "d1" }];
    const { id } = await (await finish(send(email({ tags })))).json();
    await pass(5000);
    expect(types(told)).toEqual(["email.sent", "email.delivered"]);
    const resend = new Resend("re_test");
    for (const { url, headers, body } of told) {
      expect(url).toBe("http://app.test/api/webhooks/resend");
      const signed = {
        id: headers.get("svix-id") ?? "",
        timestamp: headers.get("svix-timestamp") ?? "",
        signature: headers.get("svix-signature") ?? "",
      };
      const payload = { payload: body, headers: signed, webhookSecret: DEFAULT_WEBHOOK_SECRET };
      expect(resend.webhooks.verify(payload)).toMatchObject({
        data: { email_id: id, tags: { delivery_id: "d1" } },
      });
      expect(() => resend.webhooks.verify({ ...payload, payload: `${body} ` })).toThrow();
    }
  });

  test("tell bounces, complaints and suppressions for addresses of that name", async () => {
    const { send, finish, pass, told } = stage();
    for (const to of ["bounced+x@shopper.example", "complained@resend.dev", "suppressed@resend.dev"]) {
      await finish(send(email({ to })));
      await pass(5000);
    }
    const wanted = ["sent", "bounced", "sent", "delivered", "complained", "suppressed"];
    expect(types(told)).toEqual(wanted.map((event) => `email.${event}`));
    expect(JSON.parse(told[1]?.body ?? "").data.bounce.type).toBe("Permanent");
  });

  test("come twice with one id, out of order, or not at all when told to", async () => {
    const { providers, send, finish, pass, told } = stage();
    providers.control("resend", { receipts: "twice" });
    await finish(send(email()));
    await pass(5000);
    expect(types(told)).toEqual(["email.sent", "email.sent", "email.delivered", "email.delivered"]);
    expect(told[0]?.headers.get("svix-id")).toBe(told[1]?.headers.get("svix-id"));
    providers.control("resend", { receipts: "reversed" });
    await finish(send(email()));
    await pass(5000);
    expect(types(told).slice(4)).toEqual(["email.delivered", "email.sent"]);
    providers.control("resend", { receipts: "absent" });
    await finish(send(email()));
    await pass(5000);
    expect(told).toHaveLength(6);
    expect(providers.messages()[0]?.status).toBe("delivered");
  });

  test("are tried once, and an app that fails, refuses or never answers stops nothing", async () => {
    const answers: (() => Promise<Response>)[] = [
      async () => new Response("no", { status: 404 }),
      async () => {
        throw new TypeError("fetch failed", {
          cause: Object.assign(new Error("x"), { code: "ECONNREFUSED" }),
        });
      },
    ];
    const app: typeof fetch = (_, init) =>
      answers.shift()?.() ??
      new Promise((_resolve, reject) =>
        init?.signal?.addEventListener("abort", () => reject(init.signal?.reason)),
      );
    const { providers, send, finish, pass } = stage({ fetch: app });
    await finish(send(email()));
    await pass(5000);
    await finish(send(email()));
    await pass(60_000);
    expect(providers.receipts().map(({ event, status, error }) => [event, status, error])).toEqual([
      ["email.sent", 404, null],
      ["email.delivered", null, "ECONNREFUSED"],
      ["email.sent", null, "No answer in time."],
      ["email.delivered", null, "No answer in time."],
    ]);
  });
});
