import "server-only";

/** Every zone that can be chosen, with `present` among them whatever its spelling. */
export function zonesWith(present: string): string[] {
  const known = Intl.supportedValuesOf("timeZone");
  return [...new Set([...known, "UTC", present])].sort();
}
