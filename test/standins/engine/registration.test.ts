import type { Inngest } from "inngest";
import { describe, expect, test } from "vitest";
import { stage } from "./setup";

const sleeper = (client: Inngest) =>
  client.createFunction(
    { id: "sleeper", triggers: [{ event: "go" }, { cron: "0 * * * *" }] },
    async ({ step }) => {
      await step.sleep("nap", "30m");
      return "woke";
    },
  );
const other = (client: Inngest) =>
  client.createFunction({ id: "other", triggers: [{ event: "x" }] }, async () => {});

describe("registration", () => {
  test("a removed function starts nothing and has no cron; its sleeping runs call, and fail when nobody serves them", async () => {
    const { client, pass, runsOf, serveFunctions } = await stage((client) => [
      sleeper(client),
      other(client),
    ]);
    await client.send({ name: "go" });
    await pass(1000);
    await serveFunctions([other(client)]);
    await client.send({ name: "go" });
    await pass(3 * 3_600_000);
    expect(runsOf("sleeper")).toHaveLength(1);
    expect(runsOf("sleeper")[0]).toMatchObject({
      status: "failed",
      error: { message: /was not found in this app/ },
    });
  });

  test("a function that comes back has its cron again, and changed retries are in force for living runs", async () => {
    let fail = true;
    const define = (retries: 0 | 3) => (client: Inngest) =>
      client.createFunction(
        { id: "f", triggers: [{ event: "go" }, { cron: "0 * * * *" }], retries },
        async ({ step }) => {
          await step.sleep("nap", "10m");
          if (fail) throw new Error("not yet");
        },
      );
    const { client, pass, runsOf, serveFunctions } = await stage((client) => [define(0)(client)]);
    await client.send({ name: "go" });
    await pass(1000);
    await serveFunctions([]);
    await serveFunctions([define(3)(client)]);
    await pass(601_000);
    fail = false;
    await pass(3_600_000);
    expect(runsOf("f").map(({ event, status }) => [event.name, status])).toEqual([
      ["go", "completed"],
      ["inngest/scheduled.timer", "completed"],
    ]);
  });

  test("registering the same again changes nothing", async () => {
    const { engine, client, serveFunctions, pass, runsOf } = await stage((client) => [sleeper(client)]);
    const body = () =>
      engine.fetch(new Request("http://engine.test/dev")).then((response) => response.json());
    const before = await body();
    for (let time = 0; time < 3; time += 1) await serveFunctions([sleeper(client)]);
    expect(await body()).toEqual(before);
    await pass(3_600_000 + 1000);
    expect(runsOf("sleeper")).toHaveLength(1);
  });
});

describe("an engine", () => {
  test("given ids and chance, the same story is told the same way", async () => {
    const tell = async () => {
      const { client, pass, engine } = await stage((client) => [
        client.createFunction(
          {
            id: "f",
            triggers: [{ event: "go" }, { cron: "*/5 * * * *" }],
            throttle: { limit: 2, period: "60s" },
          },
          async ({ event, step, attempt }) => {
            await Promise.all([step.run("a", () => 1), step.run("b", () => 2), step.sleep("c", "7s")]);
            if (attempt === 0 && event.data.fails) throw new Error("once");
          },
        ),
      ]);
      engine.faults.dropResponses = 1;
      await client.send(
        Array.from({ length: 5 }, (_, index) => ({ name: "go", data: { fails: index % 2 === 0 } })),
      );
      await pass(1_800_000);
      return JSON.stringify(engine.runs().map((run) => ({ ...run, error: run.error?.message })));
    };
    expect(await tell()).toBe(await tell());
  });

  test("keeps the latest ended runs and all living ones", async () => {
    const { client, pass, engine, runsOf } = await stage(
      (client) => [
        client.createFunction(
          { id: "quick", triggers: [{ event: "go" }] },
          async ({ event }) => event.data.number,
        ),
        client.createFunction({ id: "slow", triggers: [{ event: "go" }] }, async ({ step }) =>
          step.sleep("nap", "1h"),
        ),
      ],
      { historyLimit: 3 },
    );
    await client.send(Array.from({ length: 10 }, (_, number) => ({ name: "go", data: { number } })));
    await pass(1000);
    expect(runsOf("quick").map(({ output }) => output)).toEqual([7, 8, 9]);
    expect(runsOf("slow")).toHaveLength(10);
    expect(engine.busyCount()).toBe(0);
  });

  test("what follows a race goes on with the first to finish; the run ends when the last has", async () => {
    const after: [string, number][] = [];
    const { client, pass, runsOf, sinceStartMs } = await stage((client) => [
      client.createFunction({ id: "race", triggers: [{ event: "go" }] }, async ({ step, group }) => {
        const first = await group.parallel({ mode: "race" }, () =>
          Promise.race([
            step.waitForEvent("answer", { event: "answer", timeout: "30s" }).then(() => "answer"),
            step.sleep("patience", "10s").then(() => "patience"),
          ]),
        );
        await step.run("after", () => after.push([first, Math.round(sinceStartMs() / 1000)]));
        return first;
      }),
    ]);
    await client.send({ name: "go" });
    await pass(20_000);
    expect(after).toEqual([["patience", 10]]);
    expect(runsOf("race")[0]?.status).toBe("waiting");
    await pass(20_000);
    expect(runsOf("race")[0]).toMatchObject({ status: "completed", output: "patience" });
    expect(after).toHaveLength(1);
  });
});
