import { isStorable } from "./text";

/**
 * The push services that browsers use. An endpoint comes from a client and is called by our server, so any other host
 * would be a door into our network. `suffix` entries stand for every host below them; the name is the partition's.
 */
const ALLOWED: readonly { name: string; suffix: boolean }[] = [
  { name: "fcm.googleapis.com", suffix: false },
  // Chromium builds without Google's keys.
  { name: "jmt17.google.com", suffix: false },
  { name: "updates.push.services.mozilla.com", suffix: false },
  { name: "push.services.mozilla.com", suffix: true },
  { name: "web.push.apple.com", suffix: false },
  { name: "push.apple.com", suffix: true },
  { name: "notify.windows.com", suffix: true },
];

/** Real endpoints are 200 to 1000 characters long; more is not one. */
const ENDPOINT_CHARACTERS_MAX = 2000;

/**
 * The name under which a push endpoint's calls are limited (`push:<name>`), or null when it must not be called.
 *
 * Accepts https on the standard port at an allow-listed host, without user name, by exact name or true subdomain. The
 * many hosts of one service share one name, so that a client cannot make partitions. `extraHosts` are stand-ins, `host`
 * or `host:port`, over http or https; production has none.
 */
export function pushHost(endpoint: string, extraHosts: readonly string[] = []): string | null {
  if (endpoint.length > ENDPOINT_CHARACTERS_MAX || !URL.canParse(endpoint)) return null;
  // Parsing drops or escapes what no address holds; it is stored and called as it came.
  if (!isStorable(endpoint)) return null;
  const url = new URL(endpoint);
  if (url.username !== "" || url.password !== "") return null;
  if (url.protocol !== "https:" && url.protocol !== "http:") return null;
  const port = url.port === "" ? (url.protocol === "https:" ? "443" : "80") : url.port;
  const extra = extraHosts.find((host) => host === url.hostname || host === `${url.hostname}:${port}`);
  if (extra !== undefined) return extra;
  if (url.protocol !== "https:" || url.port !== "") return null;
  const allowed = ALLOWED.find(({ name, suffix }) =>
    suffix ? url.hostname.endsWith(`.${name}`) : url.hostname === name,
  );
  return allowed?.name ?? null;
}

/** Whether the host belongs to the Windows service, which has headers and statuses of its own. */
export function isWindowsPush(host: string): boolean {
  return host === "notify.windows.com";
}
