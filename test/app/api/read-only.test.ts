import { afterEach, beforeEach, expect, inject, test } from "vitest";
import { closeDatabase } from "../../../db/connection";
import { withConnection } from "../../support/clones";
import { expectConsole } from "../../support/console";
import { databaseUrl } from "../../support/database";
import { call } from "./calls";
import { countRows, createReminder, openShop, putSubscriber } from "./shop";

let key: string;

beforeEach(async () => {
  key = await openShop();
  await putSubscriber(key, "ada");
});

/** As after a demotion: the server answers and takes no writes. */
async function setReadOnly(on: boolean): Promise<void> {
  const name = new URL(databaseUrl).pathname.slice(1);
  await withConnection(inject("testDatabases").adminUrl, (sql) =>
    sql.unsafe(`alter database "${name}" set default_transaction_read_only = ${on ? "on" : "off"}`),
  );
  await closeDatabase();
}

afterEach(() => setReadOnly(false));

test("a database that takes no writes is told as 503 with a time to come again, and reading goes on", async () => {
  const before = await countRows();
  await setReadOnly(true);
  expectConsole(/api request failed/);
  const refused = await createReminder(key);
  expect(refused.status).toBe(503);
  expect(refused.headers.get("retry-after")).toBe("5");
  expect((await call("GET", "/api/v1/reminders", { key })).status).toBe(200);
  expect(await call("GET", "/api/health")).toMatchObject({
    status: 503,
    body: { ok: false, database: "read-only" },
  });
  await setReadOnly(false);
  expect(await countRows()).toEqual(before);
  expect((await createReminder(key)).status).toBe(201);
});
