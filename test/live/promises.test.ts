import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { until } from "../../commands/stack-programs";
import type { DeliveryView } from "../../db/reminders/read";
import type { Channel } from "../../db/rules/outcome";
import { makeReminders, makeShoppers, publish, type Shopper } from "../bench/load";
import { makeParcels, postNotice, reportDelivered } from "../bench/parcels";
import { brokenPromises } from "../bench/proof";
import { json, PROVIDERS, type Stage, startStage } from "../bench/stage";
import { mostInOneSecond } from "../db/rules/meters";

/**
 * Each promise once through the engine at hand, with its own queue, timing and memory: what the flow tests show on a
 * virtual clock. P3 and P9 are in `kills.test.ts`, where calls fail and processes die.
 */
let stage: Stage;
let shoppers: Shopper[];

const ALL: Channel[] = ["email", "sms", "push"];
const RATE = 40;
const AHEAD_SECONDS = 10;
const REASON = ["--reason", "tested", "--as", "ada"];

/** A guard: two sweeps heal whatever an engine makes of it. */
const PATIENCE_MS = 240_000;

beforeAll(async () => {
  stage = await startStage({ rates: { email: RATE, sms: RATE, push: RATE } });
  shoppers = await makeShoppers(stage, 10, ALL);
});

afterAll(() => stage?.stop());

beforeEach(async () => {
  for (const provider of Object.values(PROVIDERS))
    await stage.control(provider, { fault: null, latencyMs: 20 });
  await stage.clearCalls();
});

/** Reminders of these shoppers, one each, on these channels, published; their ids. */
async function remind(inMs: number, channels: Channel[], count = shoppers.length): Promise<string[]> {
  const dueAtMs = Date.now() + inMs;
  const made = await makeReminders(
    stage,
    Array.from({ length: count }, (_, index) => ({
      subscriberId: shoppers[index % shoppers.length]?.id ?? "",
      dueAtMs,
      channels,
    })),
  );
  await publish(stage, shoppers);
  return made.map(({ id }) => id);
}

type Row = { channel: Channel; state: string; reason: string | null; failures: number; reference: string };

/** The deliveries of these reminders. */
const rowsOf = (reminderIds: readonly string[]) => stage.sql<Row[]>`
  select d.channel, d.state, d.reason, d.failure_count as failures, d.reference from deliveries d
  join occurrences o on o.id = d.occurrence_id where o.reminder_id = any(${[...reminderIds]}::uuid[])`;

const isOver = ({ state }: { state: string }) => ["delivered", "dead", "expired"].includes(state);

/** Waits until these reminders have so many deliveries and each has ended. */
async function ended(reminderIds: readonly string[], count: number): Promise<Row[]> {
  let found: Row[] = [];
  await until(`${count} deliveries have ended`, PATIENCE_MS, async () => {
    found = await rowsOf(reminderIds);
    return found.length === count && found.every(isOver);
  });
  return found;
}

async function acceptedOf(channel: Channel): Promise<string[]> {
  const calls = await stage.calls(PROVIDERS[channel]);
  return calls.filter((call) => call.accepted).map((call) => call.key ?? "");
}

async function api<T>(method: string, path: string, body?: unknown): Promise<T> {
  const headers = { authorization: `Bearer ${stage.apiKey}`, "content-type": "application/json" };
  return json<T>(`${stage.app}/api/v1${path}`, { method, headers, body: JSON.stringify(body) });
}

/** Starts one function of the app by the engine's own means, and waits for what its run comes to. */
async function invoke(functionId: string): Promise<{ status: string; output: unknown }> {
  const body = JSON.stringify({ data: {} });
  const { id } = await json<{ id: string }>(`${stage.engine}/invoke/punctual-${functionId}`, {
    method: "POST",
    body,
  });
  let run: { status: string; output: unknown } | undefined;
  await until(`${functionId} has ended`, PATIENCE_MS, async () => {
    const { data } = await json<{ data: { status: string; output: unknown }[] | null }>(
      `${stage.engine}/v1/events/${id}/runs`,
    );
    run = data?.[0];
    return run !== undefined && ["Completed", "Failed", "Cancelled"].includes(run.status);
  });
  return run ?? { status: "none", output: null };
}

test("P1, P5: waits that are published again, under the same and under another id, open and send nothing twice", async () => {
  const ids = await remind(9_000, ALL);
  await stage.sql`insert into outbox (id, event_name, event_id, data, not_before, created_at)
    select gen_random_uuid(), event_name, event_id || ':again', data, not_before, ledger_now() from outbox
    where event_name = 'reminder/scheduled' and not_before <= ledger_now()`;
  await stage.sql`update outbox set published_at = null, claimed_until = null
    where event_name = 'reminder/scheduled' and not_before <= ledger_now()`;
  await publish(stage, shoppers);
  const rows = await ended(ids, 3 * shoppers.length);
  expect(new Set(rows.map(({ state }) => state))).toEqual(new Set(["delivered"]));
  for (const channel of ALL) {
    const accepted = await acceptedOf(channel);
    expect(accepted).toHaveLength(shoppers.length);
    expect(new Set(accepted).size).toBe(shoppers.length);
  }
});

test("P2, P3: a throttled SMS account holds up neither email nor push, and spends no budget", async () => {
  await stage.control("twilio", { fault: "throttle", retryAfterSeconds: 3 });
  const ids = await remind(6_000, ALL);
  await until("email and push have ended while SMS waits", PATIENCE_MS, async () => {
    const rows = await rowsOf(ids);
    const others = rows.filter(({ channel }) => channel !== "sms");
    return others.length === 2 * shoppers.length && others.every(isOver);
  });
  const waiting = (await rowsOf(ids)).filter(({ channel }) => channel === "sms");
  expect(waiting.filter(isOver)).toEqual([]);
  expect(waiting.map(({ failures }) => failures)).toEqual(Array(shoppers.length).fill(0));
  await stage.control("twilio", { fault: null });
  const rows = await ended(ids, 3 * shoppers.length);
  expect(new Set(rows.map(({ state }) => state))).toEqual(new Set(["delivered"]));
  expect(new Set(await acceptedOf("sms")).size).toBe(shoppers.length);
});

test("P4: a redrive sends what has died again, each once, under the key that it always had", async () => {
  await stage.control("resend", { fault: "error:validation_error", faultCount: 6 });
  const ids = await remind(6_000, ["email"], 6);
  const dead = await ended(ids, 6);
  expect(new Set(dead.map(({ state }) => state))).toEqual(new Set(["dead"]));
  const previewed = JSON.parse((await stage.ops("redrive", "preview", "--as", "ada", "--json")).said) as {
    id: string;
    wouldSend: number;
  };
  expect(previewed.wouldSend).toBe(6);
  const started = await stage.ops("redrive", "start", previewed.id, "--confirm", "6", ...REASON, "--json");
  expect(started).toMatchObject({ code: 0 });
  await until("the redriven are delivered", PATIENCE_MS, async () =>
    (await rowsOf(ids)).every(({ state }) => state === "delivered"),
  );
  const calls = await stage.calls("resend");
  expect(calls.filter((call) => call.accepted).map(({ key }) => key)).toHaveLength(6);
  expect(new Set(calls.map(({ key }) => key))).toEqual(new Set(dead.map(({ reference }) => reference)));
  await until("the redrive's run has ended it", PATIENCE_MS, async () => {
    const [row] = await stage.sql<{ state: string }[]>`select state from redrives where id = ${previewed.id}`;
    return row?.state === "finished";
  });
});

test("P6: what is cancelled before its instant is not sent, what is edited only as its new version, what is snoozed only later", async () => {
  const [cancelled = "", edited = "", snoozed = ""] = await remind(15_000, ["email"], 3);
  await api("DELETE", `/reminders/${cancelled}`);
  await api("PATCH", `/reminders/${edited}`, { title: "Water the other plants" });
  await api("POST", `/reminders/${snoozed}/snooze`, { minutes: 600 });
  await until("the edited one has gone", PATIENCE_MS, async () => (await acceptedOf("email")).length > 0);
  await ended([edited], 1);
  // The run of their second has woken for the edited one: whatever it opened has been seen.
  const calls = await stage.calls("resend");
  expect(calls.map(({ key }) => key)).toEqual((await rowsOf([edited])).map(({ reference }) => reference));
  expect(JSON.stringify(calls)).not.toContain("Water plant");
  expect((await rowsOf([cancelled])).filter(({ state }) => state === "delivered")).toEqual([]);
  const { deliveries } = await api<{ deliveries: DeliveryView[] }>("GET", `/reminders/${snoozed}/deliveries`);
  expect(deliveries.filter(({ state }) => state === "delivered")).toEqual([]);
});

test("P7: a burst leaves at its rate, and a sign-in notice does not stand behind it", async () => {
  const ids = await remind(6_000, ["email"], 200);
  await until("the burst has begun", PATIENCE_MS, async () => (await acceptedOf("email")).length > 10);
  await postNotice(stage, shoppers[0]?.externalId ?? "");
  await until("the notice has gone", PATIENCE_MS, async () => {
    const [notice] = await stage.sql`select 1 from deliveries where lane = 'urgent' and state = 'delivered'`;
    return notice !== undefined;
  });
  expect((await rowsOf(ids)).filter((row) => !isOver(row)).length).toBeGreaterThan(0);
  await ended(ids, 200);
  const slots = await stage.sql<{ atMs: number; burst: number }[]>`
    select epoch_ms(a.slot_at) as "atMs", p.burst from attempts a join deliveries d on d.id = a.delivery_id
    join partitions p on p.key = d.partition where d.channel = 'email' and a.begun_at > ledger_now() - interval '1 minute'`;
  expect(mostInOneSecond(slots.map(({ atMs }) => atMs))).toBeLessThanOrEqual(
    RATE + (slots[0]?.burst ?? 0) + 1,
  );
});

test("a crowded second is opened ahead by a run of its own, which sleeps twice, and leaves at its instant", async () => {
  const dueAtMs = Math.ceil(Date.now() / 1000) * 1000 + 18_000;
  const data = { v: 1, dueSecond: dueAtMs / 1000, generation: "g1", aheadSeconds: AHEAD_SECONDS };
  await stage.sql`insert into outbox (id, event_name, event_id, data, not_before, created_at)
    values (gen_random_uuid(), 'reminder/scheduled', 'crowd', ${stage.sql.json(data)}, ledger_now(), ledger_now())`;
  const ids = await remind(dueAtMs - Date.now(), ["push"]);
  await ended(ids, shoppers.length);
  const [opened] = await stage.sql<{ ahead: boolean }[]>`
    select min(d.scheduled_at - d.created_at) > interval '4 seconds' as ahead from deliveries d
    join occurrences o on o.id = d.occurrence_id where o.reminder_id = any(${ids}::uuid[])`;
  // An ordinary wait wakes two seconds ahead.
  expect(opened?.ahead).toBe(true);
  const calls = await stage.calls("push");
  expect(calls.filter((call) => call.accepted)).toHaveLength(shoppers.length);
  for (const { at } of calls) expect(at).toBeGreaterThanOrEqual(dueAtMs - 1);
});

test("an import reaches every follower once, by the runs of its fan-out", async () => {
  const parcels = await makeParcels(stage, 60, 4);
  await reportDelivered(stage, parcels);
  await until("all have ended", PATIENCE_MS, async () => {
    const [row] = await stage.sql<{ count: number }[]>`
      select count(*)::int as count from deliveries where lane = 'bulk' and state = 'delivered'`;
    return row?.count === 240;
  });
  const accepted = await acceptedOf("email");
  expect(accepted).toHaveLength(240);
  expect(new Set(accepted).size).toBe(240);
});

test("what the clock calls once an hour ends well when it is called", async () => {
  for (const functionId of ["rederive-instants", "report-dead-letters", "look-up-unknown", "sweep"])
    expect(await invoke(functionId)).toMatchObject({ status: "Completed" });
  expect(await brokenPromises(stage)).toEqual([]);
});

test("P8: the pass of the engine's clock removes what is finished and approved, counted before, and nothing else", async () => {
  await stage.sql`update retention set slo_owner = 'ada', slo_approved_at = ledger_now(), records_owner = 'bob',
    records_approved_at = ledger_now()`;
  const [kept] = await stage.sql<{ count: number }[]>`
    select count(*)::int as count from deliveries where channel <> 'push' or state <> 'delivered'`;
  const old = await stage.sql`update deliveries set created_at = created_at - interval '400 days',
      finished_at = finished_at - interval '400 days'
    where channel = 'push' and state = 'delivered' returning id`;
  expect(old.length).toBeGreaterThan(0);
  expect(await invoke("clean-ledger")).toMatchObject({
    status: "Completed",
    output: { removed: old.length },
  });
  const [left] = await stage.sql<{ count: number }[]>`select count(*)::int as count from deliveries`;
  expect(left?.count).toBe(kept?.count);
});
