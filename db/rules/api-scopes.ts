/**
 * What a key of the shop's backend may open; a key has one or several. `privacy` exports and erases people: a backend
 * that sets reminders needs none of it.
 */
export const API_SCOPES = ["subscribers", "reminders", "shipments", "notices", "privacy"] as const;
export type ApiScope = (typeof API_SCOPES)[number];

/** Reads a list such as `reminders,shipments`; null when a name in it is no scope, or there is none. */
export function readScopes(text: string): ApiScope[] | null {
  const names = text.split(",").map((name) => name.trim());
  const scopes = API_SCOPES.filter((scope) => names.includes(scope));
  return names.every((name) => scopes.some((scope) => scope === name)) ? scopes : null;
}
