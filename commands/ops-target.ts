import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const LOCAL = join(dirname(dirname(fileURLToPath(import.meta.url))), ".local");

/**
 * Points this process at the stack of `npm run dev` when nobody named a database: address and engine from
 * `.local/dev.json`. Throws when neither is there, naming both ways.
 */
export async function pointAtLocalStack(): Promise<void> {
  if (process.env.DATABASE_URL?.trim()) return;
  try {
    const facts = JSON.parse(await readFile(join(LOCAL, "dev.json"), "utf8")) as {
      databaseUrl: string;
      engine: string;
    };
    process.env.DATABASE_URL = facts.databaseUrl;
    process.env.INNGEST_DEV = facts.engine;
    process.env.INNGEST_BASE_URL = facts.engine;
  } catch {
    throw new Error("DATABASE_URL is not set and no local stack is running: set it, or start `npm run dev`.");
  }
}
