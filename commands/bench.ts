import { fileURLToPath, pathToFileURL } from "node:url";
import { ensureBuild } from "./production-build";

/**
 * `npm run bench -- <name> [--json] [--scale 0.25] [--profile]`: one measurement on a stack of its own. It ends with 0
 * whatever the figures are, and with 1 only when there are none. `INNGEST_CLI_PATH` names a real Inngest dev server.
 */
const MAIN = fileURLToPath(new URL("../test/bench/main.ts", import.meta.url));

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
