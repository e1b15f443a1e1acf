import { NonRetriableError, RetryAfterError } from "inngest";
import { describe, expect, test } from "vitest";
import { stage } from "./setup";

describe("a run", () => {
  test("goes from event through steps, sleep and parallel steps to its result, each step executed once", async () => {
    const executed: string[] = [];
    const { client, engine, pass, runsOf, exchanges } = await stage((client) => [
      client.createFunction({ id: "walk", triggers: [{ event: "walk" }] }, async ({ event, step }) => {
        const step1 = await step.run("first", () => {
          executed.push("first");
          return { value: event.data.value };
        });
        await step.sleep("nap", "10s");
        const both = await Promise.all([
          step.run("left", () => executed.push("left")),
          step.run("right", () => executed.push("right")),
        ]);
        return { ...step1, both: both.length };
      }),
    ]);
    const { ids } = await client.send({ name: "walk", data: { value: 4 } });
    await pass(9000);
    expect(runsOf("walk")[0]).toMatchObject({
      status: "waiting",
      steps: [{ name: "first" }, { status: "sleeping" }],
    });
    await pass(60_000);

    const [run] = runsOf("walk");
    expect(run).toMatchObject({ status: "completed", output: { value: 4, both: 2 }, error: null });
    expect(run?.steps.map(({ name, status }) => [name, status])).toEqual([
      ["first", "completed"],
      ["nap", "completed"],
      ["left", "completed"],
      ["right", "completed"],
    ]);
    expect(executed).toEqual(["first", "left", "right"]);
    expect(run?.event.internalId).toBe(ids[0]);
    // first, sleep, plan, left, right and one call after both: steps planned together ask once what comes next.
    expect(exchanges).toHaveLength(6);
    expect(exchanges[3]?.url.searchParams.get("stepId")).toBe(run?.steps[2]?.id);
    expect(exchanges[0]?.body.version).toBe(-1);
    expect(exchanges[1]?.body.version).toBe(2);
    expect(engine.busyCount()).toBe(0);
  });

  test("a failed step is tried again after Retry-After, and attempts start anew after a success", async () => {
    const attempts: [string, number, number | undefined, number][] = [];
    const { client, pass, runsOf } = await stage((client, clock) => [
      client.createFunction(
        { id: "retry", triggers: [{ event: "retry" }], retries: 2 },
        async ({ step, attempt, maxAttempts }) => {
          await step.run("asks", () => {
            attempts.push(["asks", attempt, maxAttempts, clock.nowMs() % 100_000]);
            if (attempt < 2) throw new RetryAfterError("busy", new Date(clock.nowMs() + 20_500));
          });
          await step.run("next", () => {
            attempts.push(["next", attempt, maxAttempts, clock.nowMs() % 100_000]);
          });
        },
      ),
    ]);
    await client.send({ name: "retry" });
    await pass(120_000);
    expect(runsOf("retry")[0]?.status).toBe("completed");
    // A date is met exactly (to the millisecond of the answer).
    expect(attempts).toEqual([
      ["asks", 0, 3, 6],
      ["asks", 1, 3, 20_506],
      ["asks", 2, 3, 41_006],
      ["next", 0, 3, 41_009],
    ]);
  });

  test("whole seconds of Retry-After count from the current second, hence up to a second early", async () => {
    const tries: number[] = [];
    const { client, clock, pass, sinceStartMs } = await stage((client) => [
      client.createFunction({ id: "seconds", triggers: [{ event: "seconds" }] }, async ({ attempt }) => {
        tries.push(sinceStartMs());
        if (attempt === 0) throw new RetryAfterError("busy", "30s");
        if (attempt === 1) throw new RetryAfterError("busy", "48h");
      }),
    ]);
    clock.advanceTo(clock.nowMs() + 700);
    await client.send({ name: "seconds" });
    await pass(2 * 86_400_000);
    expect(tries).toEqual([706, 30_000, 30_000 + 86_400_000]);
  });

  test("an error without Retry-After waits 15 s, 30 s, 60 s and up to 30 s of jitter", async () => {
    const tries: number[] = [];
    const { client, pass, runsOf, sinceStartMs } = await stage((client) => [
      client.createFunction({ id: "backoff", triggers: [{ event: "backoff" }] }, async ({ step }) => {
        await step.run("never", () => {
          tries.push(sinceStartMs());
          throw new Error("no");
        });
      }),
    ]);
    await client.send({ name: "backoff" });
    await pass(3_600_000);
    const waits = tries.slice(1).map((at, index) => at - (tries[index] as number));
    expect(waits).toEqual([30_000, 45_000, 75_000, 135_000]);
    expect(runsOf("backoff")[0]).toMatchObject({ status: "failed", error: { name: "Error", message: "no" } });
  });

  test("a step that used up its attempts can be caught, and a final error ends the run at once", async () => {
    let tries = 0;
    const { client, pass, runsOf } = await stage((client) => [
      client.createFunction({ id: "caught", triggers: [{ event: "go" }], retries: 1 }, async ({ step }) => {
        return await step
          .run("bad", () => {
            tries += 1;
            throw new TypeError("bad");
          })
          .catch((error: Error) => `caught ${error.message}`);
      }),
      client.createFunction({ id: "final", triggers: [{ event: "go" }] }, async () => {
        throw new NonRetriableError("never again");
      }),
    ]);
    await client.send({ name: "go" });
    await pass(120_000);
    expect(tries).toBe(2);
    expect(runsOf("caught")[0]).toMatchObject({ status: "completed", output: "caught bad" });
    expect(runsOf("caught")[0]?.steps[0]).toMatchObject({ status: "failed", attempts: 2 });
    expect(runsOf("final")[0]).toMatchObject({ status: "failed", error: { name: "NonRetriableError" } });
    expect(runsOf("final")[0]?.calls).toHaveLength(1);
  });

  test("sleepUntil is rounded to whole seconds from now and may wake half a second early", async () => {
    const woke: number[] = [];
    const { client, pass, sinceStartMs, runsOf } = await stage((client) => [
      client.createFunction({ id: "until", triggers: [{ event: "until" }] }, async ({ event, step }) => {
        await step.sleepUntil("due", new Date(event.data.at));
        await step.run("woke", () => woke.push(sinceStartMs()));
      }),
    ]);
    const base = Date.UTC(2031, 5, 2, 8, 0, 0);
    await client.send([
      { name: "until", data: { at: base + 10_400 } },
      { name: "until", data: { at: base + 10_600 } },
      { name: "until", data: { at: base - 5000 } },
      { name: "until", data: { at: base + 400 * 86_400_000 } },
    ]);
    await pass(30_000);
    expect(woke.sort((left, right) => left - right)).toEqual([6, 10_006, 11_006]);
    const [tooLong] = runsOf("until").filter((run) => run.status === "failed");
    expect(tooLong?.error?.name).toBe("InngestErrTimeoutTooLong");
  });

  test("waits for a matching event, gives up after its timeout, and takes the result of a run it invokes", async () => {
    const { client, pass, runsOf } = await stage((client) => {
      const callee = client.createFunction(
        { id: "callee", triggers: [{ event: "x" }] },
        async ({ event }) => {
          if (event.data.fail) throw new NonRetriableError("refused");
          return event.data.number * 2;
        },
      );
      return [
        callee,
        client.createFunction({ id: "waiter", triggers: [{ event: "wait" }] }, async ({ step }) => {
          const found = await step.waitForEvent("answer", {
            event: "answer",
            timeout: "1m",
            if: "async.data.order == event.data.order",
          });
          const missed = await step.waitForEvent("nothing", { event: "nothing", timeout: "30s" });
          const doubled = await step.invoke("double", { function: callee, data: { number: 21 } });
          const refused = await step
            .invoke("refuse", { function: callee, data: { fail: true } })
            .catch(String);
          return { found: found?.data.word, missed, doubled, refused };
        }),
      ];
    });
    await client.send({ name: "wait", data: { order: 7 } });
    await pass(5000);
    await client.send([
      { name: "answer", data: { order: 8, word: "wrong" } },
      { name: "answer", data: { order: 7, word: "right" } },
    ]);
    await pass(120_000);
    expect(runsOf("waiter")[0]).toMatchObject({
      status: "completed",
      output: { found: "right", missed: null, doubled: 42, refused: expect.stringContaining("refused") },
    });
  });

  test("an operation this engine does not know fails the run and says so", async () => {
    const { client, pass, runsOf } = await stage((client) => [
      client.createFunction({ id: "odd", triggers: [{ event: "odd" }] }, async ({ step }) => {
        await step.waitForSignal("signal", { signal: "s", timeout: "1m" });
      }),
    ]);
    await client.send({ name: "odd" });
    await pass(1000);
    expect(runsOf("odd")[0]?.error?.message).toContain('"WaitForSignal"');
  });

  test("a step that answers over 4 MiB is an error, and a run that keeps over 32 MiB fails for good", async () => {
    const { client, pass, runsOf } = await stage((client) => [
      client.createFunction({ id: "large", triggers: [{ event: "go" }], retries: 0 }, ({ step }) =>
        step.run("large", () => "x".repeat(4 * 1024 * 1024)),
      ),
      client.createFunction({ id: "many", triggers: [{ event: "go" }] }, async ({ step }) => {
        for (let count = 0; count < 9; count += 1)
          await step.run(`part-${count}`, () => "x".repeat(4 * 1024 * 1024 - 2));
      }),
    ]);
    await client.send({ name: "go" });
    await pass(5_000);
    expect(runsOf("large")[0]?.error?.message).toContain("step output size is greater than the limit");
    expect(runsOf("many")[0]).toMatchObject({
      status: "failed",
      error: { name: "InngestErrStateOverflowed" },
    });
    expect(runsOf("many")[0]?.steps.filter(({ status }) => status === "completed")).toHaveLength(8);
  });
});
