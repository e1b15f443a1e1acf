import type { Operator } from "../db/operator-actions";
import type { Result } from "../db/rules/errors";
import { jsonForTerminal, textForTerminal } from "../db/rules/terminal";
import { argument, duration, type Flags, number, operator } from "./ops-arguments";

/** What the command line hands to a verb. */
export interface OpsContext {
  rest: readonly string[];
  values: Flags;
  /** Nothing may change: every transaction is rolled back, and nobody is called. */
  dryRun: boolean;
  argument: (index: number, name: string) => string;
  number: (text: string, name: string) => number;
  duration: (name: "for" | "since" | "window") => number | null;
  operator: () => Operator;
}

/** What a verb answers: one object for `--json`, lines for people, and whether it found everything in order. */
export interface OpsAnswer {
  json: object;
  lines: string[];
  ok: boolean;
}

export type Verb = (context: OpsContext) => Promise<OpsAnswer | Result<OpsAnswer>>;

export function contextOf(rest: readonly string[], values: Flags): OpsContext {
  return {
    rest,
    values,
    dryRun: values["dry-run"],
    argument: (index, name) => argument(rest, index, name),
    number,
    duration: (name) => duration(values, name),
    operator: () => operator(values),
  };
}

export const answer = (json: object, lines: string[], ok = true): OpsAnswer => ({ json, lines, ok });

/** A verb's value as its answer; its problem stays one. */
export function told<T>(result: Result<T>, tell: (value: T) => OpsAnswer): Result<OpsAnswer> {
  return result.ok ? { ok: true, value: tell(result.value) } : result;
}

/** Prints an answer: one object, or lines; what a rehearsal found is told as what would be. */
export function print(values: Flags, { json, lines }: Pick<OpsAnswer, "json" | "lines">): void {
  const rehearsed = values["dry-run"];
  if (values.json) console.log(jsonForTerminal(rehearsed ? { dryRun: true, ...json } : json));
  else
    console.log(
      textForTerminal([...(rehearsed ? ["Rehearsed, nothing was changed:"] : []), ...lines].join("\n")),
    );
}
