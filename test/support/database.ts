import postgres from "postgres";
import { afterAll, beforeEach, inject } from "vitest";
import { createClone, dropDatabase } from "./clones";

const databases = inject("testDatabases");
const name = `${databases.prefix}_${process.pid.toString(36)}_${process.env.VITEST_WORKER_ID ?? "0"}_${Date.now().toString(36)}`;

/** The address of this test file's own database. */
export const databaseUrl = await createClone(databases, databases.clockTemplate, name);

// Before the first module of the app is loaded: setup files run before the test file's imports.
process.env.DATABASE_URL = databaseUrl;

const clock = postgres(databaseUrl, {
  max: 1,
  onnotice: () => {},
  connection: { application_name: "test clock" },
});

async function readClockMs(): Promise<number> {
  const [row] = await clock<
    { ms: number }[]
  >`select (extract(epoch from now) * 1000)::float8 as ms from public.test_clock`;
  if (row === undefined) throw new Error("The test clock has no row.");
  return row.ms;
}

let current = await readClockMs();

/** The time that `ledger_now()` tells in this file's database. It stands still until a test moves it. */
export const testClock = {
  /** Epoch milliseconds, as last set here. */
  nowMs: (): number => current,
  /** Sets the time; committed when it returns, so every later statement sees it. */
  async set(ms: number): Promise<void> {
    await clock`update public.test_clock set now = to_timestamp(${ms}::float8 / 1000)`;
    current = ms;
  },
  async advance(ms: number): Promise<void> {
    await testClock.set(current + ms);
  },
};

let failed = false;

beforeEach(({ onTestFailed }) => {
  onTestFailed(() => {
    failed = true;
  });
});

afterAll(async () => {
  const { closeDatabase } = await import("../../db/connection");
  await closeDatabase();
  await clock.end({ timeout: 5 });
  // The evidence of a failure stays on a server that outlives the run; the run's own server ends with it.
  if (failed && process.env.TEST_DATABASE_URL) process.stderr.write(`kept database ${name}\n`);
  else await dropDatabase(databases.adminUrl, name);
});
