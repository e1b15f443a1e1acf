import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Inngest } from "inngest";
import { serve as serveEdge } from "inngest/edge";
import { serve as serveNode } from "inngest/node";
import { describe, expect, test } from "vitest";
import { virtualClock } from "../../../standins/clock";
import { createEngine } from "../../../standins/engine/core";
import { drive } from "../../../standins/engine/drive";
import { startEngineServer } from "../../../standins/engine/server";
import { stage } from "./setup";

const SIGNING_KEY = "signkey-test-0123456789abcdef0123456789abcdef";

/** A promise and the function that keeps it. */
function signal(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((keep) => {
    resolve = keep;
  });
  return { promise, resolve };
}

async function oneFailedAndOneSleeping() {
  const set = await stage((client) => [
    client.createFunction({ id: "fails", triggers: [{ event: "go" }], retries: 0 }, async ({ step }) => {
      await step.run("look <up>", () => ({ found: true }));
      throw new RangeError("out of <reach>");
    }),
    client.createFunction(
      { id: "sleeps", triggers: [{ event: "go" }, { cron: "TZ=Europe/Paris 0 9 * * *" }], concurrency: 3 },
      async ({ step }) => step.sleep("nap", "1h"),
    ),
  ]);
  await set.client.send({ name: "go", id: "order-1", data: { order: 1 } });
  await set.pass(5000);
  const get = (path: string) => set.engine.fetch(new Request(`http://engine.test${path}`));
  const send = (method: string, path: string, init: RequestInit = {}) =>
    set.engine.fetch(new Request(`http://engine.test${path}`, { method, ...init }));
  const json = async (path: string) => (await get(path)).json() as Promise<Record<string, never>>;
  return { ...set, get, send, json };
}

describe("the pages", () => {
  test("list runs newest first, filtered by function and status, with everything escaped", async () => {
    const { get, runsOf } = await oneFailedAndOneSleeping();
    const all = await (await get("/")).text();
    expect(all).toContain("Failed");
    expect(all).toContain("Waiting");
    expect(all).toContain("next in 59 min");
    const failed = await (await get("/?function=shop-fails&status=failed")).text();
    expect(failed).toContain(runsOf("fails")[0]?.id);
    expect(failed).not.toContain(`/runs/${runsOf("sleeps")[0]?.id}`);
    expect(failed).toContain("Rerun 1 failed run");
    expect(await (await get("/?status=skipped")).text()).toContain("No run matches this filter");
    const run = await (await get(`/runs/${runsOf("fails")[0]?.id}`)).text();
    expect(run).toContain("out of &#60;reach&#62;");
    expect(run).toContain("look &#60;up&#62;");
    expect(run).not.toContain("<reach>");
    expect(run).toContain("order-1");
    const functions = await (await get("/functions")).text();
    expect(functions).toContain("concurrency 3");
    expect(functions).toContain('datetime="2031-06-03T07:00:00.000Z"');
  });

  test("an engine without apps and one without runs say what comes next", async () => {
    const bare = createEngine({
      clock: virtualClock(0),
      call: () => Promise.reject(new TypeError("nobody")),
    });
    expect(await bare.sync("http://app.test")).toBe(false);
    expect(await (await bare.fetch(new Request("http://engine.test/"))).text()).toContain(
      "No app has registered yet",
    );
    const { engine } = await stage((client) => [
      client.createFunction({ id: "f", triggers: [{ event: "go" }] }, async () => {}),
    ]);
    expect(await (await engine.fetch(new Request("http://engine.test/"))).text()).toContain("No runs yet");
    expect((await engine.fetch(new Request("http://engine.test/runs/none"))).status).toBe(404);
  });

  test("rerun makes a new run, cancel ends a living one, and a bulk rerun takes each failed run once", async () => {
    const { send, runsOf, engine, get } = await oneFailedAndOneSleeping();
    const [failed] = runsOf("fails");
    const [sleeping] = runsOf("sleeps");
    const answer = await send("POST", `/runs/${failed?.id}/rerun`);
    expect(answer.status).toBe(303);
    expect(answer.headers.get("location")).toBe(`/runs/${runsOf("fails")[1]?.id}`);
    await send("POST", `/runs/${sleeping?.id}/cancel`);
    expect(runsOf("sleeps")[0]?.status).toBe("cancelled");
    engine.cancel(runsOf("fails")[1]?.id as string);
    const none = await send("POST", "/runs/rerun", { body: "function=shop-fails" });
    expect(none.headers.get("location")).toContain("rerun=0");
    expect(await (await get(none.headers.get("location") as string)).text()).toContain("Nothing was rerun");
    const foreign = await send("POST", `/runs/${failed?.id}/rerun`, {
      headers: { origin: "https://elsewhere.test" },
    });
    expect(foreign.status).toBe(403);
  });
});

describe("the APIs", () => {
  test("answer events, their runs and single runs, and rerun and cancel by id", async () => {
    const { engine, json, send, runsOf, pass } = await oneFailedAndOneSleeping();
    const [event] = engine.events();
    const [failed] = runsOf("fails");
    const [sleeping] = runsOf("sleeps");
    expect(await json(`/v1/events/${event?.internalId}`)).toMatchObject({
      data: { id: "order-1", name: "go" },
    });
    expect(await json(`/v1/events/${event?.internalId}/runs`)).toMatchObject({
      data: [{ run_id: failed?.id }, { run_id: sleeping?.id }],
    });
    expect(await json(`/v1/runs/${failed?.id}`)).toMatchObject({ data: { status: "Failed" } });
    expect(await json(`/v1/runs/${sleeping?.id}/jobs`)).toMatchObject([{ kind: "sleep", attempt: 0 }]);
    expect(await json(`/api/runs/${sleeping?.id}.json`)).toMatchObject({
      status: "waiting",
      steps: [{ name: "nap" }],
    });
    expect(await json("/api/runs.json?status=failed")).toMatchObject([{ id: failed?.id }]);
    expect(await json("/dev")).toMatchObject({ functions: [{ id: "shop-fails" }, { id: "shop-sleeps" }] });
    const again = (await (await send("POST", `/api/runs/${failed?.id}/rerun`)).json()) as { runId: string };
    await pass(5000);
    expect(await json(`/v1/runs/${again.runId}`)).toMatchObject({ data: { status: "Failed" } });
    expect((await send("DELETE", `/v1/runs/${sleeping?.id}`)).status).toBe(204);
    expect(await json(`/v1/runs/${sleeping?.id}`)).toMatchObject({ data: { status: "Cancelled" } });
    for (const path of ["/v1/runs/none", "/v1/events/none", "/v1/checkpoint/x/async"]) {
      expect((await send("GET", path)).status).toBe(404);
    }
  });

  test("invoke starts one function by its id, whatever its triggers, and its run is found by the event", async () => {
    const { send, json, pass } = await oneFailedAndOneSleeping();
    expect((await send("POST", "/invoke/shop-nobody", { body: "{}" })).status).toBe(404);
    const invoked = await send("POST", "/invoke/shop-sleeps", { body: '{"data":{}}' });
    const { id } = (await invoked.json()) as { id: string };
    await pass(1000);
    expect(await json(`/v1/events/${id}/runs`)).toMatchObject({ data: [{ function_id: "shop-sleeps" }] });
  });

  test("control sets faults and forgets everything", async () => {
    const { send, engine } = await oneFailedAndOneSleeping();
    const set = await send("PUT", "/control", {
      body: JSON.stringify({ refuseEvents: true, dropResponses: 3 }),
    });
    expect(await set.json()).toMatchObject({ refuseEvents: true, dropResponses: 3 });
    expect(engine.faults).toMatchObject({ refuseEvents: true, dropResponses: 3 });
    await send("POST", "/control/forget");
    expect(engine.runs()).toEqual([]);
  });
});

describe("with a signing key", () => {
  test("calls are signed and registrations checked, as the SDK in cloud mode demands", async () => {
    const clock = virtualClock(Date.now());
    let handler: (request: Request) => Promise<Response>;
    const engine = createEngine({
      clock,
      signingKey: SIGNING_KEY,
      call: (url, init) => handler(new Request(url, init)),
    });
    const quiet = { info() {}, warn() {}, error() {}, debug() {} };
    const appWith = (signingKey: string) => {
      const client = new Inngest({
        id: "shop",
        isDev: false,
        eventKey: "k",
        signingKey,
        checkpointing: false,
        baseUrl: "http://engine.test",
        logger: quiet,
        internalLogger: quiet,
        fetch: ((input, init) => engine.fetch(new Request(input as string, init))) as typeof fetch,
      });
      const fn = client.createFunction(
        { id: "f", triggers: [{ event: "go" }] },
        async ({ event }) => event.data,
      );
      handler = serveEdge({ client, functions: [fn] });
      return client;
    };
    appWith(SIGNING_KEY.replaceAll("0", "f"));
    expect(await engine.sync("http://app.test")).toBe(false);
    const client = appWith(SIGNING_KEY);
    expect(await engine.sync("http://app.test")).toBe(true);
    await client.send({ name: "go", data: { z: 1, a: "ü", nested: { y: [1, null], b: 2.5 } } });
    await drive(engine, clock, clock.nowMs() + 1000);
    expect(engine.runs()[0]).toMatchObject({ status: "completed", output: { z: 1, a: "ü" } });
  });
});

describe("over HTTP", () => {
  test("asks the app to register, runs its functions, and closes the connection where an answer is lost", async () => {
    const done = signal();
    let handle: ReturnType<typeof serveNode> | null = null;
    const app = createServer((request, response) => void handle?.(request, response));
    await new Promise<void>((resolve) => app.listen(0, "127.0.0.1", resolve));
    const appUrl = `http://127.0.0.1:${(app.address() as AddressInfo).port}`;
    const registered = signal();
    const server = await startEngineServer({ port: 0, log: () => registered.resolve() });
    const client = new Inngest({ id: "shop", isDev: true, checkpointing: false, baseUrl: server.url });
    const fn = client.createFunction({ id: "f", triggers: [{ event: "go" }] }, async ({ step }) => {
      await step.run("work", () => done.resolve());
    });
    handle = serveNode({ client, functions: [fn] });
    expect(await server.engine.sync(appUrl)).toBe(true);
    await registered.promise;
    server.engine.faults.loseEventAcks = 1;
    await client.send({ name: "go" });
    await done.promise;
    await server.engine.idle();
    expect(server.engine.runs()).toHaveLength(1);
    expect((await fetch(`${server.url}/`)).headers.get("content-type")).toContain("text/html");
    await server.close();
    await new Promise((resolve) => app.close(resolve));
  });
});
