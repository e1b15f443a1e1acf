import { chmod, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { type PostgresServer, startPostgres, stopLeftover } from "../../commands/postgres";
import { isAlive } from "../../commands/processes";
import { migrate } from "../../db/migrate";
import { dropDatabase, type TestDatabases, urlOf, withConnection } from "./clones";

declare module "vitest" {
  interface ProvidedContext {
    testDatabases: TestDatabases;
  }
}

/** Where a test clock stands before the test sets it: a Monday noon outside of every change of daylight saving. */
export const TEST_CLOCK_START = "2026-03-02T12:00:00Z";

const FOLDER = "punctual-test-postgres-";

type Shared = { databases: TestDatabases; stop: () => Promise<void> };
type Holder = { punctualTestServer?: { users: number; shared: Promise<Shared> } };

// Each project loads this file anew; the run has one server all the same.
const holder = globalThis as Holder;

/** Gives the project the run's server; the last project to end stops it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  holder.punctualTestServer ??= { users: 0, shared: startTestServer() };
  const entry = holder.punctualTestServer;
  entry.users += 1;
  project.provide("testDatabases", (await entry.shared).databases);
  return async () => {
    entry.users -= 1;
    if (entry.users > 0) return;
    delete holder.punctualTestServer;
    await (await entry.shared).stop();
  };
}

/** A server with the templates: the one that is named in the environment, else one that lives as long as the run. */
export async function startTestServer(): Promise<Shared> {
  const given = process.env.TEST_DATABASE_URL ?? process.env.DATABASE_URL;
  const server = given ? null : await startTemporary();
  const adminUrl = server?.url ?? given;
  if (adminUrl === undefined) throw new Error("No database server.");
  const databases = await makeTemplates(adminUrl).catch(async (error) => {
    await server?.stop();
    throw error;
  });
  return {
    databases,
    stop: async () => {
      if (server === null) await dropTemplates(databases);
      else await server.stop();
    },
  };
}

async function startTemporary(): Promise<{ url: string; stop: () => Promise<void> }> {
  await removeAbandoned();
  const folder = await mkdtemp(join(tmpdir(), `${FOLDER}${process.pid}-`));
  // Made for its owner alone; the server may run as another user, who must get through.
  await chmod(folder, 0o711);
  const server: PostgresServer = await startPostgres({
    dataDir: join(folder, "data"),
    durable: false,
    // Each test file has its own database and pool; a hundred is soon taken by a few files with servers of their own.
    // Beside the address there is a socket in the data's folder: four times as quick, for who makes many round trips.
    settings: { max_connections: "300", unix_socket_directories: "." },
    log: () => {},
  });
  return {
    url: server.url,
    stop: async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Servers of runs that were killed: their folder carries the id of the process that is gone. */
async function removeAbandoned(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(FOLDER)) continue;
    const owner = Number.parseInt(name.slice(FOLDER.length), 10);
    if (Number.isNaN(owner) || isAlive(owner)) continue;
    const folder = join(tmpdir(), name);
    await stopLeftover(join(folder, "data"), () => {});
    await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** One migrated database as production has it, and a copy of it in which the test owns the time. */
async function makeTemplates(adminUrl: string): Promise<TestDatabases> {
  const prefix = `punctual_test_${process.pid.toString(36)}${Date.now().toString(36)}`;
  const databases = {
    adminUrl,
    prefix,
    realTemplate: `${prefix}_real`,
    clockTemplate: `${prefix}_clock`,
  };
  const created = withConnection(adminUrl, (sql) => sql`create database ${sql(databases.realTemplate)}`);
  await created.catch((error) => {
    throw new Error(
      "The tests' database server does not answer, or may not create databases. Correct TEST_DATABASE_URL (or DATABASE_URL); with neither set, the tests start a server of their own.",
      { cause: error },
    );
  });
  await migrate(urlOf(adminUrl, databases.realTemplate));
  const { realTemplate, clockTemplate } = databases;
  await withConnection(
    adminUrl,
    (sql) => sql`create database ${sql(clockTemplate)} template ${sql(realTemplate)}`,
  );
  await withConnection(urlOf(adminUrl, clockTemplate), async (sql) => {
    await sql.unsafe(`
      create table public.test_clock (one_row boolean primary key default true check (one_row), now timestamptz not null);
      insert into public.test_clock (now) values ('${TEST_CLOCK_START}');
      create or replace function public.ledger_now() returns timestamptz language sql stable parallel safe
        as 'select now from public.test_clock';
    `);
    const [row] = await sql`select public.ledger_now() = ${TEST_CLOCK_START} as owned`;
    if (row?.owned !== true) throw new Error("The test database still reads the real clock.");
  });
  return databases;
}

async function dropTemplates(databases: TestDatabases): Promise<void> {
  await dropDatabase(databases.adminUrl, databases.clockTemplate);
  await dropDatabase(databases.adminUrl, databases.realTemplate);
}
