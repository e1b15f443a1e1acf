import { describe, expect, test } from "vitest";
import { stage } from "./setup";

describe("when things are lost", () => {
  test("a step whose answer is lost is executed again, as often as answers are lost", async () => {
    const executed: string[] = [];
    const { client, pass, engine, runsOf } = await stage((client) => [
      client.createFunction({ id: "f", triggers: [{ event: "go" }] }, async ({ step }) =>
        step.run("send", () => executed.push("sent")),
      ),
    ]);
    engine.faults.dropResponses = 2;
    await client.send({ name: "go" });
    await pass(300_000);
    expect(executed).toHaveLength(3);
    expect(runsOf("f")[0]).toMatchObject({ status: "completed", output: 3 });
  });

  test("an app that is down while a run sleeps does not lose it: the call is repeated until the app is back", async () => {
    const { client, pass, runsOf, app } = await stage((client) => [
      client.createFunction({ id: "f", triggers: [{ event: "go" }] }, async ({ step }) => {
        await step.sleep("nap", "1h");
        return "woke";
      }),
    ]);
    await client.send({ name: "go" });
    await pass(60_000);
    app.down = true;
    await pass(3_600_000);
    const [run] = runsOf("f");
    expect(run).toMatchObject({ status: "waiting", attempt: 2 });
    expect(run?.calls.at(-1)?.outcome).toBe("TypeError: Unable to reach the app at app.test: fetch failed");
    app.down = false;
    await pass(600_000);
    expect(runsOf("f")[0]).toMatchObject({ status: "completed", output: "woke" });
  });

  test("a post whose answer is lost is repeated by the SDK with the same seed and starts nothing twice", async () => {
    const { client, pass, engine, runsOf } = await stage((client) => [
      client.createFunction({ id: "f", triggers: [{ event: "go" }] }, async () => {}),
    ]);
    engine.faults.loseEventAcks = 1;
    const { ids } = await client.send({ name: "go" });
    await pass(1000);
    expect(engine.events()).toHaveLength(2);
    expect(new Set(engine.events().map(({ internalId }) => internalId))).toEqual(new Set(ids));
    expect(runsOf("f")).toHaveLength(1);
  });

  test("an event acted on twice starts once if it has an id of its own, and events can be reordered or lost", async () => {
    const order: string[] = [];
    const { client, pass, engine, runsOf } = await stage((client) => [
      client.createFunction(
        { id: "f", triggers: [{ event: "go" }] },
        async ({ event }) => void order.push(event.id),
      ),
    ]);
    engine.faults.duplicateEvents = 1;
    engine.faults.onEvent = ({ id }) => (id === "lost" ? [] : id === "late" ? [5000] : [0]);
    await client.send({ name: "go", id: "twice" });
    await client.send([
      { name: "go", id: "late" },
      { name: "go", id: "lost" },
      { name: "go", id: "soon" },
    ]);
    await pass(10_000);
    expect(order).toEqual(["twice", "soon", "late"]);
    expect(runsOf("f")).toHaveLength(3);
  });

  test("refused events are not kept, and the sender hears of it", async () => {
    const { engine } = await stage(() => []);
    engine.faults.refuseEvents = true;
    const post = () =>
      engine.fetch(new Request("http://engine.test/e/k", { method: "POST", body: '{"name":"a"}' }));
    expect((await post()).status).toBe(500);
    engine.faults.refuseEvents = false;
    expect((await post()).status).toBe(200);
    expect(engine.events()).toHaveLength(1);
  });

  test("an engine that forgot everything has no runs, ids or crons until the app registers again", async () => {
    const ticks: string[] = [];
    const define = (client: Parameters<Parameters<typeof stage>[0]>[0]) => [
      client.createFunction(
        { id: "tick", triggers: [{ cron: "* * * * *" }] },
        async ({ runId }) => void ticks.push(runId),
      ),
      client.createFunction({ id: "f", triggers: [{ event: "go" }] }, async ({ step }) =>
        step.sleep("nap", "1h"),
      ),
    ];
    const { client, pass, engine, runsOf, serveFunctions } = await stage(define);
    await client.send({ name: "go", id: "order-1" });
    await pass(61_000);
    expect([ticks.length, runsOf("f").length]).toEqual([1, 1]);
    engine.forgetEverything();
    await client.send({ name: "go", id: "order-1" });
    await pass(2 * 3_600_000);
    expect([ticks.length, engine.runs().length]).toEqual([1, 0]);
    await serveFunctions(define(client));
    await client.send({ name: "go", id: "order-1" });
    await pass(61_000);
    expect([ticks.length, runsOf("f").length]).toEqual([2, 1]);
  });

  test("a call without answer counts as failed after the timeout, and what it answers later changes nothing", async () => {
    let release = () => {};
    let calls = 0;
    const { client, clock, engine, runsOf, pass } = await stage(
      (client) => [
        client.createFunction({ id: "f", triggers: [{ event: "go" }] }, async () => {
          calls += 1;
          if (calls === 1) await new Promise<void>((resolve) => (release = resolve));
          return calls;
        }),
      ],
      { requestTimeoutMs: 5000 },
    );
    await client.send({ name: "go" });
    clock.advanceTo(clock.nowMs() + 3);
    clock.advanceTo(clock.nowMs() + 3);
    expect(engine.busyCount()).toBe(1);
    clock.advanceTo(clock.nowMs() + 5000);
    await engine.idle();
    expect(runsOf("f")[0]?.calls[0]?.outcome).toContain("no answer within 5000 ms");
    await pass(60_000);
    release();
    await pass(60_000);
    expect(runsOf("f")[0]).toMatchObject({ status: "completed", output: 2 });
  });

  test("a suspended engine makes up for every cron tick it missed, each with its own time", async () => {
    const ticks: [string, number][] = [];
    const { pass, engine, sinceStartMs } = await stage((client) => [
      client.createFunction(
        { id: "tick", triggers: [{ cron: "* * * * *" }] },
        async ({ event }) =>
          void ticks.push([(event.data as { scheduledAt: string }).scheduledAt, sinceStartMs()]),
      ),
    ]);
    await pass(61_000);
    engine.faults.freeze();
    await pass(190_000);
    expect(ticks).toEqual([["2031-06-02T08:01:00Z", 60_003]]);
    engine.faults.thaw();
    await pass(1000);
    expect(ticks.slice(1)).toEqual([
      ["2031-06-02T08:02:00Z", 251_003],
      ["2031-06-02T08:03:00Z", 251_003],
      ["2031-06-02T08:04:00Z", 251_003],
    ]);
  });
});
