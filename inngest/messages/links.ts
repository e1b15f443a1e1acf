import { createHmac, timingSafeEqual } from "node:crypto";
import { config } from "../../db/config";

/** 128 bits: beyond guessing, and short enough for a text message. */
const MAC_BYTES = 16;

/** Names what the signature is for, so that no other signature of the same secret is one of these. */
const PURPOSE = "reminder-link:v1:";

/**
 * The token of a reminder's links: whoever holds a message may finish, put off or cancel that one reminder, and stop its
 * channel, without signing in. A pure function of the id, so that every attempt of a delivery sends the same bytes.
 */
export function linkToken(reminderId: string): string {
  const id = Buffer.from(reminderId.replaceAll("-", ""), "hex").toString("base64url");
  return `${id}.${macOf(reminderId).toString("base64url")}`;
}

/** The reminder whose token this is; null for anything that we have not signed. */
export function readLinkToken(token: string): string | null {
  const match = /^([\w-]{22})\.([\w-]{22})$/.exec(token);
  if (match === null) return null;
  const hex = Buffer.from(match[1] ?? "", "base64url").toString("hex");
  const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  const given = Buffer.from(match[2] ?? "", "base64url");
  const { authSecret, previousAuthSecrets } = config();
  const genuine = [authSecret, ...previousAuthSecrets].some((secret) => {
    const right = macOf(id, secret);
    return given.length === right.length && timingSafeEqual(given, right);
  });
  return genuine ? id : null;
}

function macOf(reminderId: string, secret = config().authSecret): Buffer {
  return createHmac("sha256", secret)
    .update(PURPOSE + reminderId)
    .digest()
    .subarray(0, MAC_BYTES);
}

/** The page that a reminder's messages lead to: what can be done about it, without signing in. */
export function managePage(reminderId: string): string {
  return `${config().appUrl}/r/${linkToken(reminderId)}`;
}

/** Where a mail program posts to stop reminders by email (RFC 8058). */
export function unsubscribeAddress(reminderId: string): string {
  return `${config().appUrl}/api/unsubscribe/${linkToken(reminderId)}?channel=email`;
}
