/** A page, server action or route handler, as the code has it, called in process. */
export interface Place {
  /** As in `EXPECTED`: the file, and the name of what it exports unless it is a page. */
  name: string;
  file: string;
  kind: "page" | "action" | "route";
  /** The method of a route. */
  method: string;
  // biome-ignore lint/suspicious/noExplicitAny: each takes its own arguments
  run: (...args: any[]) => Promise<unknown>;
}

type Exports = Record<string, unknown>;

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

const pages = import.meta.glob<Exports>("../../../app/**/page.tsx");
const routes = import.meta.glob<Exports>("../../../app/**/route.ts");
// Wherever "use server" stands at the beginning of a file, each function that it exports has an address.
const texts = import.meta.glob<string>("../../../app/**/*.{ts,tsx}", {
  query: "?raw",
  import: "default",
  eager: true,
});
const modules = import.meta.glob<Exports>("../../../app/**/*.{ts,tsx}");

const IS_ACTIONS = /^(\s|\/\/[^\n]*\n|\/\*[\s\S]*?\*\/)*["']use server["']/;

const inProject = (path: string) => path.replace(/^(\.\.\/)+/, "");

/** Every way into the app. */
export async function listPlaces(): Promise<Place[]> {
  const found: Place[] = [];
  const add = (path: string, kind: Place["kind"], name: string, run: unknown) => {
    const file = inProject(path);
    const full = kind === "page" ? file : `${file} ${name}`;
    found.push({ name: full, file, kind, method: name, run: run as Place["run"] });
  };
  for (const [path, load] of Object.entries(pages)) add(path, "page", "default", (await load()).default);
  for (const [path, load] of Object.entries(routes)) {
    for (const [name, run] of Object.entries(await load()))
      if (METHODS.includes(name)) add(path, "route", name, run);
  }
  for (const [path, text] of Object.entries(texts)) {
    if (!IS_ACTIONS.test(text)) continue;
    for (const [name, run] of Object.entries((await modules[path]?.()) ?? {}))
      if (typeof run === "function") add(path, "action", name, run);
  }
  return found.sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** Files in which a function below the top level says "use server": none may, because such a one is not listed. */
export function hiddenActions(): string[] {
  return Object.entries(texts)
    .filter(([, text]) => !IS_ACTIONS.test(text) && /["']use server["']/.test(text))
    .map(([path]) => inProject(path));
}
