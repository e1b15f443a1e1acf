import { createHmac, timingSafeEqual } from "node:crypto";
import { config } from "../../../../db/config";
import { fail, ok, type Result } from "../../../../db/rules/errors";

/** Where AfterShip puts its signature (https://www.aftership.com/docs/tracking/webhook/webhook-signature). */
export const SIGNATURE_HEADER = "aftership-hmac-sha256";

/** Checks the base64 HMAC-SHA256 of the body as it came; closed when no secret is set. Constant time. */
export function verifySignature(body: string, given: string | null): Result<null> {
  const secret = config().aftershipWebhookSecret;
  const why = "The webhook's signature is missing or wrong.";
  if (secret === null || given === null) return fail({ code: "unauthorised", why });
  const expected = createHmac("sha256", secret).update(body, "utf8").digest();
  const actual = Buffer.from(given, "base64");
  const matches = actual.length === expected.length && timingSafeEqual(actual, expected);
  return matches ? ok(null) : fail({ code: "unauthorised", why });
}
