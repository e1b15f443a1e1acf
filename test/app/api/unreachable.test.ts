import { createServer } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { GET as alive } from "../../../app/api/alive/route";
import { closeDatabase } from "../../../db/connection";
import { replaceEffects } from "../../../db/effects";
import { expectConsole } from "../../support/console";
import { databaseUrl } from "../../support/database";
import { call } from "./calls";
import { createReminder, openShop, putSubscriber, query } from "./shop";

let key: string;
let restore = () => {};

beforeEach(async () => {
  key = await openShop();
  await putSubscriber(key, "ada");
});

afterEach(async () => {
  restore();
  restore = () => {};
  if (process.env.DATABASE_URL === databaseUrl) return;
  process.env.DATABASE_URL = databaseUrl;
  await closeDatabase();
});

/** Near enough that its event goes out at once. */
const SOON = { dueAt: "2026-03-02T13:00:00Z" };

/** What waits for the engine, with the tries it took. */
function waiting() {
  return query<{ tries: number; claimed: boolean }>(
    "select tries, claimed_until is not null as claimed from outbox where published_at is null",
  );
}

describe("with an engine that does not answer", () => {
  test("a reminder is answered 201 before anything is asked of the engine", async () => {
    let asked = 0;
    restore = replaceEffects({
      fetch: () => {
        asked += 1;
        return new Promise(() => {});
      },
    });
    const answer = await createReminder(key, SOON);
    expect(answer.status).toBe(201);
    expect(asked).toBe(0);
    expect(await waiting()).toEqual([{ tries: 0, claimed: false }]);
  });

  test("nothing is lost when it cannot be reached: the event waits for the next publisher", async () => {
    expectConsole(/engine refused events/);
    await query("delete from outbox");
    const answer = await createReminder(key, SOON);
    expect(answer.status).toBe(201);
    await answer.afterwards();
    expect(await waiting()).toEqual([{ tries: 1, claimed: true }]);
    const read = await call("GET", `/api/v1/reminders/${answer.body.id}`, { key });
    expect(read.body).toEqual(answer.body);
  });
});

/** A port on which nobody listens, or on which connections are taken and nothing is ever said. */
async function port(listens: boolean): Promise<{ number: number; close: () => void }> {
  const server = createServer(() => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port: number } = server.address() as { port: number };
  const close = () => void server.close();
  if (!listens) close();
  return { number, close };
}

async function loseDatabase(listens: boolean): Promise<() => void> {
  const { number, close } = await port(listens);
  process.env.DATABASE_URL = `postgres://punctual@127.0.0.1:${number}/punctual`;
  return close;
}

describe("with a database that is gone", () => {
  test("every request is answered 503 with a time to come back, and says nothing of the cause", async () => {
    expectConsole(/api request failed/);
    await loseDatabase(false);
    const answers = [
      await createReminder(key, {}, { "idempotency-key": "again" }),
      await call("GET", "/api/v1/reminders", { key }),
      await putSubscriber(key, "ada"),
    ];
    for (const answer of answers) {
      expect(answer.status).toBe(503);
      expect(answer.headers.get("retry-after")).toBe("5");
      expect(answer.headers.get("content-type")).toBe("application/problem+json");
      expect(answer.body).toMatchObject({ code: "unavailable", status: 503 });
      expect(answer.text).not.toMatch(/127\.0\.0\.1|ECONN|postgres/);
    }
  });

  test("health says so, at once when it refuses and within its limit when it is silent", async () => {
    await loseDatabase(false);
    const refused = await call("GET", "/api/health");
    expect(refused).toMatchObject({ status: 503, body: { ok: false, database: "unreachable" } });
    // Alive all the same: whoever restarts a process for it would only make more of them wait.
    expect(alive().status).toBe(200);

    const close = await loseDatabase(true);
    const waits: number[] = [];
    restore = replaceEffects({ sleep: async (ms) => void waits.push(ms) });
    expect(await call("GET", "/api/health")).toMatchObject({ status: 503, body: { ok: false } });
    expect(waits).toEqual([3000]);
    close();
  });
});

test("health tells the facts, and has an overdue sweep done after the answer", async () => {
  await query("delete from sweeps");
  await query("delete from outbox");
  const first = await call("GET", "/api/health");
  expect(first).toMatchObject({ status: 200, body: { ok: true, sweep: { ageMs: null, overdue: true } } });
  expect(first.body.outbox).toEqual({ waiting: 0 });
  await first.afterwards();
  expect(await query("select mover from sweeps")).toEqual([{ mover: "health" }]);
  const second = await call("GET", "/api/health");
  expect(second.body.sweep).toEqual({ ageMs: 0, overdue: false });
});

test("a failure on our side is answered 500 without details", async () => {
  expectConsole(/api request failed/);
  restore = replaceEffects({
    newId: () => {
      throw new Error("secret detail");
    },
  });
  const answer = await createReminder(key);
  expect(answer.status).toBe(500);
  expect(answer.body).toMatchObject({ code: "internal", status: 500 });
  expect(answer.text).not.toContain("secret detail");
});
