import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { replaceEffects } from "../../../db/effects";
import { classifyNetworkError } from "../../../inngest/providers/classify-network";
import { exchange, jsonObject, retryAfterMsOf } from "../../../inngest/providers/exchange";
import { type ProviderServer, type Script, startProviderServer } from "./provider-server";
import { wire } from "./wire";

let server: ProviderServer;
beforeAll(async () => {
  server = await startProviderServer();
});
afterAll(() => server.close());

const post = { method: "POST", body: "hello" };
const soon = () => AbortSignal.timeout(5000);

async function exchanged(script: Script, signal = soon()) {
  server.script = script;
  return exchange(`${server.url}/x`, post, signal);
}

test("an answer is read whole, repeated headers joined, redirects not followed", async () => {
  const result = await exchanged({
    status: 302,
    headers: { location: "http://127.0.0.1:9/", "retry-after": ["5", "10"] },
    body: "moved",
  });
  if (result.kind !== "answered") throw new Error(result.kind);
  expect(result.answer).toMatchObject({ status: 302, body: "moved", headers: { "retry-after": "5, 10" } });
  expect(retryAfterMsOf(result.answer)).toBe(10_000);
});

describe("broken connections after the request are ambiguous", () => {
  test.each(["reset", "close", "garbage"] as const)("%s", async (script) => {
    const before = server.received.length;
    const result = await exchanged(script);
    if (result.kind !== "failed") throw new Error(result.kind);
    expect(classifyNetworkError(result.error).outcome.class).toBe("ambiguous");
    expect(server.received.length).toBe(before + 1);
  });

  test("a server that never answers", async () => {
    const result = await exchanged("hang", AbortSignal.timeout(30));
    if (result.kind !== "failed") throw new Error(result.kind);
    expect(classifyNetworkError(result.error)).toEqual({
      outcome: { class: "ambiguous" },
      code: "TimeoutError",
    });
  });

  test("a body that is cut off leaves status and headers, and no body", async () => {
    const result = await exchanged("truncate");
    expect(result).toMatchObject({ kind: "answered", answer: { status: 201, body: null } });
  });
});

test("a refused connection was certainly not sent", async () => {
  const gone = await startProviderServer();
  await gone.close();
  const result = await exchange(gone.url, post, soon());
  if (result.kind !== "failed") throw new Error(result.kind);
  expect(classifyNetworkError(result.error)).toEqual({
    outcome: { class: "transient" },
    code: "ECONNREFUSED",
  });
});

test("plain HTTP where TLS is expected is our configuration", async () => {
  const result = await exchange(server.url.replace("http:", "https:"), post, soon());
  if (result.kind !== "failed") throw new Error(result.kind);
  expect(classifyNetworkError(result.error).outcome.class).toBe("config_rejected");
});

test("with the deadline already passed no byte leaves", async () => {
  const before = server.received.length;
  expect(await exchanged({ status: 200 }, AbortSignal.abort())).toEqual({ kind: "not_started" });
  expect(server.received.length).toBe(before);
});

test("a transport that ignores its signal does not outlive it, before or inside the body", async () => {
  const undo = replaceEffects({ fetch: () => new Promise(() => undefined) });
  const controller = new AbortController();
  const pending = exchange(server.url, post, controller.signal);
  controller.abort(new DOMException("late", "TimeoutError"));
  expect(await pending).toMatchObject({ kind: "failed" });
  undo();

  const endless = new ReadableStream({ pull: () => new Promise(() => undefined) });
  const undoBody = replaceEffects({ fetch: async () => new Response(endless, { status: 200 }) });
  const second = new AbortController();
  const reading = exchange(server.url, post, second.signal);
  setImmediate(() => second.abort());
  expect(await reading).toMatchObject({ kind: "answered", answer: { status: 200, body: null } });
  undoBody();
});

test("a body that does not end is not read to its end", async () => {
  const chunk = new Uint8Array(64 * 1024).fill(120);
  const undo = replaceEffects({
    fetch: async () =>
      new Response(new ReadableStream({ pull: (sink) => sink.enqueue(chunk) }), { status: 200 }),
  });
  expect(await exchange(server.url, post, soon())).toMatchObject({ answer: { body: null } });
  undo();
});

test.each<[unknown, boolean]>([
  [{ a: 1 }, true],
  ["[1]", false],
  ["null", false],
  ["", false],
  ["<html>", false],
  ['{"a":', false],
  [null, false],
])("%j is a JSON object: %s", (body, isObject) => {
  expect(jsonObject(wire(200, body)) !== null).toBe(isObject);
});

test("a date counts from the answer's own date only", () => {
  const late = { "retry-after": "Mon, 30 Nov 2026 12:00:09 GMT" };
  expect(retryAfterMsOf(wire(429, "", late))).toBe(9000);
  expect(retryAfterMsOf({ status: 429, body: "", headers: late })).toBeNull();
  expect(retryAfterMsOf(wire(429, "", { ...late, date: "Monday, 30-Nov-26 12:00:00 GMT" }))).toBe(9000);
});
