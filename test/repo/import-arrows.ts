import { posix } from "node:path";
import {
  type Finding,
  isClientComponent,
  lineAt,
  type Node,
  parse,
  type SourceFile,
  walk,
} from "./source-files";

/** One import as the rules see it. `target` is a project path without extension, or a package name. */
type Import = { target: string; ours: boolean; typeOnly: boolean; line: number };

type Arrow = {
  from: (file: SourceFile) => boolean;
  allows: (imported: Import) => boolean;
  because: string;
};

const inside =
  (...folders: string[]) =>
  (path: string) =>
    folders.some((folder) => path === folder || path.startsWith(`${folder}/`));

const isPackage = (imported: Import, names: string[]) =>
  !imported.ours && names.includes(packageOf(imported.target));

/** Pure libraries: no Node, no network, no clock of their own choosing. */
const PURE_PACKAGES = ["zod", "temporal-polyfill", "libphonenumber-js", "rrule-temporal", "chrono-node"];

/** What turns rows into statements; only verbs and tables may hold it. */
const SQL_PACKAGES = ["drizzle-orm", "postgres"];

/** Providers, engine and pages, which the ledger does not know. */
const OUTSIDE_PACKAGES = ["inngest", "next", "react", "react-dom", "resend", "twilio", "web-push"];

/** The one file that may name the function list: it serves it. */
const SERVE_ROUTE = "app/api/inngest/route.ts";

const ARROWS: Arrow[] = [
  {
    from: ({ path }) => inside("db/rules")(path),
    allows: (to) => (to.ours ? inside("db/rules")(to.target) : isPackage(to, PURE_PACKAGES)),
    because: "the rules are pure: the browser and the simulation run them, without Node, database or network",
  },
  {
    from: ({ path }) => inside("db/schema")(path),
    allows: (to) => (to.ours ? inside("db/schema", "db/rules")(to.target) : isPackage(to, ["drizzle-orm"])),
    because: "tables are words and constraints; verbs use them, not the other way round",
  },
  {
    from: ({ path }) => inside("db")(path),
    allows: (to) => (to.ours ? inside("db")(to.target) : !isPackage(to, OUTSIDE_PACKAGES)),
    because: "the ledger is the authority and knows neither the engine nor providers nor pages",
  },
  {
    from: ({ path }) => inside("inngest/providers")(path),
    allows: (to) =>
      to.ours
        ? inside("inngest/providers", "db/rules", "db/effects", "db/config")(to.target)
        : !isPackage(to, ["inngest", "next", ...SQL_PACKAGES]),
    because: "an adapter turns one provider's answer into an outcome; it sees neither ledger nor engine",
  },
  {
    from: ({ path }) => inside("inngest/messages")(path),
    allows: (to) =>
      to.ours
        ? inside("inngest/messages", "db/rules", "db/config")(to.target) ||
          (to.typeOnly && inside("db")(to.target))
        : !isPackage(to, ["inngest", "next", ...SQL_PACKAGES]),
    because: "a message is rendered once from what it is given and stored; it reads nothing by itself",
  },
  {
    from: ({ path }) => inside("inngest", "app")(path),
    allows: (to) => (to.ours ? !inside("db/schema")(to.target) : !isPackage(to, SQL_PACKAGES)),
    because: "statements live in db/ verbs, so that each transaction has one place",
  },
  {
    from: ({ path }) => inside("inngest")(path),
    allows: (to) => !to.ours || inside("inngest", "db")(to.target),
    because: "functions carry out verbs; pages and commands are above them",
  },
  {
    from: ({ path }) => inside("app")(path) && path !== SERVE_ROUTE,
    allows: (to) =>
      !to.ours || (!inside("inngest/index", "inngest/functions")(to.target) && to.target !== "inngest"),
    because: `pages and routes send events; only ${SERVE_ROUTE} serves the function list`,
  },
  {
    from: ({ path }) => inside("app")(path),
    allows: (to) => !to.ours || inside("app", "inngest", "db", "public")(to.target),
    because: "the app is built without stand-ins, commands and tests",
  },
  {
    from: isClientComponent,
    allows: (to) =>
      to.typeOnly ||
      (to.ours
        ? inside("app", "db/rules")(to.target)
        : !to.target.startsWith("node:") && !isPackage(to, SQL_PACKAGES)),
    because: "what a client component imports is sent to the browser: pages and pure rules only",
  },
  {
    from: ({ path }) => inside("standins")(path),
    allows: (to) => (to.ours ? inside("standins")(to.target) : !isPackage(to, ["inngest", ...SQL_PACKAGES])),
    because: "a stand-in speaks the wire protocol; sharing our code would make both sides wrong together",
  },
  {
    from: ({ path }) => !inside("test")(path),
    allows: (to) => !to.ours || !inside("test")(to.target),
    because: "tests use the product, the product does not use tests",
  },
];

/** Every import of the file that goes against an arrow, with the reason of that arrow. */
export function importFindings(file: SourceFile): Finding[] {
  const arrows = ARROWS.filter((arrow) => arrow.from(file));
  return importsOf(file).flatMap((imported) =>
    arrows
      .filter((arrow) => !arrow.allows(imported))
      .map((arrow) => ({
        path: file.path,
        line: imported.line,
        message: `may not import ${imported.target}: ${arrow.because}.`,
      })),
  );
}

function importsOf(file: SourceFile): Import[] {
  const { module, program } = parse(file);
  const found: Import[] = [];
  const add = (request: string, start: number, typeOnly: boolean) => {
    const ours = request.startsWith(".");
    const target = ours ? withoutExtension(posix.join(posix.dirname(file.path), request)) : request;
    found.push({ target, ours, typeOnly, line: lineAt(file.text, start) });
  };
  for (const one of module.staticImports) {
    const typeOnly = one.entries.length > 0 && one.entries.every((entry) => entry.isType);
    add(one.moduleRequest.value, one.start, typeOnly);
  }
  for (const one of module.staticExports.flatMap((statement) => statement.entries)) {
    if (one.moduleRequest) add(one.moduleRequest.value, one.start, one.isType);
  }
  walk(program, (node) => {
    if (node.type !== "ImportExpression") return;
    const source = node.source as Node;
    if (source.type === "Literal" && typeof source.value === "string") add(source.value, node.start, false);
  });
  return found;
}

function withoutExtension(path: string): string {
  return path.replace(/\.(ts|tsx|mts|mjs|js)$/, "").replace(/\/index$/, "");
}

function packageOf(request: string): string {
  const parts = request.split("/");
  return parts.slice(0, request.startsWith("@") ? 2 : 1).join("/");
}
