import { sql } from "drizzle-orm";
import { processGeneration } from "../admission/partitions";
import { readConsumerGeneration } from "../config";
import { alone } from "../connection";
import { readInstallation } from "../restore/installation";
import { EVENTS } from "../rules/event-catalog";

/** What runs here, for whoever compares two builds. */
export interface Versions {
  node: string;
  processGeneration: string;
  consumerGeneration: number | null;
  ledger: Awaited<ReturnType<typeof readInstallation>>;
  migrations: number;
  postgres: string;
  owners: { partition: string; owner: number; live: number; foreign: number }[];
  events: Record<string, number>;
}

/**
 * Which builds and generations meet on this ledger: who owns each partition, how many live rows it has, and how many of
 * them still belong to another owner (their lease has not ended).
 */
export async function readVersions(): Promise<Versions> {
  const [database] = await alone<{ migrations: number; postgres: string }>(
    sql`select (select count(*)::int from drizzle.__drizzle_migrations) as migrations, current_setting('server_version') as postgres`,
  );
  const owners = await alone<Versions["owners"][number]>(
    sql`select p.key as partition, p.owner, count(d.id)::int as live, count(d.id) filter (where d.owner <> p.owner)::int as foreign
      from partitions p left join deliveries d on d.partition = p.key and d.state in ('scheduled', 'ready', 'sending', 'deferred')
      group by p.key, p.owner order by p.key`,
  );
  return {
    node: process.version,
    processGeneration: processGeneration(),
    consumerGeneration: readConsumerGeneration(process.env),
    ledger: await readInstallation(),
    migrations: database?.migrations ?? 0,
    postgres: database?.postgres ?? "",
    owners,
    events: Object.fromEntries(Object.entries(EVENTS).map(([name, schema]) => [name, schema.shape.v.value])),
  };
}
