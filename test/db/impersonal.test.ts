import { inspect } from "node:util";
import { sql } from "drizzle-orm";
import { expect, test, vi } from "vitest";
import { auth } from "../../app/_auth/auth";
import { database, rows, sqlState, together, transact } from "../../db/connection";
import { makeSubscriber } from "../support/factories";

const PLANTED = "planted.lovelace@shopper.example";

/** Everything that somebody could print of an error. */
async function printed(work: () => Promise<unknown>): Promise<string> {
  const error = await work().then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(sqlState(error)).not.toBeNull();
  return inspect(error, { depth: 10 });
}

test("no error of the database tells what was asked, neither by message, stack nor property", async () => {
  const { id, externalId } = await makeSubscriber({ externalId: PLANTED });
  const twice = sql`insert into subscribers (id, external_id, time_zone, locale, created_at)
    values (gen_random_uuid(), ${externalId}, 'UTC', 'en', now())`;
  const none = sql`select ${PLANTED}::uuid`;
  expect(id).toBeTruthy();
  for (const work of [
    () => rows(database(), twice),
    () => transact((tx) => rows(tx, twice)),
    () => transact((tx) => together(tx, [twice])),
  ])
    expect(await printed(work)).not.toContain(PLANTED);
  // The server's own sentence is all that is left, and names the code.
  expect(await printed(() => rows(database(), none))).not.toContain("params");
});

test("nor does the sign-in library, in its log or in what it throws, tell a session's token", async () => {
  const lines: string[] = [];
  const heard = vi.spyOn(console, "error").mockImplementation((...values) => {
    lines.push(values.map(String).join(" "));
  });
  const { logger } = await auth().$context;
  logger.error(`Failed to get session: Failed query: select … params: ${PLANTED}`, new Error(PLANTED));
  heard.mockRestore();
  expect(lines).toHaveLength(1);
  expect(lines.join()).not.toContain(PLANTED);
});
