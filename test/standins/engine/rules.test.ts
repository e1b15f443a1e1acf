import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  checkExpression,
  ExpressionError,
  evaluate,
  holds,
  keyText,
} from "../../../standins/engine/expressions";
import { gcra } from "../../../standins/engine/limits";
import { readAnswer } from "../../../standins/engine/response";
import { backoffMs, parseDurationMs, retryAtMs, sleepMs } from "../../../standins/engine/timing";

const NOW_MS = Date.UTC(2031, 5, 2, 8, 0, 0, 400);

describe("expressions", () => {
  const event = { name: "go", ts: 5, data: { a: 1, b: "x", nested: { list: [7] }, yes: true } };
  const scope = { event, async: { data: { b: "x" } } };

  test.each([
    ["event.data.a == 1 && event.data.b == 'x'", true],
    ['event.name == "go" || event.data.missing', true],
    ["!(event.data.a > 1)", true],
    ["async.data.b == event.data.b", true],
    ["event.data.missing == null", true],
    ["event.data.missing.deeper == 'x'", false],
    ["event.data.missing > 3", null],
    ["event.data['nested'].list[0]", 7],
    ["event.data.b + '-' + event.name", "x-go"],
    ["event.data.yes ? 100 : -100", 100],
    ["event.data.a == 2 ? 1 : event.data.a == 1 ? 2 + 3 * 4 : 0", 14],
    ["(event.ts - 1) / 2 % 3", 2],
    ["-event.ts", -5],
    ["'it\\'s'", "it's"],
  ])("%s is %j", (source, value) => {
    expect(evaluate(source, scope)).toEqual(value);
  });

  test("only true holds, and a missing key is one bucket", () => {
    expect(holds("event.data.a", scope)).toBe(false);
    expect(keyText("event.data.none", scope)).toBe("<nil>");
    expect(keyText("event.data.a", scope)).toBe("1");
  });

  test.each([
    "size(event.data.a)",
    "event.data.a in [1]",
    "event.data.",
    "a == 1",
    "event.data.a ==",
    "1 = 1",
    "'open",
  ])("%s is refused with its place and what is supported", (source) => {
    expect(() => checkExpression(source)).toThrow(ExpressionError);
    expect(() => checkExpression(source)).toThrow(
      /cannot read .* at character \d+\. This engine reads event/,
    );
  });
});

describe("times", () => {
  test("durations", () => {
    expect(["10s", "1h30m", "500ms", "2d", "1w", "1.5h"].map(parseDurationMs)).toEqual([
      10_000, 5_400_000, 500, 172_800_000, 604_800_000, 5_400_000,
    ]);
    expect(["", "10", "s", "10 s", "-1s"].map(parseDurationMs)).toEqual([null, null, null, null, null]);
  });

  test("Retry-After: whole seconds from the current second, dates as they are, both between 1 s and 24 h", () => {
    const second = NOW_MS - 400;
    expect(retryAtMs("1", NOW_MS)).toBe(second + 1000);
    expect(retryAtMs("30", NOW_MS)).toBe(second + 30_000);
    expect(retryAtMs("2031-06-02T08:00:10.123Z", NOW_MS)).toBe(second + 10_123);
    expect(retryAtMs("Mon, 02 Jun 2031 08:00:10 GMT", NOW_MS)).toBe(second + 10_000);
    expect(retryAtMs("2031-06-02T07:00:00Z", NOW_MS)).toBe(second + 1000);
    expect(retryAtMs("172800", NOW_MS)).toBe(second + 86_400_000);
    expect([null, "", "0", "-5", "soon"].map((header) => retryAtMs(header, NOW_MS))).toEqual(
      Array(5).fill(null),
    );
  });

  test("backoff grows to two hours and stays there", () => {
    const plain = Array.from({ length: 12 }, (_, attempt) => backoffMs(attempt, () => 0) / 1000);
    expect(plain).toEqual([15, 30, 60, 120, 300, 600, 1200, 2400, 3600, 7200, 7200, 7200]);
    expect(backoffMs(0, () => 0.999)).toBe(15_000 + 29_970);
  });

  test("sleeps: a duration is exact, a date is rounded to whole seconds, a past date is none", () => {
    expect(sleepMs("10s", NOW_MS)).toBe(10_000);
    expect(sleepMs("2031-06-02T08:00:10.000Z", NOW_MS)).toBe(10_000);
    expect(sleepMs("2031-06-02T08:00:09.800Z", NOW_MS)).toBe(9000);
    expect(sleepMs("2031-06-02T07:00:00.000Z", NOW_MS)).toBe(0);
    expect(sleepMs("whenever", NOW_MS)).toBeNull();
  });
});

describe("gcra", () => {
  test("over any stretch of time, no more starts pass than those at once plus the rate", () => {
    const rule = fc.record({ limit: fc.integer({ min: 1, max: 20 }), burst: fc.integer({ min: 0, max: 5 }) });
    fc.assert(
      fc.property(
        rule,
        fc.array(fc.integer({ min: 0, max: 900 }), { maxLength: 120 }),
        ({ limit, burst }, gaps) => {
          const passed: number[] = [];
          const store = new Map<string, number>();
          const throttle = { limit, atOnce: limit + burst, periodMs: 10_000, key: null };
          let nowMs = 0;
          for (const gap of gaps) {
            nowMs += gap;
            const retryAt = gcra(store, "k", throttle, nowMs, true);
            if (retryAt === null) passed.push(nowMs);
            else expect(gcra(new Map(store), "k", throttle, Math.ceil(retryAt), false)).toBeNull();
          }
          for (const [index, from] of passed.entries()) {
            for (let end = index; end < passed.length; end += 1) {
              const allowed = limit + burst + (((passed[end] as number) - from) * limit) / 10_000;
              expect(end - index + 1).toBeLessThanOrEqual(allowed + 1e-6);
            }
          }
        },
      ),
    );
  });

  test("a clock that goes back keeps nobody waiting for what was used before", () => {
    const throttle = { limit: 10, atOnce: 2, periodMs: 10_000, key: null };
    const store = new Map<string, number>();
    const starts = (nowMs: number) => [1, 2, 3].map(() => gcra(store, "k", throttle, nowMs, true));
    expect(starts(60_000)).toEqual([null, null, 61_000]);
    expect(starts(8_000)).toEqual([null, null, 9_000]);
  });
});

describe("answers of the app", () => {
  const sdk = { "x-inngest-sdk": "js:v4", "x-inngest-req-version": "2" };
  const read = (status: number, headers: Record<string, string>, body: string) =>
    readAnswer(status, new Headers(headers), body, NOW_MS);

  test("what does not come from the SDK is an error to be retried, whatever its status", () => {
    for (const status of [200, 206, 404, 502]) {
      expect(read(status, {}, "<html>")).toMatchObject({
        kind: "error",
        noRetry: false,
        error: { name: "NotSDK" },
      });
    }
    expect(read(206, sdk, "<html>")).toMatchObject({ kind: "error", error: { name: "InvalidResponse" } });
  });

  test("results, operations and errors of the SDK", () => {
    expect(read(200, sdk, '{"a":1}')).toEqual({ kind: "result", output: { a: 1 } });
    expect(read(206, sdk, '[{"id":"x","op":"Sleep","name":"1s"}]')).toMatchObject({
      kind: "ops",
      ops: [{ op: "Sleep" }],
      requestVersion: 2,
    });
    expect(
      read(500, { ...sdk, "x-inngest-no-retry": "false", "retry-after": "5" }, '{"name":"E","message":"m"}'),
    ).toEqual({
      kind: "error",
      error: { name: "E", message: "m" },
      noRetry: false,
      retryAtMs: NOW_MS - 400 + 5000,
    });
    expect(read(400, { ...sdk, "x-inngest-no-retry": "true" }, '{"name":"E","message":"m"}')).toMatchObject({
      noRetry: true,
    });
  });

  test("a streamed answer is read from its envelope", () => {
    const envelope = JSON.stringify({ status: 200, headers: sdk, body: '{"a":1}' });
    expect(read(201, sdk, `    ${envelope}`)).toEqual({ kind: "result", output: { a: 1 } });
  });
});
