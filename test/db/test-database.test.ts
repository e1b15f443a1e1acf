import { expect, test } from "vitest";
import { withConnection } from "../support/clones";
import { expectConsole } from "../support/console";
import { databaseUrl, testClock } from "../support/database";

function ledgerNowMs(): Promise<number> {
  return withConnection(databaseUrl, async (sql) => {
    const [row] = await sql`select epoch_ms(ledger_now()) as now`;
    return row?.now;
  });
}

test("a test file has a migrated database of its own, in which time is what the test says", async () => {
  expect(process.env.DATABASE_URL).toBe(databaseUrl);
  expect(await ledgerNowMs()).toBe(testClock.nowMs());
  await testClock.advance(1_500);
  expect(await ledgerNowMs()).toBe(testClock.nowMs());
  await testClock.set(Date.UTC(2027, 5, 1, 12, 0, 0, 7));
  expect(await ledgerNowMs()).toBe(Date.UTC(2027, 5, 1, 12, 0, 0, 7));
});

test("an announced complaint on the console is no failure", () => {
  expectConsole(/as announced/);
  console.warn("it complains, as announced");
});

test.fails("an unannounced complaint on the console fails the test", () => {
  console.warn("it complains, which this proof wants");
});
