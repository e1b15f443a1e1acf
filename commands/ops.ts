import { closeDatabase } from "../db/connection";
import { runCommand } from "./ops-run";

// A reader that has seen enough (`| head`) is no error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});

runCommand(process.argv.slice(2)).finally(closeDatabase);
