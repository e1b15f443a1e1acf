import { fileURLToPath, pathToFileURL } from "node:url";
import { ensureBuild } from "./production-build";

/**
 * `npm run demo [-- --json]`: 500 reminders on a stack of its own, SMS throttled midway, the app killed once. Ends with a
 * proof from the providers' books and the ledger, and with 1 when something was lost, sent twice or early.
 */
const MAIN = fileURLToPath(new URL("../test/bench/demo.ts", import.meta.url));

try {
  ensureBuild();
  // The product does not import its tests; this command runs their program, as `npm test` runs vitest.
  const { main } = (await import(pathToFileURL(MAIN).href)) as {
    main: (args: string[]) => Promise<number>;
  };
  process.exit(await main(process.argv.slice(2)));
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  if (process.env.DEBUG) console.error(error);
  process.exit(1);
}
