import { rehearse } from "../db/connection";
import { problemDetail } from "../db/rules/errors";
import { jsonForTerminal, textForTerminal } from "../db/rules/terminal";
import { inngest } from "../inngest/client";
import { loadEnvironmentFiles } from "./environment-files";
import { readCommandLine, Usage } from "./ops-arguments";
import { LEVERS, LEVERS_HELP } from "./ops-levers";
import { OPERATIONS, OPERATIONS_HELP } from "./ops-operations";
import { PRIVACY, PRIVACY_HELP } from "./ops-privacy";
import { REDRIVE_HELP, runDeadLetters, runRedrive } from "./ops-redrive";
import { SUPPRESSIONS, SUPPRESSIONS_HELP } from "./ops-suppressions";
import { pointAtLocalStack } from "./ops-target";
import { contextOf, print, type Verb } from "./ops-verbs";
import { VIEWS, VIEWS_HELP } from "./ops-views";

const HELP = `Operators' command line. Every verb takes --json; a change takes --reason and says who by --as (default: your user);
--dry-run does the change, tells what it came to, and takes all of it back. Exit codes: 0 done, 1 something is not in
order, 2 the command is wrong or was refused, 3 a redrive has paused itself, 4 it could not be carried out (no database).

${VIEWS_HELP}
${LEVERS_HELP}
${REDRIVE_HELP}
${OPERATIONS_HELP}
${SUPPRESSIONS_HELP}
${PRIVACY_HELP}

It acts on DATABASE_URL, or on the stack of \`npm run dev\` when that is not set.`;

const VERBS: Record<string, Verb> = { ...VIEWS, ...LEVERS, ...OPERATIONS, ...SUPPRESSIONS, ...PRIVACY };

const NAMES = new Set([...Object.keys(VERBS), "dead-letters", "redrive"]);

/** It could not be carried out, so it says nothing about the ledger. */
const EXIT_FAILED = 4;

/**
 * One command with its end: whatever went wrong is told as a sentence, with `--json` as one object as well, and the exit
 * code says of what kind it was.
 */
export async function runCommand(args: readonly string[]): Promise<void> {
  try {
    await runOps(args);
  } catch (error) {
    const message = sentenceOf(error);
    if (args.includes("--json")) console.log(jsonForTerminal({ ok: false, error: message }));
    console.error(textForTerminal(message));
    process.exitCode = error instanceof Usage ? 2 : EXIT_FAILED;
  }
}

/** The innermost cause says what happened; what is around it repeats the statement. */
function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof Usage) return error.message;
  let at: Error = error;
  while (at.cause instanceof Error) at = at.cause;
  return `It could not be carried out: ${at.message || at.name}`;
}

/**
 * One command of the operators' command line: prints its answer and sets the exit code. Throws `Usage` for a command that
 * is wrong or was refused.
 */
export async function runOps(args: readonly string[]): Promise<void> {
  const { values, positionals } = readCommandLine(args);
  const [name, ...rest] = positionals;
  if (values.help || name === undefined) {
    console.log(HELP);
    return;
  }
  if (!NAMES.has(name)) throw new Usage(`There is no verb "${name}"; see \`npm run ops -- --help\`.`);
  loadEnvironmentFiles();
  await pointAtLocalStack();
  // The client was made before the settings of the stack were known.
  inngest.setEnvVars(process.env);
  rehearse(values["dry-run"]);
  try {
    if (name === "dead-letters") return await runDeadLetters(rest, values);
    if (name === "redrive") return await runRedrive(rest, values);
    const result = await (VERBS[name] as Verb)(contextOf(rest, values));
    if ("problem" in result) throw new Usage(problemDetail(result.problem));
    const answered = "value" in result ? result.value : result;
    if (!answered.ok) process.exitCode = 1;
    print(values, answered);
  } finally {
    rehearse(false);
  }
}
