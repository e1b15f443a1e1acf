import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { keepSecrets, stackEnvironment } from "./dev-settings";
import { Usage } from "./ops-arguments";

const LOCAL = join(dirname(dirname(fileURLToPath(import.meta.url))), ".local");

/**
 * Points this process at the stack of `npm run dev` when nobody named a database: its whole settings, made of
 * `.local/dev.json` and the secrets beside it, as the app of the stack has them. Throws when neither is there, naming both
 * ways.
 */
export async function pointAtLocalStack(): Promise<void> {
  if (process.env.DATABASE_URL?.trim()) return;
  try {
    const facts = JSON.parse(await readFile(join(LOCAL, "dev.json"), "utf8")) as {
      databaseUrl: string;
      app: string;
      standins: string;
      engine: string;
    };
    const portOf = (url: string) => Number(new URL(url).port);
    const ports = {
      app: portOf(facts.app),
      standins: portOf(facts.standins),
      engine: portOf(facts.engine),
    };
    const secrets = await keepSecrets(join(LOCAL, "secrets.json"));
    Object.assign(process.env, stackEnvironment(ports, facts.databaseUrl, secrets));
  } catch {
    throw new Usage("DATABASE_URL is not set and no local stack is running: set it, or start `npm run dev`.");
  }
}
