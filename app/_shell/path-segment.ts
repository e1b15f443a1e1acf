/**
 * A segment of one of our addresses. What an action was called with and what stood in an address may be anything: what is
 * no text becomes an empty segment, and half a character the sign for one.
 */
export function pathSegment(value: unknown): string {
  return typeof value === "string" ? encodeURIComponent(value.toWellFormed()) : "";
}
