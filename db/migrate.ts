import { fileURLToPath } from "node:url";
import { drizzle } from "drizzle-orm/postgres-js";
import { migrate as runMigrations } from "drizzle-orm/postgres-js/migrator";
import postgres from "postgres";

/** Any fixed number: it names the lock under which migrations run, so that two starting processes take turns. */
const MIGRATION_LOCK = 7_446_001;

/**
 * Brings the database to the newest schema. Safe to run twice and from several processes at once: all take one session
 * advisory lock, and each migration runs in a transaction. Needs a direct connection, not a transaction-mode pooler.
 */
export async function migrate(databaseUrl: string): Promise<void> {
  const client = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  try {
    await client`select pg_advisory_lock(${MIGRATION_LOCK})`;
    await runMigrations(drizzle(client), {
      migrationsFolder: fileURLToPath(new URL("./migrations", import.meta.url)),
    });
  } finally {
    await client.end({ timeout: 5 });
  }
}
