import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

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
export function ensureBuild(): void {
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
