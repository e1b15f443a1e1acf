import { Resend } from "resend";
import { z } from "zod";
import { type ProviderReport, resendMeaning } from "../../db/rules/receipt";

/** What of an event is used; the rest may be anything. */
const event = z.object({
  type: z.string(),
  data: z.object({
    email_id: z.string().max(200).optional(),
    tags: z
      .union([z.record(z.string(), z.string()), z.array(z.object({ name: z.string(), value: z.string() }))])
      .optional(),
    bounce: z.object({ type: z.string().max(100).optional() }).optional(),
  }),
});

/** The tag that every email carries: the delivery's reference (`resend.ts`). */
const REFERENCE_TAG = "delivery_id";

export type ReadWebhook =
  | { kind: "report"; report: ProviderReport }
  /** True, and about something that we do not keep. */
  | { kind: "ignored" }
  /** Not signed by the provider, or too old. */
  | { kind: "forged" }
  | { kind: "unreadable" };

/**
 * Verifies and reads one of Resend's webhooks: the SDK checks Svix's signature over the raw body, with any of several
 * signatures while a secret is rotated, and refuses what is more than five minutes old
 * (resend.com/docs/dashboard/webhooks/verify-webhooks-requests).
 */
export function readResendWebhook(body: string, headers: Headers, secrets: readonly string[]): ReadWebhook {
  const [id, timestamp, signature] = ["svix-id", "svix-timestamp", "svix-signature"].map((name) =>
    headers.get(name),
  );
  if (!id || !timestamp || !signature) return { kind: "forged" };
  const verified = secrets.some((webhookSecret) => {
    try {
      verifier.webhooks.verify({ payload: body, headers: { id, timestamp, signature }, webhookSecret });
      return true;
    } catch {
      return false;
    }
  });
  if (!verified) return { kind: "forged" };
  const parsed = event.safeParse(safeJson(body));
  if (!parsed.success) return { kind: "unreadable" };
  const { type, data } = parsed.data;
  const meaning = resendMeaning(type, data.bounce?.type ?? null);
  if (meaning === null) return { kind: "ignored" };
  const tags = Array.isArray(data.tags)
    ? Object.fromEntries(data.tags.map(({ name, value }) => [name, value]))
    : (data.tags ?? {});
  const report: ProviderReport = {
    provider: "resend",
    reportId: id,
    reference: tags[REFERENCE_TAG] ?? null,
    providerMessageId: data.email_id ?? null,
    ...meaning,
  };
  return { kind: "report", report };
}

/** Verifying needs no key; the SDK wants one. */
const verifier = new Resend("re_verifier");

function safeJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}
