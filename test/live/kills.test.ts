import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { until } from "../../commands/stack-programs";
import { deliveryReference } from "../../db/ledger/reference";
import type { DeliveryView } from "../../db/reminders/read";
import type { Channel } from "../../db/rules/outcome";
import { makeShoppers, type Shopper } from "../bench/load";
import { json, PROVIDERS, type Stage, startStage } from "../bench/stage";
import { attributeOf, type CollectedSpan, type Collector, startCollector } from "../support/collector";

/** The built app, the engine at hand and Postgres as processes; real time, real signals. */
let stage: Stage;
let shopper: Shopper;
let collector: Collector;

const ALL: Channel[] = ["email", "sms", "push"];

/** A guard: two sweeps heal whatever a kill leaves, and a machine with other work may take its time over them. */
const HEALED_MS = 400_000;

beforeAll(async () => {
  collector = await startCollector();
  stage = await startStage({ rates: { email: 40, sms: 40, push: 40 }, appEnv: collector.env });
});

afterAll(async () => {
  await stage?.stop();
  await collector?.stop();
});

beforeEach(async () => {
  [shopper = { id: "", externalId: "" }] = await makeShoppers(stage, 1, ALL);
  for (const provider of Object.values(PROVIDERS))
    await stage.control(provider, { fault: null, latencyMs: 20 });
  await stage.clearCalls();
});

async function api<T>(method: string, path: string, body?: unknown): Promise<T> {
  const headers = { authorization: `Bearer ${stage.apiKey}`, "content-type": "application/json" };
  return json<T>(`${stage.app}/api/v1${path}`, { method, headers, body: JSON.stringify(body) });
}

async function remind(inMs: number, channels: Channel[] = ALL): Promise<string> {
  const dueAt = new Date(Date.now() + inMs).toISOString();
  const body = { subscriber: shopper.externalId, title: "Water the plants", dueAt, channels };
  return (await api<{ id: string }>("POST", "/reminders", body)).id;
}

async function deliveries(id: string): Promise<DeliveryView[]> {
  return (await api<{ deliveries: DeliveryView[] }>("GET", `/reminders/${id}/deliveries`)).deliveries;
}

/** Waits until every delivery of a reminder has ended; an app that is restarting is no answer yet. */
async function ended(id: string, count: number): Promise<DeliveryView[]> {
  let found: DeliveryView[] = [];
  await until(`the ${count} deliveries of ${id} have ended`, HEALED_MS, async () => {
    found = await deliveries(id).catch(() => []);
    return (
      found.length === count && found.every((row) => ["delivered", "dead", "expired"].includes(row.state))
    );
  });
  return found;
}

/** Waits until every delivery of a reminder is delivered. */
async function delivered(id: string): Promise<DeliveryView[]> {
  let found: DeliveryView[] = [];
  await until(`the deliveries of ${id} are delivered`, HEALED_MS, async () => {
    found = await deliveries(id);
    return found.every((row) => row.state === "delivered");
  });
  return found;
}

const acceptedOf = async (channel: Channel) =>
  (await stage.calls(PROVIDERS[channel])).filter((call) => call.accepted);

/** Email once; push once or as a collapse under one topic; SMS once, or nobody knows and the ledger says so. */
async function expectOnce(rows: DeliveryView[]): Promise<void> {
  for (const row of rows) {
    const accepted = await acceptedOf(row.channel);
    expect(new Set(accepted.map((call) => call.key)).size).toBe(accepted.length > 0 ? 1 : 0);
    if (row.channel === "push") expect(accepted.length).toBeGreaterThanOrEqual(1);
    else expect(accepted.length).toBeLessThanOrEqual(1);
    if (row.channel === "sms" && row.state === "dead") expect(row.reason).toBe("outcome_unknown");
    else expect([row.channel, row.state, accepted.length > 0]).toEqual([row.channel, "delivered", true]);
  }
}

/** Each delivery in one trace: its calls, their admission, the wait and the publishing, all below the request. */
async function expectTraced(rows: DeliveryView[]): Promise<void> {
  const named = (name: RegExp) => collector.spans().filter((span) => name.test(span.name));
  const ours = (name: RegExp) => named(name).filter(({ traceId }) => traceId === request?.traceId);
  await until("the spans have arrived", 15_000, async () => {
    const sends = named(/^send /).filter((span) => attributeOf(span, "punctual.outcome") === "accepted");
    return sends.length >= rows.length;
  });
  const [request] = named(/^POST \/api\/v1\/reminders$/);
  const parents = new Map(collector.spans().map((span) => [span.spanId, span]));
  const wayUp = (span: CollectedSpan | undefined): string[] =>
    span === undefined ? [] : [span.name, ...wayUp(parents.get(span.parentSpanId ?? ""))];
  for (const span of ours(/^(send|publish|wait) /)) expect(wayUp(span)).toContain(request?.name);
  expect(ours(/^publish reminder\/scheduled$/)).toHaveLength(1);
  for (const row of rows) {
    const messageId = deliveryReference(row.key);
    const steps = collector.spans().filter((span) => attributeOf(span, "messaging.message.id") === messageId);
    expect(new Set(steps.map((span) => span.traceId))).toEqual(new Set([request?.traceId]));
    const sends = steps.filter((span) => span.name.startsWith("send "));
    for (const send of sends) expect(wayUp(send)[1]).toMatch(/^admit /);
    // Where the machine stands still for a moment a slot goes by unused: that attempt has a span of its own and no call.
    const outcomes = sends.map((send) => attributeOf(send, "punctual.outcome"));
    expect(outcomes.filter((outcome) => outcome !== "not_made")).toEqual(["accepted"]);
    const others = steps.filter((span) => !span.name.startsWith("send "));
    const expected = [...sends.map(() => "admit"), "wait"];
    expect(others.map(({ name }) => name.split(" ")[0]).sort()).toEqual(expected);
  }
  const told = JSON.stringify(collector.spans());
  for (const secret of [shopper.id, shopper.externalId, "shopper.example", "+1202"])
    expect(told).not.toContain(secret);
}

test("undisturbed: three channels, each accepted once and not before its instant, each in one trace from request to provider", async () => {
  const id = await remind(6_000);
  const rows = await ended(id, 3);
  await expectOnce(rows);
  for (const channel of ALL) {
    const [call] = await acceptedOf(channel);
    expect(call?.at).toBeGreaterThanOrEqual(Date.parse(rows[0]?.scheduledAt ?? ""));
  }
  await expectTraced(rows);
});

test.each([
  ["seconds", { retryAfter: "seconds", retryAfterSeconds: 5 }, 5_000],
  ["an HTTP date", { retryAfter: "http-date", retryAfterSeconds: 5 }, 4_000],
] as const)(
  "a 429 with Retry-After in %s: no call before it, one accepted, budget untouched",
  async (_form, fault, leastMs) => {
    await stage.control("resend", { ...fault, fault: "throttle", faultCount: 1 });
    const id = await remind(5_000, ["email"]);
    const [row] = await ended(id, 1);
    const calls = await stage.calls("resend");
    expect(calls.map((call) => call.status)).toEqual([429, 200]);
    expect((calls[1]?.at ?? 0) - (calls[0]?.at ?? 0)).toBeGreaterThanOrEqual(leastMs);
    expect(row).toMatchObject({ state: "delivered", attempts: 2, failures: 0, throttles: 1 });
  },
);

/** The engine's own answer about a run. */
const engineRun = async (id: string) =>
  (await json<{ data: { status: string; output: unknown } }>(`${stage.engine}/v1/runs/${id}`)).data;

/** What an operator's click on "Rerun" does. */
const rerun = async (id: string) =>
  (await json<{ data: { runId: string } }>(`${stage.engine}/api/v2/runs/${id}/rerun`, { method: "POST" }))
    .data.runId;

test("a dead letter stands as a failed run in the engine, and its rerun there redrives it, once", async () => {
  await stage.control("resend", { fault: "error:validation_error", faultCount: 1 });
  const id = await remind(5_000, ["email"]);
  expect((await ended(id, 1))[0]).toMatchObject({ state: "dead", reason: "message_rejected" });
  const readRuns = () => stage.sql<{ runId: string }[]>`
    select run_id as "runId" from dead_letter_runs order by seen_at`;
  await until("its burial has a failed run", HEALED_MS, async () => {
    const [first] = await readRuns();
    return first !== undefined && (await engineRun(first.runId)).status === "Failed";
  });
  const [first] = await readRuns();
  // Anything younger than ten seconds is taken for a repeat of the event.
  await until("the run is old enough to be rerun", HEALED_MS, async () => {
    const [row] = await stage.sql<{ old: boolean }[]>`
      select min(seen_at) < ledger_now() - interval '11 seconds' as old from dead_letter_runs`;
    return row?.old === true;
  });
  await rerun(first?.runId ?? "");
  const [redriven] = await delivered(id);
  expect(redriven).toMatchObject({ attempts: 2 });
  const calls = await stage.calls("resend");
  expect(calls.map((call) => call.accepted)).toEqual([false, true]);
  expect(new Set(calls.map((call) => call.key)).size).toBe(1);
  const again = await rerun(first?.runId ?? "");
  await until(
    "the second rerun has ended",
    HEALED_MS,
    async () => (await engineRun(again)).status === "Completed",
  );
  expect(await stage.calls("resend")).toHaveLength(2);
});

test("kill -9 of the app while its calls are under way", async () => {
  for (const provider of Object.values(PROVIDERS)) await stage.control(provider, { latencyMs: 1_500 });
  const id = await remind(6_000);
  await until("a call has arrived at every provider", 60_000, async () => {
    const rows = await deliveries(id);
    return rows.length === 3 && rows.every((row) => row.state === "sending");
  });
  stage.killApp();
  await expectOnce(await ended(id, 3));
});

test("kill -9 of the engine while a run sleeps: it forgets everything, and the reminder comes once", async () => {
  const id = await remind(12_000);
  stage.killEngine();
  await expectOnce(await ended(id, 3));
});

test("kill -9 of Postgres between setting and sending", async () => {
  const id = await remind(8_000);
  await stage.killDatabase();
  await expectOnce(await ended(id, 3));
});
