import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";

const COMMAND = fileURLToPath(new URL("../../commands/ops.ts", import.meta.url));

export interface Told {
  code: number;
  stdout: string;
  stderr: string;
}

/** `npm run ops -- <words>` as a process of its own, on this test file's database; nobody listens where the engine should be. */
export function ops(...words: string[]): Promise<Told> {
  return new Promise((resolve) => {
    execFile(process.execPath, ["--import", "tsx", COMMAND, ...words], (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}
