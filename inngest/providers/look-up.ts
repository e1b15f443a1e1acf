import twilio from "twilio";
import { z } from "zod";
import type { ListedMessage } from "../../db/rules/look-up";
import { smsContent } from "../../db/rules/message-content";
import { smsSender } from "../../db/rules/partition-key";
import { parseHttpDate } from "../../db/rules/retry-after";
import { wellFormed } from "../../db/rules/shorten";
import { cleanCode } from "./clean-detail";
import type { TwilioConfig } from "./twilio";
import { LedgerTwilioTransport } from "./twilio-transport";

/** What is looked for: what was to be sent, to whom, and by which sender. */
export interface LookedFor {
  address: string;
  partition: string;
  content: unknown;
}

/** What the provider's list said, or why it said nothing. */
export type LookUpAnswer =
  | { kind: "listed"; messages: ListedMessage[] }
  | { kind: "silent"; code: string; throttled: boolean };

/** Messages to one number around one minute: more would be a flood, of which nothing can be told. */
const PAGE_SIZE = 100;

const page = z.object({
  messages: z.array(
    z.object({
      sid: z.string().min(1).max(64),
      body: z.string().nullish(),
      from: z.string().nullish(),
      messaging_service_sid: z.string().nullish(),
      date_created: z.string(),
      direction: z.string(),
      status: z.string().max(40),
      error_code: z.union([z.number(), z.string().max(20)]).nullish(),
    }),
  ),
});

/**
 * Asks Twilio for the latest messages to a number (`GET Messages.json?To=…`). No date filter: a message that still waits
 * there has none. Ages are taken from the answer's own `Date`, so that nobody's clock matters. Never throws.
 */
export async function lookUpSms(
  config: TwilioConfig,
  wanted: LookedFor,
  signal: AbortSignal,
): Promise<LookUpAnswer> {
  const from = smsSender(wanted.partition);
  const content = smsContent.safeParse(wanted.content);
  const own = wanted.partition.startsWith(`sms:twilio:${config.accountSid}:`);
  if (from === null || !content.success || !own) return silent("not_ours");
  const transport = new LedgerTwilioTransport(config.baseUrl, signal);
  try {
    const client = twilio(config.accountSid, config.authToken, { httpClient: transport, autoRetry: false });
    await client.messages.page({ to: wanted.address, pageSize: PAGE_SIZE });
  } catch {
    // As with sends: the exchange tells more than the SDK's errors.
  }
  const result = transport.exchanged;
  if (result?.kind !== "answered") return silent("no_answer");
  const { status, headers, body } = result.answer;
  const answeredAtMs = parseHttpDate(headers.date ?? null, 0);
  if (status !== 200 || body === null || answeredAtMs === null)
    return { ...silent(cleanCode(status) ?? "no_answer"), throttled: status === 429 };
  const parsed = page.safeParse(readJson(body));
  if (!parsed.success) return silent("unreadable");
  const text = wellFormed(content.data.text);
  const messages = parsed.data.messages
    .filter(({ direction }) => direction.startsWith("outbound"))
    .map((message): ListedMessage => {
      const sender = from.startsWith("MG") ? message.messaging_service_sid : message.from;
      return {
        id: message.sid,
        ageMs: answeredAtMs - Date.parse(message.date_created),
        same: message.body === text && sender === from,
        status: message.status,
        errorCode: cleanCode(message.error_code),
      };
    });
  return { kind: "listed", messages };
}

function silent(code: string): Extract<LookUpAnswer, { kind: "silent" }> {
  return { kind: "silent", code, throttled: false };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
