import { describe, expect, test } from "vitest";
import { stage } from "./setup";

const nap = "1h";

/** What a failure handler receives, as far as it is read here. */
type FailureContext = {
  event: { name: string; data: { function_id: string; event: { data: unknown } } };
  error: Error;
};

describe("events", () => {
  test("an event id starts a function once in 24 hours, and each function has its own memory", async () => {
    const { client, pass, runsOf } = await stage((client) => [
      client.createFunction({ id: "one", triggers: [{ event: "go" }] }, async () => {}),
      client.createFunction(
        { id: "two", triggers: [{ event: "go", if: "event.data.two == true" }] },
        async () => {},
      ),
    ]);
    await client.send({ name: "go", id: "order-1", data: { two: false } });
    await pass(1000);
    await client.send([
      { name: "go", id: "order-1", data: { two: true } },
      { name: "go", id: "order-1", data: { two: true } },
    ]);
    await pass(86_400_000 - 5000);
    await client.send({ name: "go", id: "order-1", data: { two: false } });
    await pass(1000);
    expect([runsOf("one").length, runsOf("two").length]).toEqual([1, 1]);
    await pass(5000);
    await client.send({ name: "go", id: "order-1", data: { two: false } });
    await pass(1000);
    expect(runsOf("one")).toHaveLength(2);
  });

  test("a future ts delays the start; the time the SDK fills in by itself does not", async () => {
    const { client, pass, runsOf, clock } = await stage((client) => [
      client.createFunction({ id: "f", triggers: [{ event: "go" }] }, async () => {}),
    ]);
    await client.send([{ name: "go" }, { name: "go", ts: clock.nowMs() + 60_000 }]);
    await pass(59_000);
    expect(runsOf("f").map(({ status }) => status)).toEqual(["completed", "queued"]);
    await pass(2000);
    expect(runsOf("f").map(({ status }) => status)).toEqual(["completed", "completed"]);
  });

  test("a post that is not valid is refused with a reason, after the valid events before it", async () => {
    const { engine } = await stage(() => []);
    const post = async (body: string) => {
      const response = await engine.fetch(new Request("http://engine.test/e/key", { method: "POST", body }));
      return { status: response.status, ...((await response.json()) as { ids: string[]; error?: string }) };
    };
    expect(await post('{"name":"a"}')).toMatchObject({ status: 200, ids: [expect.any(String)] });
    expect(await post("nonsense")).toMatchObject({ status: 400, error: "the body is not JSON" });
    expect(await post('[{"name":"a"},{"name":""},{"name":"b"}]')).toMatchObject({
      status: 400,
      ids: [expect.any(String)],
      error: "event name is empty",
    });
    expect(await post('{"name":"inngest/x"}')).toMatchObject({ status: 400, error: /reserved/ });
    expect(await post('{"name":"a","ts":5}')).toMatchObject({ status: 400, error: /1980/ });
    const large = "x".repeat(3 * 1024 * 1024);
    expect(await post(JSON.stringify({ name: "a", data: { large } }))).toMatchObject({
      status: 400,
      error: /over the max size/,
    });
    expect(engine.events().map(({ name }) => name)).toEqual(["a", "a"]);
  });

  test("cancelOn ends a sleeping run that matches; a cancel before, with or right after the trigger is lost", async () => {
    const { client, pass, runsOf } = await stage((client) => [
      client.createFunction(
        {
          id: "c",
          triggers: [{ event: "go" }],
          cancelOn: [{ event: "stop", if: "async.data.order == event.data.order" }],
        },
        async ({ step }) => step.sleep("nap", nap),
      ),
    ]);
    await client.send({ name: "stop", data: { order: 1 } });
    await client.send([
      { name: "go", data: { order: 1 } },
      { name: "stop", data: { order: 1 } },
      { name: "go", data: { order: 2 } },
    ]);
    await pass(1000);
    expect(runsOf("c").map(({ status }) => status)).toEqual(["waiting", "waiting"]);
    await client.send({ name: "stop", data: { order: 2 } });
    await pass(1000);
    expect(runsOf("c").map(({ status }) => status)).toEqual(["waiting", "cancelled"]);
  });

  test("a failed run calls its failure handler with event and error, and the handler's own failure stops there", async () => {
    const heard: unknown[] = [];
    const { client, pass, engine } = await stage((client) => [
      client.createFunction(
        {
          id: "fails",
          triggers: [{ event: "go" }],
          retries: 0,
          onFailure: async ({ event, error }: FailureContext) => {
            heard.push([event.name, event.data.function_id, event.data.event.data, error.message]);
            throw new Error("the handler fails too");
          },
        },
        async () => {
          throw new RangeError("out of reach");
        },
      ),
    ]);
    await client.send({ name: "go", data: { order: 9 } });
    await pass(600_000);
    const entry = ["inngest/function.failed", "shop-fails", { order: 9 }, "out of reach"];
    expect(heard).toEqual([entry, entry]);
    expect(engine.runs().map(({ functionId, status }) => [functionId, status])).toEqual([
      ["shop-fails", "failed"],
      ["shop-fails-failure", "failed"],
    ]);
  });

  test("a run that is started again has a new id and the same event, whose id does not stop it", async () => {
    let works = false;
    const seen: string[] = [];
    const { client, pass, engine, runsOf } = await stage((client) => [
      client.createFunction(
        { id: "r", triggers: [{ event: "go" }], retries: 0 },
        async ({ event, runId, attempt }) => {
          seen.push(`${event.id} ${runId} ${attempt}`);
          if (!works) throw new Error("not yet");
        },
      ),
    ]);
    await client.send({ name: "go", id: "order-1" });
    await pass(1000);
    const [failed] = runsOf("r");
    works = true;
    const newId = engine.rerun(failed?.id as string);
    await pass(1000);
    const [, again] = runsOf("r");
    expect(again).toMatchObject({
      id: newId,
      status: "completed",
      rerunOf: failed?.id,
      event: { id: "order-1" },
    });
    expect(seen).toEqual([`order-1 ${failed?.id} 0`, `order-1 ${newId} 0`]);
    expect(engine.rerun("unknown")).toBeNull();
  });
});
