import { afterAll, beforeEach, inject } from "vitest";
import { createClone, dropDatabase } from "./clones";
import { connectTestClock, disconnectTestClock } from "./test-clock";

export { testClock } from "./test-clock";

const databases = inject("testDatabases");
const name = `${databases.prefix}_${process.pid.toString(36)}_${process.env.VITEST_WORKER_ID ?? "0"}_${Date.now().toString(36)}`;

/** The address of this test file's own database. */
export const databaseUrl = await createClone(databases, databases.clockTemplate, name);

// Before the first module of the app is loaded: setup files run before the test file's imports.
process.env.DATABASE_URL = databaseUrl;

await connectTestClock(databaseUrl);

let failed = false;

beforeEach(({ onTestFailed }) => {
  onTestFailed(() => {
    failed = true;
  });
});

afterAll(async () => {
  const { closeDatabase } = await import("../../db/connection");
  await closeDatabase();
  await disconnectTestClock();
  // The evidence of a failure stays on a server that outlives the run; the run's own server ends with it.
  if (failed && process.env.TEST_DATABASE_URL) process.stderr.write(`kept database ${name}\n`);
  else await dropDatabase(databases.adminUrl, name);
});
