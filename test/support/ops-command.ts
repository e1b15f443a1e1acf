import { vi } from "vitest";
import { Usage } from "../../commands/ops-arguments";
import { runOps } from "../../commands/ops-run";

/** What a command printed, and the exit code that its process would have ended with. */
export interface Told {
  code: number;
  lines: string[];
}

/** `npm run ops -- <words>` in this process, on this test file's database. */
export async function ops(...words: string[]): Promise<Told> {
  const lines: string[] = [];
  const log = vi.spyOn(console, "log").mockImplementation((line: string) => void lines.push(line));
  try {
    process.exitCode = 0;
    await runOps(words);
    return { code: Number(process.exitCode), lines };
  } catch (error) {
    return { code: error instanceof Usage ? 2 : 1, lines: [String(error)] };
  } finally {
    process.exitCode = 0;
    log.mockRestore();
  }
}
