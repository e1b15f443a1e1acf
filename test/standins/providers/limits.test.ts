import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RateLimit } from "../../../standins/providers/rate-limit";
import { email, START_MS, settle, sms, stage } from "./stage";

describe("the rate limit", () => {
  const limits = fc.record({ rate: fc.integer({ min: 1, max: 40 }), burst: fc.integer({ min: 1, max: 20 }) });

  test("lets at most rate + burst calls through in any one second", () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 120 }), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(limits, gaps, ({ rate, burst }, waits) => {
        const limit = new RateLimit(rate, burst);
        let nowMs = START_MS;
        const passed: number[] = [];
        for (const waitMs of waits) {
          nowMs += waitMs;
          if (limit.take(nowMs)) passed.push(nowMs);
        }
        for (const fromMs of passed) {
          const within = passed.filter((atMs) => atMs >= fromMs && atMs < fromMs + 1000).length;
          expect(within).toBeLessThanOrEqual(rate + burst);
        }
      }),
    );
  });

  test("lets a refused call through after the wait it names, and not one millisecond before", () => {
    fc.assert(
      fc.property(limits, ({ rate, burst }) => {
        const limit = new RateLimit(rate, burst);
        while (limit.take(START_MS));
        const { nextInMs } = limit.view(START_MS);
        expect(limit.take(START_MS + nextInMs - 1)).toBe(false);
        expect(limit.take(START_MS + nextInMs)).toBe(true);
      }),
    );
  });

  test("does not take anything for a refused call", () => {
    const limit = new RateLimit(1, 1);
    expect(limit.take(START_MS)).toBe(true);
    for (let count = 0; count < 50; count += 1) expect(limit.take(START_MS + count)).toBe(false);
    expect(limit.take(START_MS + 1000)).toBe(true);
  });

  test("stays full when its numbers change, and what was spent stays spent", async () => {
    const { providers, send, finish } = stage();
    const statuses = async (count: number) => {
      const seen: number[] = [];
      while (seen.length < count) seen.push((await finish(send(email()))).status);
      return seen;
    };
    providers.control("resend", { ratePerSecond: 1, burst: 2, latencyMs: 0 });
    expect(await statuses(3)).toEqual([200, 200, 429]);
    providers.control("resend", { burst: 4 });
    expect(await statuses(3)).toEqual([200, 200, 429]);
    providers.control("resend", { burst: 1 });
    expect(await statuses(1)).toEqual([429]);
  });
});

describe("Resend's rate headers", () => {
  test("are on every answer, and a 429 names the wait in seconds", async () => {
    const { providers, send, finish, pass } = stage();
    providers.control("resend", { ratePerSecond: 2, burst: 1, latencyMs: 0 });
    const first = await finish(send(email()));
    expect(first.status).toBe(200);
    expect(Object.fromEntries(first.headers)).toMatchObject({
      "ratelimit-limit": "2",
      "ratelimit-policy": "2;w=1",
      "ratelimit-remaining": "0",
      "ratelimit-reset": "1",
    });
    const second = await finish(send(email()));
    expect(second.status).toBe(429);
    expect(second.headers.get("retry-after")).toBe("1");
    expect(await second.json()).toMatchObject({ statusCode: 429, name: "rate_limit_exceeded" });
    const refused = await finish(send(email({}, { authorization: "" })));
    expect(refused.status).toBe(401);
    expect(refused.headers.get("ratelimit-limit")).toBe("2");
    await pass(500);
    expect((await finish(send(email()))).status).toBe(200);
    expect(providers.ledger.summary("resend")).toMatchObject({ accepted: 2, throttled: 1 });
  });

  test("tell a rate below one per second as one per several", async () => {
    const { providers, send, finish } = stage();
    providers.control("resend", { ratePerSecond: 0.2, burst: 1, latencyMs: 0 });
    await finish(send(email()));
    const throttled = await finish(send(email()));
    expect(throttled.headers.get("ratelimit-policy")).toBe("1;w=5");
    expect(throttled.headers.get("retry-after")).toBe("5");
  });
});

describe("Retry-After", () => {
  const throttle = async (retryAfter: string, startMs = START_MS) => {
    const { providers, send, finish } = stage({ startMs });
    providers.control("resend", { fault: "throttle", retryAfter, retryAfterSeconds: 7, latencyMs: 0 });
    return (await finish(send(email()))).headers;
  };

  test("is seconds, a date, absent, or any text", async () => {
    expect((await throttle("seconds")).get("retry-after")).toBe("7");
    expect((await throttle("absent")).get("retry-after")).toBeNull();
    for (const text of ["soon", "1000abc", "5, 10", "9223372036854775808", "-1"]) {
      expect((await throttle(text)).get("retry-after")).toBe(text);
    }
  });

  test("as a date is whole seconds after the answer's own Date, whatever the milliseconds", async () => {
    for (const milliseconds of [0, 1, 500, 999]) {
      const headers = await throttle("http-date", START_MS + milliseconds);
      const [date, until] = [headers.get("date"), headers.get("retry-after")].map((text) =>
        Date.parse(String(text)),
      );
      expect((until as number) - (date as number)).toBe(7000);
      expect(date).toBe(START_MS);
    }
  });
});

describe("quotas", () => {
  test("count every recipient, answer with their own name, and free up after 24 hours", async () => {
    const { providers, send, finish, pass } = stage();
    providers.control("resend", { dailyQuota: 3 });
    const two = await finish(send(email({ cc: "b@shopper.example" })));
    expect(two.headers.get("x-resend-daily-quota")).toBe("2");
    const over = await finish(send(email({ bcc: ["c@shopper.example"] }, { "idempotency-key": "k" })));
    expect(over.status).toBe(429);
    expect(await over.json()).toMatchObject({ name: "daily_quota_exceeded" });
    expect(over.headers.get("retry-after")).toBeNull();
    await pass(24 * 60 * 60 * 1000);
    const later = await finish(send(email({ bcc: ["c@shopper.example"] }, { "idempotency-key": "k" })));
    expect(later.status).toBe(200);
  });

  test("of a month have a name of their own", async () => {
    const { providers, send, finish } = stage();
    providers.control("resend", { monthlyQuota: 0 });
    expect(await (await finish(send(email()))).json()).toMatchObject({ name: "monthly_quota_exceeded" });
  });

  test("at Twilio are code 63038", async () => {
    const { providers, send, finish } = stage();
    providers.control("twilio", { dailyQuota: 1 });
    expect((await finish(send(sms()))).status).toBe(201);
    const over = await finish(send(sms()));
    expect(over.status).toBe(429);
    expect(await over.json()).toMatchObject({ code: 63038, status: 429 });
  });
});

describe("Twilio's concurrency gate", () => {
  test("throttles what is beyond it and counts what is in flight", async () => {
    const { clock, providers, send, finish } = stage();
    providers.control("twilio", { concurrency: 2, latencyMs: 1000 });
    const calls = [send(sms()), send(sms()), send(sms())];
    await settle();
    clock.advanceTo(clock.nowMs() + 1000);
    const answers = await finish(Promise.all(calls));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 429]);
    expect(await answers[2]?.json()).toMatchObject({
      code: 20429,
      message: "Too Many Requests",
      status: 429,
    });
    expect(answers[0]?.headers.get("twilio-concurrent-requests")).toMatch(/^[123]$/);
    expect((await finish(send(sms()))).status).toBe(201);
  });
});
