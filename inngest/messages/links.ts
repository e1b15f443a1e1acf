import { createHmac, timingSafeEqual } from "node:crypto";
import { config } from "../../db/config";
import { parseDeliveryKey } from "../../db/rules/delivery-key";
import type { MessageContent } from "../../db/rules/message-content";

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
  return mac(secret, PURPOSE + reminderId);
}

function mac(secret: string, text: string): Buffer {
  return createHmac("sha256", secret).update(text).digest().subarray(0, MAC_BYTES);
}

const PARCEL_PURPOSE = "parcel-link:v1:";

/**
 * Stands for the token of whoever a message is sent to, where the content is one for all of them. A private-use
 * character: no text of ours has it, and one that came in a carrier's words would only become the reader's own token.
 */
const READER = "\ue0ff";

/** One follower of one parcel. */
export interface Following {
  shipmentId: string;
  subscriberId: string;
}

/**
 * The key of a parcel's tokens. It is stored with what is rendered, so that a change of the secret between two attempts
 * changes no byte of the message (P5).
 */
export function parcelLinkKey(shipmentId: string, secret = config().authSecret): string {
  return mac(secret, PARCEL_PURPOSE + shipmentId).toString("base64url");
}

/** The token of a follower's links: who holds it may stop following that parcel, and updates on the message's channel. */
export function parcelToken(
  { shipmentId, subscriberId }: Following,
  key = parcelLinkKey(shipmentId),
): string {
  const ids = Buffer.from(`${shipmentId}${subscriberId}`.replaceAll("-", ""), "hex").toString("base64url");
  return `${ids}.${mac(key, subscriberId).toString("base64url")}`;
}

/** Whose token this is; null for anything that we have not signed. */
export function readParcelToken(token: string): Following | null {
  const match = /^([\w-]{43})\.([\w-]{22})$/.exec(token);
  if (match === null) return null;
  const ids = Buffer.from(match[1] ?? "", "base64url").toString("hex");
  const [shipmentId = "", subscriberId = ""] = [ids.slice(0, 32), ids.slice(32)].map((hex) =>
    hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5"),
  );
  const given = Buffer.from(match[2] ?? "", "base64url");
  const { authSecret, previousAuthSecrets } = config();
  const genuine = [authSecret, ...previousAuthSecrets].some((secret) => {
    const right = mac(parcelLinkKey(shipmentId, secret), subscriberId);
    return given.length === right.length && timingSafeEqual(given, right);
  });
  return genuine ? { shipmentId, subscriberId } : null;
}

/** The page that a parcel's email leads each of its readers to, and the address for one click (RFC 8058). */
export function readersLinks(): { page: string; unsubscribe: string } {
  const { appUrl } = config();
  return {
    page: `${appUrl}/r/${READER}`,
    unsubscribe: `${appUrl}/api/unsubscribe/${READER}?channel=email`,
  };
}

/** Puts the token of the delivery's reader into content that is shared: a pure function of content and delivery key. */
export function forReader(content: MessageContent, key: string): MessageContent {
  if (!("linkKey" in content) || content.linkKey === undefined) return content;
  const { linkKey, ...email } = content;
  const parts = parseDeliveryKey(key);
  if (parts?.source !== "shipment") return email;
  const token = parcelToken(parts, linkKey);
  const filled = (text: string) => text.replaceAll(READER, token);
  const { html, text, unsubscribeUrl } = email;
  return {
    ...email,
    html: filled(html),
    text: filled(text),
    ...(unsubscribeUrl === undefined ? {} : { unsubscribeUrl: filled(unsubscribeUrl) }),
  };
}

/** The page that a reminder's messages lead to: what can be done about it, without signing in. */
export function managePage(reminderId: string): string {
  return `${config().appUrl}/r/${linkToken(reminderId)}`;
}

/** Where a mail program posts to stop reminders by email (RFC 8058). */
export function unsubscribeAddress(reminderId: string): string {
  return `${config().appUrl}/api/unsubscribe/${linkToken(reminderId)}?channel=email`;
}
