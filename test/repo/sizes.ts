import { type Finding, lineAt, type Node, parse, type SourceFile, walk } from "./source-files";

/** A file longer than this holds two subjects (DESIGN: about 300 lines). */
const FILE_LINES_MAX = 300;

/** A test file lists cases, which read well in a row. */
const TEST_FILE_LINES_MAX = 400;

/** What fits a screen. */
const FUNCTION_LINES_MAX = 70;

/** Markup, and the constraints of a table, are long without being deep. */
const LISTING_LINES_MAX = 120;

const FUNCTIONS = ["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"];

/** A group of tests is a list, not a procedure. */
const GROUPS = ["describe", "suite"];

/** The file, if it is too long, and its functions that are. */
export function sizeFindings(file: SourceFile): Finding[] {
  const isTest = /\.test\.tsx?$/.test(file.path);
  const lines = file.text.trimEnd().split("\n").length;
  const linesMax = isTest ? TEST_FILE_LINES_MAX : FILE_LINES_MAX;
  const findings: Finding[] = [];
  if (lines > linesMax) {
    findings.push({ path: file.path, line: lines, message: `has ${lines} lines; ${linesMax} is the most.` });
  }
  const isList = file.path.endsWith(".tsx") || file.path.startsWith("db/schema/");
  const functionLinesMax = isList ? LISTING_LINES_MAX : FUNCTION_LINES_MAX;
  walk(parse(file).program, (node, parents) => {
    if (!FUNCTIONS.includes(node.type) || isGroup(parents.at(-1))) return;
    const line = lineAt(file.text, node.start);
    const length = lineAt(file.text, node.end) - line + 1;
    if (length <= functionLinesMax) return;
    const message = `has a function of ${length} lines; ${functionLinesMax} is the most.`;
    findings.push({ path: file.path, line, message });
  });
  return findings;
}

function isGroup(parent: Node | undefined): boolean {
  if (parent?.type !== "CallExpression") return false;
  let callee = parent.callee as Node;
  // describe.runIf(…)(…), describe.each(…)(…), describe.skip(…)
  while (callee.type === "CallExpression" || callee.type === "MemberExpression") {
    callee = (callee.type === "CallExpression" ? callee.callee : callee.object) as Node;
  }
  return callee.type === "Identifier" && GROUPS.includes(callee.name as string);
}
