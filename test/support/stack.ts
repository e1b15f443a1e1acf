import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { keepSecrets, type Ports, stackEnvironment } from "../../commands/dev-settings";
import { freePort } from "../../commands/ports";
import { answers, outsideSettings, productionAppPlan, standinsPlan } from "../../commands/stack-programs";
import { type Child, type ChildPlan, supervise } from "../../commands/supervisor";
import { createClone, dropDatabase, type TestDatabases } from "./clones";

export { until } from "../../commands/stack-programs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** A production server answers within a second or two; a machine with two busy cores may take a while. */
const READY_TIMEOUT_MS = 60_000;

/** Of what the programs printed: enough to see why one of them did not come up. */
const TAIL_LINES = 60;

/** The whole product on this machine: production build, stand-in engine, stand-in providers, a database of its own. */
export type Stack = {
  app: string;
  standins: string;
  engine: string;
  databaseUrl: string;
  /** The last lines that the programs printed. */
  tail(): string;
  stop(): Promise<void>;
};

type StackOptions = {
  /** Puts something between the app and its database: takes the database's address, returns the app's. */
  through?: (databaseUrl: string) => Promise<string>;
};

/**
 * Starts it on free ports. It needs a build (`npm test` makes one). The clock is the real one: whoever waits, waits for
 * a condition.
 */
export async function startStack(databases: TestDatabases, options: StackOptions = {}): Promise<Stack> {
  if (!existsSync(join(ROOT, ".next/BUILD_ID"))) {
    throw new Error("There is no production build for the browser tests: run `npm run build` first.");
  }
  const [app, standins, engine] = await Promise.all([freePort(), freePort(), freePort()]);
  const ports: Ports = { app, standins, engine };
  const name = `${databases.prefix}_stack_${app}`;
  const databaseUrl = await createClone(databases, databases.realTemplate, name);
  const folder = await mkdtemp(join(tmpdir(), "punctual-stack-"));
  const secrets = await keepSecrets(join(folder, "secrets.json"));
  const env: NodeJS.ProcessEnv = {
    ...outsideSettings(),
    ...stackEnvironment(ports, (await options.through?.(databaseUrl)) ?? databaseUrl, secrets),
    PUNCTUAL_ALLOW_STANDINS: "1",
    // One stack per test file beside the runner: a few connections do.
    DATABASE_POOL_SIZE: "8",
  };

  const lines: string[] = [];
  const watch = {
    print: (who: string, line: string) => {
      lines.push(`${who}: ${line}`);
      lines.splice(0, lines.length - TAIL_LINES);
    },
    started: () => {},
  };
  const children = plansOf(ports, env).map((plan) => supervise(plan, watch));
  const stop = () => stopAll(children, databases, name, folder);
  const at = (port: number) => `http://127.0.0.1:${port}`;
  try {
    const addresses = [at(standins), at(engine), `${at(app)}/api/health`];
    await Promise.all(addresses.map((address) => answers(address, READY_TIMEOUT_MS)));
  } catch (error) {
    await stop();
    throw new Error(`The stack did not come up.\n${lines.join("\n")}`, { cause: error });
  }
  return {
    app: at(app),
    standins: at(standins),
    engine: at(engine),
    databaseUrl,
    tail: () => lines.join("\n"),
    stop,
  };
}

function plansOf(ports: Ports, env: NodeJS.ProcessEnv): ChildPlan[] {
  const engineArgs = ["--import", "tsx", join(ROOT, "standins/engine/main.ts")];
  return [
    standinsPlan(ROOT, ports.standins, env),
    { name: "engine", command: process.execPath, args: engineArgs, env, port: ports.engine },
    productionAppPlan(ROOT, ports.app, env),
  ];
}

async function stopAll(
  children: readonly Child[],
  databases: TestDatabases,
  database: string,
  folder: string,
): Promise<void> {
  await Promise.all(children.map((child) => child.stop()));
  await dropDatabase(databases.adminUrl, database);
  await rm(folder, { recursive: true, force: true });
}
