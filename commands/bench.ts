import { fileURLToPath, pathToFileURL } from "node:url";
import { ensureBuild } from "./production-build";

/**
 * `npm run bench -- <name> [--json] [--scale 0.25] [--profile]`: one measurement on a stack of its own. It ends with 0
 * whatever the figures are, and with 1 only when there are none. `INNGEST_CLI_PATH` names a real Inngest dev server.
 */
const MAIN = fileURLToPath(new URL("../test/bench/main.ts", import.meta.url));
const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** What the production build is made of. */
const SOURCES = [
  "app",
  "inngest",
  "db",
  "public",
  "instrumentation.ts",
  "proxy.ts",
  "next.config.ts",
  "package-lock.json",
];

/** Makes a production build when there is none, or when a source is newer. Its output does not mix with the report. */
function ensureBuild(): void {
  const id = join(ROOT, ".next/BUILD_ID");
  if (existsSync(id) && statSync(id).mtimeMs >= newestMs(SOURCES.map((name) => join(ROOT, name)))) return;
  console.error("building the app");
  const next = join(ROOT, "node_modules/next/dist/bin/next");
  const built = spawnSync(process.execPath, [next, "build"], {
    cwd: ROOT,
    stdio: ["ignore", 2, 2],
    env: { ...process.env, NEXT_TELEMETRY_DISABLED: "1" },
  });
  if (built.status !== 0) throw new Error("The production build failed; its reason is above.");
}

function newestMs(paths: readonly string[]): number {
  const times = paths.map((path) => {
    const stat = statSync(path);
    if (!stat.isDirectory()) return stat.mtimeMs;
    return newestMs(readdirSync(path).map((name) => join(path, name)));
  });
  return Math.max(0, ...times);
}

try {
  ensureBuild();
  // The product does not import its benches; this command runs their program, as `npm test` runs vitest.
  const { main } = (await import(pathToFileURL(MAIN).href)) as {
    main: (args: string[]) => Promise<number>;
  };
  process.exit(await main(process.argv.slice(2)));
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  if (process.env.DEBUG) console.error(error);
  process.exit(1);
}
