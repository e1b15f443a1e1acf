import { type Finding, lineAt, type Node, parse, type SourceFile, walk } from "./source-files";

/** Folders that say nothing about what is in them collect everything. */
const VAGUE_FOLDERS = ["src", "lib", "utils", "util", "common", "types", "helpers", "misc", "shared"];

const KEBAB_CASE = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9-]+)*$/;

/** Next's own signs in front of or around a route segment. */
const ROUTE_SEGMENT = /^(\[{1,2}(\.\.\.)?[a-zA-Z]+\]{1,2}|\([a-z-]+\)|@[a-z-]+|_[a-z-]+|\.well-known)$/;

/** Names by which tools look for a file; they choose its case. */
const GIVEN =
  /^(README|ARCHITECTURE|BENCHMARKS|OPERATIONS|CHANGELOG|LICENSE|CONTRIBUTING|SECURITY|Dockerfile)(\.md)?$|^\./;

/** What is wrong with a file's path. */
export function pathFindings(path: string): Finding[] {
  const segments = path.split("/");
  const found = (message: string) => ({ path, line: 1, message });
  const vague = segments.slice(0, -1).filter((folder) => VAGUE_FOLDERS.includes(folder));
  const odd = segments.filter(
    (segment) => !KEBAB_CASE.test(segment) && !ROUTE_SEGMENT.test(segment) && !GIVEN.test(segment),
  );
  const migration = /^db\/migrations\//.test(path);
  return [
    ...vague.map((folder) =>
      found(`lies in a folder "${folder}": name the folder by what the files are about.`),
    ),
    ...(migration
      ? []
      : odd.map((segment) => found(`has "${segment}" in its path: names are in kebab-case.`))),
  ];
}

/** Two tests of one file with the same full name: a report could not tell which failed. */
export function duplicateTestFindings(file: SourceFile): Finding[] {
  const seen = new Map<string, number>();
  const findings: Finding[] = [];
  walk(parse(file).program, (node, parents) => {
    const title = titleOf(node, ["test", "it"]);
    if (title === null) return;
    const groups = parents.map((parent) => titleOf(parent, ["describe"])).filter((name) => name !== null);
    const name = [...groups, title].join(" > ");
    const line = lineAt(file.text, node.start);
    const before = seen.get(name);
    if (before !== undefined) {
      findings.push({ path: file.path, line, message: `names a test as line ${before} does: "${name}".` });
    }
    seen.set(name, line);
  });
  return findings;
}

function titleOf(node: Node, functions: string[]): string | null {
  if (node.type !== "CallExpression") return null;
  let callee = node.callee as Node;
  while (callee.type === "CallExpression" || callee.type === "MemberExpression") {
    callee = (callee.type === "CallExpression" ? callee.callee : callee.object) as Node;
  }
  if (callee.type !== "Identifier" || !functions.includes(callee.name as string)) return null;
  const [title, body] = node.arguments as Node[];
  // The inner call of test.each(table)(title, …) has a title and a body; test.each(table) has none.
  if (title === undefined || body === undefined) return null;
  return title.type === "Literal" && typeof title.value === "string" ? title.value : null;
}
