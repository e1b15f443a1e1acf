import { RetryAfterError } from "inngest";
import { describe, expect, test } from "vitest";
import { stage } from "./setup";

describe("throttle", () => {
  test("lets limit + burst starts through at once, then one each period ÷ limit", async () => {
    const started: Record<string, number[]> = { plain: [], burst: [] };
    const { client, pass, sinceStartMs } = await stage((client) => [
      client.createFunction(
        { id: "plain", triggers: [{ event: "go" }], throttle: { limit: 5, period: "10s" } },
        async () => void started.plain?.push(sinceStartMs()),
      ),
      client.createFunction(
        { id: "burst", triggers: [{ event: "go" }], throttle: { limit: 5, period: "10s", burst: 1 } },
        async () => void started.burst?.push(sinceStartMs()),
      ),
    ]);
    await client.send(Array.from({ length: 12 }, () => ({ name: "go" })));
    await pass(10_000);
    expect(started.plain?.map((at) => Math.round(at / 1000))).toEqual([0, 0, 0, 0, 0, 2, 4, 6, 8]);
    expect(started.burst?.map((at) => Math.round(at / 1000))).toEqual([0, 0, 0, 0, 0, 0, 2, 4, 6, 8]);
    await pass(60_000);
    expect([started.plain?.length, started.burst?.length]).toEqual([12, 12]);
  });

  test("counts starts by key, not steps, wake-ups or retries within five minutes", async () => {
    const calls: [string, number][] = [];
    const { client, pass, sinceStartMs } = await stage((client) => [
      client.createFunction(
        {
          id: "keyed",
          triggers: [{ event: "go" }],
          throttle: { limit: 1, period: "1h", key: "event.data.shop" },
        },
        async ({ event, step, attempt }) => {
          await step.run("asks", () => {
            if (attempt === 0 && event.data.retry) throw new RetryAfterError("busy", event.data.retry);
          });
          await step.sleep("nap", "5s");
          calls.push([event.data.shop, Math.round(sinceStartMs() / 1000)]);
        },
      ),
    ]);
    await client.send([
      { name: "go", data: { shop: "a", retry: "3s" } },
      { name: "go", data: { shop: "b" } },
      { name: "go", data: { shop: "b" } },
      { name: "go", data: {} },
      { name: "go", data: {} },
    ]);
    await pass(2 * 3_600_000);
    expect(calls.filter(([shop]) => shop === "a")).toEqual([["a", 8]]);
    expect(calls.filter(([shop]) => shop === "b")).toEqual([
      ["b", 5],
      ["b", 3605],
    ]);
    // Events without the key's field share one key.
    expect(calls.filter(([shop]) => shop === undefined).map(([, at]) => at)).toEqual([5, 3605]);
  });

  test("counts a retry that comes after more than five minutes as another start", async () => {
    const calls: number[] = [];
    const { client, pass, sinceStartMs } = await stage((client) => [
      client.createFunction(
        { id: "late", triggers: [{ event: "go" }], throttle: { limit: 1, period: "1h" } },
        async ({ attempt }) => {
          calls.push(Math.round(sinceStartMs() / 1000));
          if (attempt === 0) throw new RetryAfterError("busy", "320s");
        },
      ),
    ]);
    await client.send({ name: "go" });
    await pass(2 * 3_600_000);
    expect(calls).toEqual([0, 3600]);
  });

  test("a changed key expression releases the backlog at once", async () => {
    const started: string[] = [];
    const define = (key: string) => (client: Parameters<Parameters<typeof stage>[0]>[0]) =>
      client.createFunction(
        { id: "rekeyed", triggers: [{ event: "go" }], throttle: { limit: 1, period: "1h", key } },
        async ({ runId }) => void started.push(runId),
      );
    const { client, pass, serveFunctions } = await stage((client) => [define("event.data.shop")(client)]);
    await client.send(Array.from({ length: 5 }, () => ({ name: "go", data: { shop: "a", city: "b" } })));
    await pass(1000);
    expect(started).toHaveLength(1);
    await serveFunctions([define("event.data.city")(client)]);
    await pass(1000);
    expect(started).toHaveLength(5);
  });
});

describe("concurrency", () => {
  test("counts calls in flight by key; sleeping runs hold no slot", async () => {
    const inFlight = new Map<string, number>();
    const most = new Map<string, number>();
    const { client, pass, runsOf } = await stage((client) => [
      client.createFunction(
        { id: "narrow", triggers: [{ event: "go" }], concurrency: { limit: 2, key: "event.data.shop" } },
        async ({ event, step }) => {
          const shop = event.data.shop as string;
          await step.run("work", async () => {
            inFlight.set(shop, (inFlight.get(shop) ?? 0) + 1);
            most.set(shop, Math.max(most.get(shop) ?? 0, inFlight.get(shop) ?? 0));
            await new Promise((resolve) => setImmediate(resolve));
            inFlight.set(shop, (inFlight.get(shop) ?? 0) - 1);
          });
          await step.sleep("nap", "1h");
        },
      ),
    ]);
    await client.send(["a", "a", "a", "a", "b", "b", "b"].map((shop) => ({ name: "go", data: { shop } })));
    await pass(10_000);
    expect(Object.fromEntries(most)).toEqual({ a: 2, b: 2 });
    expect(runsOf("narrow").map(({ status }) => status)).toEqual(Array(7).fill("waiting"));
  });

  test("an account key is shared by functions", async () => {
    let inFlight = 0;
    let most = 0;
    const work = async () => {
      inFlight += 1;
      most = Math.max(most, inFlight);
      await new Promise((resolve) => setImmediate(resolve));
      inFlight -= 1;
    };
    const shared = { scope: "account", key: '"provider"', limit: 1 } as const;
    const { client, pass, engine } = await stage((client) => [
      client.createFunction({ id: "one", triggers: [{ event: "go" }], concurrency: shared }, work),
      client.createFunction(
        { id: "two", triggers: [{ event: "go" }], concurrency: [shared, { limit: 5 }] },
        work,
      ),
    ]);
    await client.send([{ name: "go" }, { name: "go" }]);
    await pass(10_000);
    expect(engine.runs().map(({ status }) => status)).toEqual(Array(4).fill("completed"));
    expect(most).toBe(1);
  });
});

describe("the other limits", () => {
  test("rateLimit drops what is too much, and idempotency lets one start through a day", async () => {
    const limited: string[] = [];
    const days: number[] = [];
    const { client, pass, runsOf, sinceStartMs } = await stage((client) => [
      client.createFunction(
        { id: "limited", triggers: [{ event: "go" }], rateLimit: { limit: 10, period: "1h" } },
        async ({ runId }) => void limited.push(runId),
      ),
      client.createFunction(
        { id: "once", triggers: [{ event: "go" }], idempotency: "event.data.order" },
        async () => void days.push(Math.round(sinceStartMs() / 86_400_000)),
      ),
    ]);
    const eventsOfOneOrder = () => Array.from({ length: 10 }, () => ({ name: "go", data: { order: 1 } }));
    await client.send(eventsOfOneOrder());
    await pass(86_400_000);
    // A tenth of the limit, and one more, at once: small limits are stricter than they read.
    expect(limited).toHaveLength(2);
    await client.send(eventsOfOneOrder());
    await pass(1000);
    expect(days).toEqual([0, 1]);
    expect(runsOf("once")).toHaveLength(2);
  });

  test("priority moves a run ahead of others that wait", async () => {
    const order: string[] = [];
    const { client, pass } = await stage((client) => [
      client.createFunction(
        {
          id: "lanes",
          triggers: [{ event: "go" }],
          concurrency: 1,
          priority: { run: "event.data.lane == 'urgent' ? 300 : event.data.lane == 'bulk' ? -300 : 0" },
        },
        async ({ event }) => void order.push(event.data.lane),
      ),
    ]);
    await client.send(
      ["bulk", "standard", "urgent", "bulk", "urgent"].map((lane) => ({ name: "go", data: { lane } })),
    );
    await pass(1000);
    expect(order).toEqual(["urgent", "urgent", "standard", "bulk", "bulk"]);
  });

  test("a singleton skips while one run lives", async () => {
    const { client, pass, runsOf } = await stage((client) => [
      client.createFunction(
        { id: "single", triggers: [{ event: "go" }], singleton: { mode: "skip", key: "event.data.shop" } },
        async ({ step }) => step.sleep("nap", "1m"),
      ),
    ]);
    const send = (shop: string) => client.send({ name: "go", data: { shop } });
    await send("a");
    await pass(1000);
    await send("a");
    await send("b");
    await pass(120_000);
    await send("a");
    await pass(1000);
    expect(runsOf("single").map(({ status }) => status)).toEqual([
      "completed",
      "skipped",
      "completed",
      "waiting",
    ]);
  });

  test("start and finish timeouts cancel, without calling the failure handler", async () => {
    const failures: string[] = [];
    const cancelled: string[] = [];
    const { client, pass, runsOf } = await stage((client) => [
      client.createFunction(
        {
          id: "late",
          triggers: [{ event: "go" }],
          throttle: { limit: 1, period: "1h" },
          timeouts: { start: "10m" },
          onFailure: async ({ runId }: { runId: string }) => void failures.push(runId),
        },
        async () => {},
      ),
      client.createFunction(
        { id: "long", triggers: [{ event: "go" }], timeouts: { finish: "5m" } },
        async ({ step }) => step.sleep("nap", "1h"),
      ),
      client.createFunction(
        { id: "heard", triggers: [{ event: "inngest/function.cancelled" }] },
        async ({ event }) => void cancelled.push(event.data.function_id),
      ),
    ]);
    await client.send([{ name: "go" }, { name: "go" }]);
    await pass(2 * 3_600_000);
    expect(runsOf("late").map(({ status }) => status)).toEqual(["completed", "cancelled"]);
    expect(runsOf("long").map(({ status }) => status)).toEqual(["cancelled", "cancelled"]);
    expect(failures).toEqual([]);
    expect(cancelled.sort()).toEqual(["shop-late", "shop-long", "shop-long"]);
  });

  test("options the engine does not have are refused by name", async () => {
    const batched = stage((client) => [
      client.createFunction(
        { id: "batched", triggers: [{ event: "go" }], batchEvents: { maxSize: 5, timeout: "5s" } },
        async () => {},
      ),
    ]);
    await expect(batched).rejects.toThrow("not registered");
    const strange = stage((client) => [
      client.createFunction(
        { id: "strange", triggers: [{ event: "go", if: "size(event.data.x) > 2" }] },
        async () => {},
      ),
    ]);
    await expect(strange).rejects.toThrow("not registered");
  });
});
