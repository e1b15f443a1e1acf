import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import { effects, replaceEffects } from "../../db/effects";

describe("replacing", () => {
  test("reaches whoever holds the object, and is undone", async () => {
    const undo = replaceEffects({ newId: () => "fixed", sleep: async () => {} });
    expect(effects.newId()).toBe("fixed");
    await effects.sleep(1_000_000);
    undo();
    expect(effects.newId()).toMatch(/^[0-9a-f-]{36}$/);
  });

  test("nests", () => {
    const outer = replaceEffects({ random: () => 0.1, wallMs: () => 1 });
    const inner = replaceEffects({ random: () => 0.2 });
    expect([effects.random(), effects.wallMs()]).toEqual([0.2, 1]);
    inner();
    expect([effects.random(), effects.wallMs()]).toEqual([0.1, 1]);
    outer();
    expect(effects.wallMs()).toBeGreaterThan(1);
  });
});

test("a statement runs as it is given unless something wraps it", async () => {
  expect(await effects.statement(async () => 7)).toBe(7);
  const seen: string[] = [];
  const undo = replaceEffects({
    statement: async (run) => {
      seen.push("before");
      return run();
    },
  });
  expect(await effects.statement(async () => 8)).toBe(8);
  expect(seen).toEqual(["before"]);
  undo();
});

test.each([0, -1, Number.NaN])("a wait of %d ms is over at once", async (ms) => {
  const timers = process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
  await effects.sleep(ms);
  expect(process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length).toBeLessThanOrEqual(
    timers,
  );
});

test("a wait ends no earlier than asked, by the clock it is measured with", async () => {
  const startMs = effects.monotonicMs();
  await effects.sleep(5.5);
  expect(effects.monotonicMs() - startMs).toBeGreaterThanOrEqual(5.5);
});

test("a wait ends, and its timer with it, when nobody wants it any more", async () => {
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
  const before = timers();
  const over = new AbortController();
  const wait = effects.sleep(3_600_000, over.signal);
  expect(timers()).toBe(before + 1);
  over.abort();
  await wait;
  expect(timers()).toBe(before);
  await effects.sleep(3_600_000, over.signal);
  expect(timers()).toBe(before);
});

test("a wait that no timer can hold does not end early", async () => {
  const warnings: string[] = [];
  const note = (warning: Error) => warnings.push(warning.name);
  process.on("warning", note);
  const waits = [2 ** 31 - 1, 2 ** 31, 60 * 24 * 3_600_000].map((ms) =>
    effects.sleep(ms).then(() => "ended"),
  );
  const first = await Promise.race([...waits, effects.sleep(10).then(() => "short")]);
  process.off("warning", note);
  expect(first).toBe("short");
  expect(warnings).toEqual([]);
});

test("a deadline aborts with a TimeoutError", async () => {
  const signal = effects.deadline(1);
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
  expect(signal.reason).toMatchObject({ name: "TimeoutError" });
});

test("HTTP goes out and comes back", async () => {
  const server = createServer((_, response) => response.end("hello"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const response = await effects.fetch(`http://127.0.0.1:${port}/`, { signal: effects.deadline(5000) });
  expect(await response.text()).toBe("hello");
  server.closeAllConnections();
  server.close();
});
