import { parseArgs } from "node:util";

/** A mistake on the command line: the message names it, and the process ends with 2. */
export class Usage extends Error {}

const OPTIONS = {
  json: { type: "boolean", default: false },
  "dry-run": { type: "boolean", default: false },
  reason: { type: "string" },
  as: { type: "string" },
  for: { type: "string" },
  since: { type: "string" },
  "snapshot-at": { type: "string" },
  burst: { type: "string" },
  concurrency: { type: "string" },
  scopes: { type: "string" },
  help: { type: "boolean", default: false },
  // dead letters and redrives
  channel: { type: "string" },
  partition: { type: "string" },
  cause: { type: "string" },
  within: { type: "string" },
  window: { type: "string" },
  "older-than": { type: "string" },
  rate: { type: "string" },
  confirm: { type: "string" },
  "include-unknown": { type: "boolean", default: false },
  "send-again": { type: "boolean", default: false },
  list: { type: "boolean", default: false },
  after: { type: "string" },
} as const;

/** What was given on the command line: the flags, and the words. A flag that there is not is a mistake. */
export function readCommandLine(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options: OPTIONS });
  } catch (error) {
    throw new Usage(error instanceof Error ? error.message : String(error));
  }
}

export type Flags = ReturnType<typeof readCommandLine>["values"];

/** The word at this place; its name is told when it is missing. */
export function argument(rest: readonly string[], index: number, name: string): string {
  const value = rest[index];
  if (value === undefined) throw new Usage(`The ${name} is missing; see \`npm run ops -- --help\`.`);
  return value;
}

export function number(text: string, name: string): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value))
    throw new Usage(`${name} must be a number; given: ${text}`);
  return value;
}

const UNITS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The duration that a flag gives, such as `30m`, in milliseconds; null when it was not given. */
export function duration(
  flags: Partial<Flags>,
  name: "for" | "since" | "within" | "older-than" | "window",
): number | null {
  const text = flags[name];
  if (text === undefined) return null;
  const match = /^(\d+)([smhd])$/.exec(text);
  const unit = UNITS[match?.[2] ?? ""];
  if (match === null || unit === undefined)
    throw new Usage(`--${name} must be like 90s, 30m, 2h or 1d; given: ${text}`);
  return Number(match[1]) * unit;
}

/** Who acts, and why: a change without a reason is refused. */
export function operator(flags: Flags): { name: string; reason: string } {
  if (flags.reason === undefined)
    throw new Usage("A change needs --reason: whoever comes next will want to know why.");
  return { name: operatorName(flags), reason: flags.reason };
}

export function operatorName(flags: Flags): string {
  return flags.as ?? process.env.USER ?? "operator";
}
