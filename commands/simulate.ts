import { fileURLToPath, pathToFileURL } from "node:url";

/**
 * `npm run simulate -- [--seeds 200] [--from N] [--seed N] [--json]`: seeded stories of bad days, each audited against
 * the promises. It ends with 1 when one was broken, and prints the command that repeats it.
 */
const MAIN = fileURLToPath(new URL("../test/simulation/main.ts", import.meta.url));

try {
  // The product does not import its tests; this command runs their program, as `npm test` runs vitest.
  const { main } = (await import(pathToFileURL(MAIN).href)) as { main: (args: string[]) => Promise<number> };
  process.exit(await main(process.argv.slice(2)));
} catch (error) {
  console.error(error);
  process.exit(1);
}
