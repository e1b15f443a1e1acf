import { createHmac } from "node:crypto";
import type { Receipt, ReceiptRequest } from "./receipts";
import { bareAddress, type ResendEmail } from "./resend-email";
import type { World } from "./world";

/** Signs as Svix does: HMAC-SHA256 over `id.timestamp.body`, keyed with the bytes after `whsec_`. */
export function signSvix(secret: string, id: string, timestampSeconds: number, body: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  return `v1,${createHmac("sha256", key).update(`${id}.${timestampSeconds}.${body}`).digest("base64")}`;
}

type Step = { type: string; extra?: Record<string, unknown> };

const BOUNCE = {
  type: "Permanent",
  subType: "General",
  message: "The recipient's email server rejected the message: 550 5.1.1 no such user.",
};
const SUPPRESSED = {
  type: "OnAccountSuppressionList",
  message: "The address is on the account's suppression list.",
};

/** What becomes of an email: the local part of the first recipient decides, as at Resend's own test addresses. */
function stepsFor(email: ResendEmail): Step[] {
  const local = (bareAddress(email.to[0] ?? "") ?? "").split("@")[0]?.split("+")[0]?.toLowerCase();
  switch (local) {
    case "bounced":
      return [{ type: "email.sent" }, { type: "email.bounced", extra: { bounce: BOUNCE } }];
    case "complained":
      return [{ type: "email.sent" }, { type: "email.delivered" }, { type: "email.complained" }];
    case "suppressed":
      return [{ type: "email.suppressed", extra: { suppressed: SUPPRESSED } }];
    default:
      return [{ type: "email.sent" }, { type: "email.delivered" }];
  }
}

/** The webhooks one accepted email will cause; `report` moves the email's `last_event`. */
export function emailReceipts(
  world: World,
  id: string,
  email: ResendEmail,
  report: (event: string) => void,
): Receipt[] {
  const createdAt = new Date(world.clock.nowMs()).toISOString();
  return stepsFor(email).map(({ type, extra }) => {
    const webhookId = `msg_${world.newId().replaceAll("-", "")}`;
    const tags = Object.fromEntries(email.tags.map((tag) => [tag.name, tag.value]));
    const data = {
      email_id: id,
      message_id: `<${id}@eu-west-1.amazonses.com>`,
      created_at: createdAt,
      from: email.from,
      to: email.to,
      subject: email.subject,
      ...(email.tags.length > 0 ? { tags } : {}),
      ...extra,
    };
    const request = () => webhookRequest(world, webhookId, type, data);
    const event = type.replace("email.", "");
    const apply = () => report(event);
    return {
      provider: "resend",
      event: type,
      providerMessageId: id,
      apply,
      request: world.appUrl ? request : null,
    };
  });
}

function webhookRequest(
  world: World,
  id: string,
  type: string,
  data: Record<string, unknown>,
): ReceiptRequest {
  const nowMs = world.clock.nowMs();
  const timestampSeconds = Math.floor(nowMs / 1000);
  const body = JSON.stringify({ type, created_at: new Date(nowMs).toISOString(), data });
  return {
    url: `${world.appUrl}/api/webhooks/resend`,
    headers: {
      "content-type": "application/json",
      "user-agent": "Svix-Webhooks/1.0",
      "svix-id": id,
      "svix-timestamp": String(timestampSeconds),
      "svix-signature": signSvix(world.webhookSecret, id, timestampSeconds, body),
    },
    body,
  };
}
