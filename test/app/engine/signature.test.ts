import { NextRequest } from "next/server";
import { afterAll, beforeEach, describe, expect, test, vi } from "vitest";
import { signBody } from "../../../standins/engine/signature";
import { expectConsole } from "../../support/console";

const KEY = "signkey-prod-0123456789abcdef0123456789abcdef";
const OLD = "signkey-prod-fedcba9876543210fedcba9876543210";
const FOREIGN = "signkey-prod-00000000000000000000000000000000";

/** The SDK's answer to a step that was carried out (inngest: "206 Partial Content"). */
const STEP_DONE = 206;

const SETTINGS = ["INNGEST_DEV", "INNGEST_SIGNING_KEY", "INNGEST_SIGNING_KEY_FALLBACK", "INNGEST_EVENT_KEY"];
const before = Object.fromEntries(SETTINGS.map((name) => [name, process.env[name]]));

type Route = typeof import("../../../app/api/inngest/route");

/** The endpoint of a process that was started in production with these keys. */
async function start(key: string, fallback?: string): Promise<Route> {
  set({
    INNGEST_DEV: "0",
    INNGEST_SIGNING_KEY: key,
    INNGEST_SIGNING_KEY_FALLBACK: fallback,
    INNGEST_EVENT_KEY: "k",
  });
  vi.resetModules();
  return import("../../../app/api/inngest/route");
}

function set(settings: Record<string, string | undefined>): void {
  for (const [name, value] of Object.entries(settings)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
}

afterAll(() => set(before));

// A run of the hourly cleanup, which finds nothing to do.
const BODY = JSON.stringify({
  attempt: 0,
  ctx: {
    attempt: 0,
    disable_immediate_execution: true,
    run_id: "01J00000000000000000000000",
    stack: { current: 0, stack: [] },
  },
  event: { data: { cron: "17 * * * *" }, id: "e", name: "inngest/scheduled.timer", ts: 1 },
  events: [{ data: { cron: "17 * * * *" }, id: "e", name: "inngest/scheduled.timer", ts: 1 }],
  steps: {},
  use_api: false,
  version: 1,
});

/** What the endpoint answers to the first call of such a run, signed so. */
async function called(route: Route, signature: string | null, body = BODY): Promise<number> {
  const request = new NextRequest(
    "http://127.0.0.1:3000/api/inngest?fnId=punctual-clean-ledger&stepId=step",
    {
      method: "POST",
      headers: {
        host: "127.0.0.1:3000",
        "content-type": "application/json",
        "content-length": String(body.length),
        ...(signature === null ? {} : { "x-inngest-signature": signature }),
      },
      body,
    },
  );
  return (await route.POST(request, { params: Promise.resolve({}) } as never)).status;
}

const signed = (key: string, atMs = Date.now(), body = BODY) => signBody(body, key, atMs);

describe("a call of the engine", () => {
  let route: Route;

  beforeEach(async () => {
    route = await start(KEY, OLD);
  });

  test("is believed under the key and, while both are set, under the fallback", async () => {
    expect(await called(route, signed(KEY))).toBe(STEP_DONE);
    expect(await called(route, signed(OLD))).toBe(STEP_DONE);
  });

  test("is refused under the former key once the fallback is taken out, and under the new one before it is put in", async () => {
    expectConsole(/Signature validation failed/);
    route = await start(KEY);
    expect(await called(route, signed(OLD))).toBe(401);
    expect(await called(route, signed(KEY))).toBe(STEP_DONE);
    route = await start(OLD);
    expect(await called(route, signed(KEY))).toBe(401);
  });

  test.each([
    ["no signature", null],
    ["an empty one", ""],
    ["one of a foreign key", signed(FOREIGN)],
    ["one of another body", signed(KEY, Date.now(), "{}")],
    ["one that is an hour old: a call that was overheard", signed(KEY, Date.now() - 3_600_000)],
    ["one whose time was changed", signed(KEY).replace(/t=\d+/, `t=${Math.floor(Date.now() / 1000) + 60}`)],
    ["one without a time", signed(KEY).replace(/t=\d+&/, "")],
  ])("is refused with %s", async (_what, signature) => {
    expectConsole(/Signature validation failed/);
    expect(await called(route, signature)).toBe(401);
  });
});
