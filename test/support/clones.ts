import postgres from "postgres";

/** What the run's one server offers to its test processes (see `postgres.global.ts`). */
export type TestDatabases = {
  /** Connects to the server as somebody who may create databases. */
  adminUrl: string;
  /** The migrated database whose `ledger_now()` reads the test's clock. */
  clockTemplate: string;
  /** The migrated database as production has it. */
  realTemplate: string;
  /** Begins the name of every database of this run, so that two runs on one server do not meet. */
  prefix: string;
};

/** Somebody else may be copying or looking at the template for a moment. */
const CREATE_TRIES = 10;

/** Runs the work on one connection that is closed afterwards. */
export async function withConnection<T>(url: string, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    return await work(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** The address of another database on the same server. */
export function urlOf(adminUrl: string, database: string): string {
  const url = new URL(adminUrl);
  url.pathname = `/${database}`;
  return url.toString();
}

/** Copies a template; the copy shares nothing with it. Returns the copy's address. */
export async function createClone(databases: TestDatabases, template: string, name: string): Promise<string> {
  await withConnection(databases.adminUrl, async (sql) => {
    for (let tries = 1; ; tries += 1) {
      try {
        await sql`create database ${sql(name)} template ${sql(template)}`;
        return;
      } catch (error) {
        const inUse = (error as { code?: string }).code === "55006";
        if (!inUse || tries >= CREATE_TRIES) throw error;
      }
    }
  });
  return urlOf(databases.adminUrl, name);
}

/** Removes a database even while somebody is connected. */
export async function dropDatabase(adminUrl: string, name: string): Promise<void> {
  await withConnection(adminUrl, (sql) => sql`drop database if exists ${sql(name)} with (force)`);
}
