/** Any origin will do: only the path of what it resolves to is used. */
const HERE = "http://here.invalid";

/**
 * Where to go after signing in: a path of this app, or `/reminders` for anything else. Sign-in links come from anybody,
 * and must not lead to another site (`//evil.example`, `/\evil.example`, `https:evil.example`).
 */
export function nextPath(wanted: unknown): string {
  if (typeof wanted !== "string" || !wanted.startsWith("/") || !URL.canParse(wanted, HERE))
    return "/reminders";
  const url = new URL(wanted, HERE);
  // A path that begins with two slashes is another host to the browser, however it came about (`/./` + `/evil.example`).
  if (url.origin !== HERE || url.pathname.startsWith("//")) return "/reminders";
  const toItself =
    url.pathname === "/" || url.pathname.startsWith("/sign-in") || url.pathname.startsWith("/api/");
  return toItself ? "/reminders" : `${url.pathname}${url.search}`;
}
