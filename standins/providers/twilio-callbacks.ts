import { createHmac } from "node:crypto";
import type { Receipt, ReceiptRequest } from "./receipts";
import type { StoredSms } from "./twilio";
import { LATE_CODES } from "./twilio-errors";
import { hexId, type World } from "./world";

/** Signs as Twilio does: HMAC-SHA1 over the full URL followed by every field name and value, sorted by name. */
export function signTwilio(authToken: string, url: string, fields: Record<string, string>): string {
  const sorted = Object.keys(fields).sort();
  const signed = sorted.reduce((text, name) => text + name + fields[name], url);
  return createHmac("sha1", authToken).update(signed).digest("base64");
}

/** The status callbacks one accepted text will cause: to delivered, or to the failure that `lateCode` names. */
export function smsReceipts(
  world: World,
  sms: StoredSms,
  lateCode: number | null,
  report: (status: string, errorCode: number | null) => void,
): Receipt[] {
  const end = lateCode === null ? "delivered" : (LATE_CODES.get(lateCode) ?? "failed");
  // A message that fails before it leaves Twilio was never sent.
  const statuses = end === "failed" ? ["queued", "failed"] : ["queued", "sent", end];
  return statuses.map((status) => {
    const errorCode = status === end ? lateCode : null;
    const idempotencyToken = world.newId();
    const request = (url: string) => callbackRequest(world, sms, url, status, errorCode, idempotencyToken);
    const url = sms.statusCallback;
    return {
      provider: "twilio",
      event: status,
      providerMessageId: sms.sid,
      apply: () => report(status, errorCode),
      request: url === null ? null : () => request(url),
    };
  });
}

function callbackRequest(
  world: World,
  sms: StoredSms,
  url: string,
  status: string,
  errorCode: number | null,
  idempotencyToken: string,
): ReceiptRequest {
  const fields: Record<string, string> = {
    AccountSid: sms.accountSid,
    ApiVersion: "2010-04-01",
    MessageSid: sms.sid,
    MessageStatus: status,
    SmsSid: sms.sid,
    SmsStatus: status,
    To: sms.to,
    ...(sms.from === null ? {} : { From: sms.from }),
    ...(sms.messagingServiceSid === null ? {} : { MessagingServiceSid: sms.messagingServiceSid }),
    ...(errorCode === null ? {} : { ErrorCode: String(errorCode) }),
  };
  // The carrier's own time, YYMMDDhhmm, comes with its final word only.
  const now = new Date(world.clock.nowMs()).toISOString();
  if (status === "delivered" || status === "undelivered") {
    fields.RawDlrDoneDate = now.slice(2, 16).replace(/\D/g, "");
  }
  return signedForm(url, fields, sms.signingToken, idempotencyToken);
}

/** A text that a reader sent us, as Twilio forwards it to the app. */
export function inboundReceipt(
  world: World,
  sms: { from: string; to: string; body: string; optOut: string | null },
  account: { accountSid: string; signingToken: string },
): Receipt {
  const sid = `SM${hexId(world.newId())}`;
  const fields: Record<string, string> = {
    AccountSid: account.accountSid,
    ApiVersion: "2010-04-01",
    Body: sms.body,
    From: sms.from,
    MessageSid: sid,
    NumMedia: "0",
    NumSegments: "1",
    SmsMessageSid: sid,
    SmsSid: sid,
    SmsStatus: "received",
    To: sms.to,
    ...(sms.optOut === null ? {} : { OptOutType: sms.optOut }),
  };
  const url = `${world.appUrl}/api/webhooks/twilio`;
  const idempotencyToken = world.newId();
  const request = () => signedForm(url, fields, account.signingToken, idempotencyToken);
  const apply = () => {};
  return {
    provider: "twilio",
    event: "inbound",
    providerMessageId: sid,
    apply,
    request: world.appUrl ? request : null,
  };
}

function signedForm(
  url: string,
  fields: Record<string, string>,
  signingToken: string,
  idempotencyToken: string,
): ReceiptRequest {
  return {
    // What follows a # is for Twilio alone and never sent.
    url: url.split("#")[0] as string,
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      "user-agent": "TwilioProxy/1.1",
      "x-twilio-signature": signTwilio(signingToken, url.split("#")[0] as string, fields),
      "i-twilio-idempotency-token": idempotencyToken,
    },
    body: new URLSearchParams(fields).toString(),
  };
}
