/**
 * What a report says, lightest first. All but `not_found` (the provider's list has no such message) prove that the
 * provider took the message.
 */
export const RECEIPT_MEANINGS = [
  "not_found",
  "accepted",
  "delayed",
  "arrived",
  "not_arrived",
  "complained",
] as const;
export type ReceiptMeaning = (typeof RECEIPT_MEANINGS)[number];

/** Why an address must not be written to any more. */
export type SuppressionReason = "opted_out" | "bounced" | "complained" | "unreachable" | "operator";

/** A report about one message, in our words. */
export interface ProviderReport {
  provider: "resend" | "twilio";
  /** The same for every repetition of this report. */
  reportId: string;
  /** The delivery's name at providers; null when the report does not carry it. */
  reference: string | null;
  providerMessageId: string | null;
  meaning: ReceiptMeaning;
  code: string | null;
  /** Set when the address itself is no good. */
  suppresses: SuppressionReason | null;
}

/** The report that weighs most: the order in which they came makes no difference. Null of none. */
export function weightiest(meanings: readonly ReceiptMeaning[]): ReceiptMeaning | null {
  return RECEIPT_MEANINGS.findLast((meaning) => meanings.includes(meaning)) ?? null;
}

type Reported = Pick<ProviderReport, "meaning" | "code" | "suppresses">;

/**
 * What a Resend webhook of this type means; null for what says nothing about a message's fate (opens, clicks, contacts).
 * A bounce suppresses only when it is permanent: a full mailbox is not a wrong one (resend.com/docs/webhooks).
 */
export function resendMeaning(type: string, bounceType: string | null): Reported | null {
  switch (type) {
    case "email.sent":
    case "email.scheduled":
      return { meaning: "accepted", code: null, suppresses: null };
    case "email.delivery_delayed":
      return { meaning: "delayed", code: null, suppresses: null };
    case "email.delivered":
      return { meaning: "arrived", code: null, suppresses: null };
    case "email.bounced":
      return {
        meaning: "not_arrived",
        code: bounceType,
        suppresses: bounceType?.toLowerCase() === "permanent" ? "bounced" : null,
      };
    case "email.suppressed":
      return { meaning: "not_arrived", code: "suppressed", suppresses: "bounced" };
    case "email.failed":
      return { meaning: "not_arrived", code: "failed", suppresses: null };
    case "email.complained":
      return { meaning: "complained", code: null, suppresses: "complained" };
    default:
      return null;
  }
}

/** Numbers that no text will ever reach: unknown or landline (twilio.com/docs/api/errors). */
const UNREACHABLE_CODES = ["30005", "30006"];
/** The recipient answered STOP to this sender. */
const OPTED_OUT_CODE = "21610";

/** What a Twilio status callback means; null for a status that we do not know (the list grows). */
export function twilioMeaning(status: string, errorCode: string | null): Reported | null {
  switch (status) {
    case "accepted":
    case "scheduled":
    case "queued":
    case "sending":
    case "sent":
      return { meaning: "accepted", code: null, suppresses: null };
    case "delivered":
    case "read":
      return { meaning: "arrived", code: null, suppresses: null };
    case "undelivered":
    case "failed":
    case "canceled":
      return { meaning: "not_arrived", code: errorCode ?? status, suppresses: suppressionBy(errorCode) };
    default:
      return null;
  }
}

function suppressionBy(errorCode: string | null): SuppressionReason | null {
  if (errorCode === OPTED_OUT_CODE) return "opted_out";
  return errorCode !== null && UNREACHABLE_CODES.includes(errorCode) ? "unreachable" : null;
}
