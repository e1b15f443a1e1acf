import { createHash } from "node:crypto";

/**
 * The name of a delivery at providers, in URLs, logs and traces: base64url(sha256(key))[0:32]. It fits every provider's
 * limit (Web Push Topic: 32 characters of this alphabet) and tells nothing. Server only.
 */
export function deliveryReference(key: string): string {
  return createHash("sha256").update(key).digest("base64url").slice(0, 32);
}
