import { closeDatabase } from "../db/connection";
import { Usage } from "./ops-arguments";
import { runOps } from "./ops-run";

// A reader that has seen enough (`| head`) is no error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});

runOps(process.argv.slice(2))
  .catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = error instanceof Usage ? 2 : 1;
  })
  .finally(closeDatabase);
