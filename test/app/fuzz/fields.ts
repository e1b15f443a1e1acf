const texts = import.meta.glob<string>("../../../app/**/*.{ts,tsx}", {
  query: "?raw",
  import: "default",
  eager: true,
});

/** Where the code reads a field of a form or of a query. */
const READ = [
  /(?:textOf|one)\([\w. ()]+, "(\w+)"/g,
  /\.(?:get|getAll|has)\("(\w+)"\)/g,
  /\b(?:query|search|parameters)\.(\w+)\b/g,
];

/** Lists of them, as `textsOf(form, ["reason", "typed"])` and `KEPT = [...]` have. */
const LISTED = [/textsOf\(form, \[([^\]]*)\]/g, /\bKEPT = \[([^\]]*)\]/g, /PREFILLED = \[([^\]]*)\]/g];

/** The names of all fields that any form or query of the app is asked for, as the code has them. */
export const FIELD_NAMES: string[] = [
  ...new Set(
    Object.values(texts).flatMap((code) => [
      ...READ.flatMap((pattern) => [...code.matchAll(pattern)].map(([, name = ""]) => name)),
      ...LISTED.flatMap((pattern) =>
        [...code.matchAll(pattern)].flatMap(([, list = ""]) =>
          [...list.matchAll(/"(\w+)"/g)].map(([, name = ""]) => name),
        ),
      ),
    ]),
  ),
].sort();
