import { sql } from "drizzle-orm";
import postgres from "postgres";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { resetConfig } from "../../../db/config";
import { closeDatabase, rows, transact } from "../../../db/connection";
import { replaceEffects } from "../../../db/effects";
import { expectConsole } from "../../support/console";
import { databaseUrl } from "../../support/database";
import { requestScope } from "../../support/request-scope";
import { EXPECTED } from "../access/expected";
import { everybody, type People } from "../access/people";
import { listPlaces, type Place } from "../access/places";
import { makeSubjects, parametersOf, type Subjects } from "../fuzz/subjects";
import { call } from "./calls";
import { createReminder, openShop, putSubscriber, query } from "./shop";

const TOKEN = "metrics-token-of-this-test";

let people: People;
let handlers: Place[];
let subjects: Subjects;
let restore = () => {};

beforeAll(async () => {
  process.env.METRICS_TOKEN = TOKEN;
  resetConfig();
  people = await everybody();
  subjects = await makeSubjects(people);
  handlers = (await listPlaces()).filter(({ kind }) => kind === "route");
});

afterEach(() => {
  restore();
  restore = () => {};
});

/** A request to a handler by somebody whom it lets in, with whatever body. */
function visit(place: Place, body?: BodyInit): Promise<Response> {
  const access = EXPECTED[place.name] ?? "";
  const who = access.startsWith("key:") ? people[access as "key:reminders"] : people.owner;
  const headers = new Headers({
    ...(access === "metrics" ? { authorization: `Bearer ${TOKEN}` } : who.headers),
    host: "127.0.0.1:3000",
    origin: "http://127.0.0.1:3000",
  });
  const { method } = place;
  const path = place.name.includes("/auth/")
    ? `auth/${method === "GET" ? "get-session" : "sign-out"}`
    : "anything";
  const init = { method, headers, ...(body === undefined ? {} : { body, duplex: "half" }) };
  const request = new Request(`http://127.0.0.1:3000/api/${path}`, init);
  const context = { params: Promise.resolve(parametersOf(place, subjects)) };
  return requestScope(headers).run(() => place.run(request, context) as Promise<Response>);
}

/** What needs no database to answer. */
const WITHOUT_DATABASE = ["public", "engine", "signature"];

describe("with a database that is gone", () => {
  afterEach(async () => {
    process.env.DATABASE_URL = databaseUrl;
    await closeDatabase();
    // The sign-in library keeps the connection that it was made with.
    delete (globalThis as { punctualAuth?: unknown }).punctualAuth;
  });

  test("every handler that needs it answers 503 with a time to come back, and none fails otherwise", async () => {
    expectConsole(/api request failed/);
    expectConsole(/metrics could not be read/);
    expectConsole(/sign-in library/);
    // Nobody listens on the discard port.
    process.env.DATABASE_URL = "postgres://punctual@127.0.0.1:9/punctual";
    const told: Record<string, unknown> = {};
    for (const place of handlers.filter(({ name }) => EXPECTED[name] !== "engine")) {
      const response = await visit(place, place.method === "GET" ? undefined : '{"action":"done"}');
      const answer = `${response.status} ${response.headers.get("retry-after")}`;
      const needs = !WITHOUT_DATABASE.includes(EXPECTED[place.name] ?? "");
      expect(response.status === 503 || response.status < 500, `${place.name}: ${answer}`).toBe(true);
      if (response.status === 503) expect(answer, place.name).toMatch(/^503 \d+$/);
      if (needs) told[place.name] = response.status;
    }
    expect(Object.values(told).every((status) => status === 503)).toBe(true);
    expect(Object.keys(told).length).toBeGreaterThan(15);
  });
});

describe("every handler reads no more of a body than it has a use for", () => {
  const CHUNK = new Uint8Array(64 * 1024).fill(0x61);
  /** The largest that any handler has a use for is five megabytes; twice that is on offer. */
  const CHUNKS = 160;

  test("of an endless body, even without a length", async () => {
    for (const place of handlers.filter(({ method }) => !["GET", "HEAD"].includes(method))) {
      let taken = 0;
      const endless = new ReadableStream<Uint8Array>({
        pull: (controller) => {
          taken += 1;
          if (taken > CHUNKS) controller.close();
          else controller.enqueue(CHUNK);
        },
      });
      const response = await visit(place, endless);
      expect(taken, `${place.name} answered ${response.status}`).toBeLessThan(CHUNKS);
      expect(response.status, place.name).toBeLessThan(500);
    }
  });
});

describe("with a database that is slow", () => {
  test("a request is given up in time, and what it came to is there when it is repeated", async () => {
    const key = await openShop();
    await putSubscriber(key, "slow");
    const blocker = postgres(databaseUrl, { max: 1 });
    let release = () => {};
    const held = blocker.begin(async (tx) => {
      await tx`lock table reminders in exclusive mode`;
      await new Promise<void>((resolve) => {
        release = resolve;
      });
    });
    await until(async () => (await locks()) > 0);
    let giveUp = () => {};
    const patience = new Promise<void>((resolve) => {
      giveUp = resolve;
    });
    restore = replaceEffects({ sleep: (ms) => (ms === 10_000 ? patience : Promise.resolve()) });
    expectConsole(/api request failed/);
    const asked = createReminder(key, { subscriber: "slow" }, { "idempotency-key": "once" });
    await until(async () => (await locks()) > 1);
    giveUp();
    const refused = await asked;
    expect(refused.status).toBe(503);
    expect(refused.headers.get("retry-after")).toBe("5");
    expect(refused.body.detail).toContain("not certain");
    release();
    restore();
    await held;
    await blocker.end();
    const again = await createReminder(key, { subscriber: "slow" }, { "idempotency-key": "once" });
    expect(again.status).toBe(201);
    expect(
      await query(`select count(*)::int as count from reminders r join subscribers s on s.id = r.subscriber_id
      where s.external_id = 'slow'`),
    ).toEqual([{ count: 1 }]);
  });

  test("more than a process can carry is refused at once, with nothing done", async () => {
    const key = await openShop();
    (globalThis as { punctualRequests?: number }).punctualRequests = 200;
    const refused = await call("GET", "/api/v1/reminders", { key });
    expect(refused).toMatchObject({ status: 503, body: { code: "unavailable" } });
    expect(refused.headers.get("retry-after")).toBe("5");
    expect(refused.body.detail).toContain("Nothing was done");
    (globalThis as { punctualRequests?: number }).punctualRequests = 0;
    expect((await call("GET", "/api/v1/reminders", { key })).status).toBe(200);
  });
});

describe("with a database whose disk is full", () => {
  test("what writes is refused with 503, readiness says why, and it goes on once there is room", async () => {
    const key = await openShop();
    await putSubscriber(key, "full");
    await query(`create function full_disk() returns trigger language plpgsql as
      $$ begin raise exception 'No space left on device' using errcode = '53100'; end $$`);
    const fill = (table: string) =>
      query(`create trigger full_disk before insert or update on ${table} execute function full_disk()`);
    await fill("reminders");
    await fill("rate_limits");
    expectConsole(/api request failed/);
    expect((await createReminder(key, { subscriber: "full" })).status).toBe(503);
    const health = await call("GET", "/api/health");
    expect(health).toMatchObject({ status: 503, body: { ok: false, database: "full" } });
    expect(health.headers.get("retry-after")).toBe("5");
    await query("drop function full_disk cascade");
    expect((await call("GET", "/api/health")).status).toBe(200);
    expect((await createReminder(key, { subscriber: "full" })).status).toBe(201);
  });
});

/** Who holds a lock on the table, or waits for it. */
async function locks(): Promise<number> {
  const [row] = await transact((tx) =>
    rows<{ count: number }>(
      tx,
      sql`select count(*)::int as count from pg_locks where relation = 'reminders'::regclass
        and mode in ('ExclusiveLock', 'RowExclusiveLock') and pid <> pg_backend_pid()`,
    ),
  );
  return row?.count ?? 0;
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setImmediate(resolve));
}
