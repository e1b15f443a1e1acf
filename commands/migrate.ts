import { migrate } from "../db/migrate";
import { loadEnvironmentFiles } from "./environment-files";

/** `npm run db:migrate`: brings the database of DATABASE_URL to the newest schema. Safe to run twice, also at once. */
loadEnvironmentFiles();
const databaseUrl = process.env.DATABASE_URL?.trim();
if (!databaseUrl) {
  console.error("DATABASE_URL is not set; it names the database to migrate.");
  process.exit(2);
}
try {
  await migrate(databaseUrl);
  console.log("The database has the newest schema.");
} catch (error) {
  console.error(`The migration failed: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
}
