import twilio from "twilio";
import { type InboundWish, inboundWish } from "../../db/rules/inbound-text";
import { type ProviderReport, twilioMeaning } from "../../db/rules/receipt";

export type ReadCallback =
  | { kind: "report"; report: ProviderReport }
  /** Somebody answered a text. */
  | { kind: "inbound"; messageId: string; from: string; to: string; wish: InboundWish }
  | { kind: "ignored" }
  | { kind: "forged" };

const E164 = /^\+[1-9]\d{1,14}$/;
const REFERENCE = /^[\w-]{1,64}$/;

/**
 * Verifies and reads what Twilio posts: a status callback, whose address carries the delivery's name, or a text that
 * somebody sent to our number.
 *
 * The signature covers the address as Twilio knows it, so `url` is made of the configured public address, never of what
 * the request claims (twilio.com/docs/usage/webhooks/webhooks-security). There is no timestamp in it: repetitions are
 * told apart by message and status.
 */
export function readTwilioCallback(
  body: string,
  request: { url: string; signature: string | null },
  authTokens: readonly string[],
): ReadCallback {
  const { url, signature } = request;
  const signed = Object.fromEntries(new URLSearchParams(body));
  const genuine =
    signature !== null && authTokens.some((token) => twilio.validateRequest(token, signature, url, signed));
  if (!genuine) return { kind: "forged" };
  const fields: Record<string, string | undefined> = Object.fromEntries(
    Object.entries(signed).map(([name, value]) => [name, value.replaceAll("\0", "")]),
  );
  const sid = fields.MessageSid ?? fields.SmsSid;
  if (sid === undefined || sid === "" || sid.length > 64) return { kind: "ignored" };
  if (fields.SmsStatus === "received" || fields.Body !== undefined) return readInbound(sid, fields);
  const status = fields.MessageStatus ?? fields.SmsStatus ?? "";
  const meaning = twilioMeaning(status, fields.ErrorCode ?? null);
  if (meaning === null) return { kind: "ignored" };
  const reference = new URL(url).searchParams.get("d") ?? "";
  const report: ProviderReport = {
    provider: "twilio",
    reportId: `${sid}:${status}`,
    reference: REFERENCE.test(reference) ? reference : null,
    providerMessageId: sid,
    ...meaning,
  };
  return { kind: "report", report };
}

function readInbound(messageId: string, fields: Record<string, string | undefined>): ReadCallback {
  const from = fields.From ?? "";
  const wish = inboundWish(fields.Body ?? "", fields.OptOutType ?? null);
  return wish === null || !E164.test(from)
    ? { kind: "ignored" }
    : { kind: "inbound", messageId, from, to: fields.MessagingServiceSid ?? fields.To ?? "", wish };
}
