import { createRequire } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * Reads `.env`, `.env.production` and so on as Next will, so that a command sees the settings that the server sees.
 * What the environment holds already wins.
 */
export function loadEnvironmentFiles(): void {
  // The loader is Next's own package, which npm may place below it.
  const ofNext = createRequire(createRequire(import.meta.url).resolve("next/package.json"));
  const { loadEnvConfig } = ofNext("@next/env") as { loadEnvConfig: (dir: string, dev: boolean) => unknown };
  loadEnvConfig(ROOT, process.env.NODE_ENV !== "production");
}
