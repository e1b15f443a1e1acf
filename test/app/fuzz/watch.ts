import { sql } from "drizzle-orm";
import { database, rows } from "../../../db/connection";

/** What counts requests and sessions changes with every request, refused or not. */
const COUNTERS = ["rate_limits", "auth_sessions"];

/** Notes every row that is inserted, changed or deleted in any table, in the transaction that does it. */
export async function watchEveryTable(): Promise<void> {
  const run = (statement: string) => rows(database(), sql.raw(statement));
  await run("create schema fuzz");
  await run("create unlogged table fuzz.touched (what text not null)");
  await run(`create function fuzz.note() returns trigger language plpgsql as $$
    begin insert into fuzz.touched values (tg_op || ' ' || tg_table_name); return null; end $$`);
  const tables = await rows<{ name: string }>(
    database(),
    sql`select table_name as name from information_schema.tables
      where table_schema = 'public' and table_type = 'BASE TABLE'`,
  );
  for (const { name } of tables.filter((table) => !COUNTERS.includes(table.name)))
    await run(`create trigger zz_fuzz after insert or update or delete on "${name}"
      for each row execute function fuzz.note()`);
}

/** What was touched since the last look, as `UPDATE reminders`. */
export async function touched(): Promise<string[]> {
  const found = await rows<{ what: string }>(database(), sql`delete from fuzz.touched returning what`);
  return [...new Set(found.map(({ what }) => what))].sort();
}
