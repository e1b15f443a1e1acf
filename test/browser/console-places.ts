import { entrancesOf, isConsoleFile } from "../repo/console-access";
import { codeFiles } from "../repo/source-files";

/** The segments of an address that name a subject, and what they are filled with. */
export type Subjects = Record<"[key]" | "[reference]" | "[id]", string>;

/** Every page and route of the console as the code has them, with these subjects. */
export function consoleAddresses(subjects: Subjects): string[] {
  const entrances = codeFiles().filter(isConsoleFile).flatMap(entrancesOf);
  const pages = entrances.filter(({ kind, path }) => kind === "page" && !path.endsWith("layout.tsx"));
  return pages.map(({ path }) => addressOf(path, subjects));
}

/** The address of a file of Next's router, of the built app or of the code. */
export function addressOf(path: string, subjects: Subjects): string {
  const segments = path.split("/").slice(1, -1);
  const shown = segments.filter((segment) => !/^\(.*\)$/.test(segment));
  return `/${shown.map((segment) => subjects[segment as keyof Subjects] ?? segment).join("/")}`;
}
