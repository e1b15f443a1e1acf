import {
  type Finding,
  isClientComponent,
  lineAt,
  type Node,
  parse,
  type SourceFile,
  walk,
} from "./source-files";

/** The one place that reads the machine's clock, its randomness, its timers and its network. */
const EFFECTS = "db/effects.ts";

const TIMERS = ["setTimeout", "setInterval", "setImmediate"];

const BECAUSE =
  "ids, time, waiting, randomness and HTTP come from `effects` in db/effects.ts, so that a simulation can own them";

const FORBIDDEN_MEMBERS = new Set([
  "Date.now",
  "performance.now",
  "Math.random",
  "crypto.randomUUID",
  "AbortSignal.timeout",
]);

const FORBIDDEN_IMPORTS = new Map([
  ["node:crypto", ["randomUUID"]],
  ["crypto", ["randomUUID"]],
  ["node:timers", TIMERS],
  ["node:timers/promises", [...TIMERS, "scheduler"]],
  ["node:perf_hooks", ["performance"]],
  ["undici", ["fetch", "request"]],
]);

/**
 * Effects that the file causes by itself although they belong to `effects`. Browser code is free to, and a
 * secret comes straight from node:crypto: no simulation may choose it.
 */
export function effectFindings(file: SourceFile): Finding[] {
  const concerned =
    /^(app|inngest|db)\//.test(file.path) && file.path !== EFFECTS && !isClientComponent(file);
  if (!concerned) return [];
  const { program, module } = parse(file);
  const findings: Finding[] = [];
  const report = (position: number, what: string) =>
    findings.push({
      path: file.path,
      line: lineAt(file.text, position),
      message: `uses ${what}: ${BECAUSE}.`,
    });

  for (const imported of module.staticImports) {
    const names = FORBIDDEN_IMPORTS.get(imported.moduleRequest.value) ?? [];
    for (const entry of imported.entries) {
      const name = entry.importName.name;
      if (!entry.isType && name && names.includes(name))
        report(entry.importName.start ?? imported.start, name);
    }
  }
  walk(program, (node) => {
    const what = forbiddenUse(node);
    if (what !== null) report(node.start, what);
  });
  return findings;
}

function forbiddenUse(node: Node): string | null {
  switch (node.type) {
    case "MemberExpression": {
      const name = `${nameOf(node.object)}.${nameOf(node.property)}`;
      return FORBIDDEN_MEMBERS.has(name) ? name : null;
    }
    case "NewExpression":
      return nameOf(node.callee) === "Date" && (node.arguments as unknown[]).length === 0
        ? "new Date()"
        : null;
    case "CallExpression": {
      const callee = globalName(node.callee);
      if (callee === "Date") return "Date()";
      return callee === "fetch" || TIMERS.includes(callee) ? `${callee}()` : null;
    }
    default:
      return null;
  }
}

function nameOf(node: unknown): string {
  const { type, name } = node as { type: string; name?: string };
  return type === "Identifier" && name !== undefined ? name : "";
}

/** `fetch` and `globalThis.fetch` alike. */
function globalName(node: unknown): string {
  const callee = node as Node;
  const global =
    callee.type === "MemberExpression" && ["globalThis", "global", "window"].includes(nameOf(callee.object));
  return global ? nameOf(callee.property) : nameOf(callee);
}
