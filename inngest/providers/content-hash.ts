import { createHash } from "node:crypto";

/** sha256 in hex over the parts, each kept apart from the next. */
export function contentHash(...parts: string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}
