import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { config } from "../db/config";
import { migrate } from "../db/migrate";
import { loadEnvironmentFiles } from "./environment-files";
import { onOrphaned } from "./install.mjs";
import { nextServer } from "./next-server";
import { allowStandins, safetyProblems } from "./start-checks";

/**
 * `npm start`, the production server: 1 read the settings; 2 refuse what is unsafe, all of it at once; 3 migrate (under
 * a lock: several instances may start together); 4 serve. A crash after 3 leaves a migrated database, which is harmless.
 */
const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

Object.assign(process.env, { NODE_ENV: "production" });
loadEnvironmentFiles();
const problems = safetyProblems(process.env);
const rehearsal = allowStandins(process.env);
if (!rehearsal) delete process.env.PUNCTUAL_ALLOW_STANDINS;
if (!existsSync(join(ROOT, ".next", "BUILD_ID")))
  problems.push("There is no build: run `npm run build` first.");
try {
  config();
} catch (error) {
  problems.push(error instanceof Error ? error.message : String(error));
}
if (problems.length > 0) {
  console.error(`Punctual does not start:\n${problems.map((problem) => `- ${problem}`).join("\n")}`);
  process.exit(1);
}

try {
  await migrate(config().databaseUrl);
} catch (error) {
  console.error(`The database cannot be migrated: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
}

const server = spawn(process.execPath, nextServer(ROOT, process.argv.slice(2)), {
  cwd: ROOT,
  stdio: "inherit",
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => server.kill(signal));
if (process.env.npm_lifecycle_event !== undefined) onOrphaned(() => server.kill("SIGTERM"));
server.on("error", (error) => {
  console.error(`Next cannot be started: ${error.message}`);
  process.exit(1);
});
server.on("exit", (code, signal) =>
  process.exit(code ?? (signal === "SIGTERM" || signal === "SIGINT" ? 0 : 1)),
);
