import { type Finding, lineAt, type Node, parse, type SourceFile, walk } from "./source-files";

/** What the console serves: everything of Next's router below /ops. */
export function isConsoleFile({ path }: SourceFile): boolean {
  return path.startsWith("app/ops/");
}

const PAGE = /\/(page\.tsx|layout\.tsx|route\.ts)$/;
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
const HANDLER_GUARDS = ["requireReader", "requireOperator"];

/** A page, route handler or action of the console, by its file and name. */
export interface Entrance {
  path: string;
  name: string;
  kind: "page" | "action";
  body: Node | null;
  line: number;
  /** How many arguments it takes. */
  takes: number;
}

/** Every way into the console that a file opens. */
export function entrancesOf(file: SourceFile): Entrance[] {
  const isAction = /^\s*["']use server["']/.test(file.text);
  if (!PAGE.test(file.path) && !isAction) return [];
  const entrances: Entrance[] = [];
  walk(parse(file).program, (node) => {
    if (node.type !== "ExportNamedDeclaration" && node.type !== "ExportDefaultDeclaration") return;
    const declared = node.declaration as Node | null;
    if (declared === null || /^TS/.test(declared.type)) return;
    const name = nameOf(declared) ?? "default";
    const isDefault = node.type === "ExportDefaultDeclaration";
    if (!isAction && !isDefault && !METHODS.includes(name)) return;
    entrances.push({
      path: file.path,
      name,
      kind: isAction ? "action" : "page",
      // Only a plain function can be looked into; anything else is found wanting.
      body: declared.type === "FunctionDeclaration" ? (declared.body as Node) : null,
      line: lineAt(file.text, node.start),
      takes: ((declared.params ?? []) as Node[]).length,
    });
  });
  return entrances;
}

function nameOf(declared: Node): string | null {
  const id = (declared.id ?? null) as Node | null;
  if (id !== null) return id.name as string;
  const [first] = (declared.declarations ?? []) as Node[];
  return first === undefined ? null : ((first.id as Node).name as string);
}

/**
 * Entrances that do not ask who is there before they do anything else: a page before it awaits what is not its own
 * address, an action in its very first statement, and with its refusal returned in the second.
 */
export function accessFindings(file: SourceFile): Finding[] {
  return entrancesOf(file).flatMap((entrance) => {
    const wrong = entrance.kind === "action" ? actionFault(entrance, file) : pageFault(entrance);
    return wrong === null
      ? []
      : [{ path: file.path, line: entrance.line, message: `${entrance.name} ${wrong}` }];
  });
}

function actionFault({ body }: Entrance, { text }: SourceFile): string | null {
  if (body === null) return "is no plain function: nobody sees whether it asks who is there.";
  const [first, second] = body.body as Node[];
  const source = (node: Node | undefined) => (node === undefined ? "" : text.slice(node.start, node.end));
  if (!/^const operator = await requireOperator\(/.test(source(first)))
    return "does not begin with `const operator = await requireOperator(…)`.";
  if (!/^if \(!operator\.ok\) return /.test(source(second)))
    return "does not return its refusal right after it asked.";
  return null;
}

function pageFault({ body }: Entrance): string | null {
  if (body === null) return "is no plain function: nobody sees whether it asks who is there.";
  const awaited: string[] = [];
  walk(body, (node) => {
    if (node.type === "AwaitExpression") awaited.push(calleeOf(node.argument as Node));
  });
  const first = awaited.find((callee) => callee !== "params" && callee !== "searchParams");
  return first !== undefined && HANDLER_GUARDS.includes(first)
    ? null
    : `awaits ${first ?? "nothing"} before it asks who is there.`;
}

function calleeOf(node: Node): string {
  if (node.type === "Identifier") return node.name as string;
  if (node.type === "CallExpression") return calleeOf(node.callee as Node);
  // `ask(…).catch(…)` asks.
  if (node.type === "MemberExpression") return calleeOf(node.object as Node);
  return node.type;
}
