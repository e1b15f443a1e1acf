import twilio from "twilio";
import { smsContent } from "../../db/rules/message-content";
import { smsSender } from "../../db/rules/partition-key";
import { REPEAT_BY_CHANNEL } from "../../db/rules/repeat-policy";
import { CALL_DEADLINE_MS } from "../../db/rules/retry-policy";
import { wellFormed } from "../../db/rules/shorten";
import { classifyTwilio } from "./classify-twilio";
import { contentHash } from "./content-hash";
import type { PreparedSms, PrepareInput, ProviderAdapter, SendOptions, Unpreparable } from "./port";
import { networkAnswer, notMade, refusedHere, wireAnswer } from "./provider-answer";
import { LedgerTwilioTransport } from "./twilio-transport";

export interface TwilioConfig {
  accountSid: string;
  authToken: string;
  /** Null for Twilio itself. */
  baseUrl: string | null;
  /** The app's public address: status callbacks go there. */
  appUrl: string;
}

/** Twilio refuses longer texts (21617). */
const TEXT_CHARACTERS_MAX = 1600;
/** Twilio's own bound and default, ten hours (`ValidityPeriod`). */
const VALIDITY_SECONDS_MAX = 36_000;

const E164 = /^\+[1-9]\d{1,14}$/;

/**
 * SMS by Twilio.
 *
 * `blind`: Twilio has no idempotency key, so an unknown outcome is never repeated. Instead reference and attempt stand
 * in the callback's address (which its signature covers): the first callback proves acceptance even if the answer of
 * this call was lost.
 */
export function createTwilioAdapter(config: TwilioConfig): ProviderAdapter {
  return {
    provider: "twilio",
    channel: "sms",
    repeat: REPEAT_BY_CHANNEL.sms,
    deadlineMs: CALL_DEADLINE_MS.sms,
    prepare: prepareSms,
    async send(prepared, options) {
      if (prepared.provider !== "twilio") return notMade("prepared for another provider");
      if (!(options.expiresInSeconds >= 1)) return notMade("no time left before the expiry");
      return sendSms(config, prepared, options);
    },
  };
}

/** The address of a delivery's status callbacks. */
export function twilioCallbackUrl(appUrl: string, reference: string, attemptId: string): string {
  const query = new URLSearchParams({ d: reference, a: attemptId });
  return `${appUrl}/api/webhooks/twilio?${query}`;
}

function prepareSms(input: PrepareInput): PreparedSms | Unpreparable {
  const { destination, reference, attemptId } = input;
  const content = smsContent.safeParse(input.content);
  const from = smsSender(input.partition);
  if (!content.success || !("address" in destination) || from === null) {
    return { invalid: "not a text message", outcome: { class: "message_rejected" } };
  }
  const to = destination.address;
  if (!E164.test(to)) {
    return {
      invalid: "not a number in E.164",
      outcome: { class: "destination_rejected", disposition: "dead" },
    };
  }
  const text = wellFormed(content.data.text);
  if (text.trim() === "" || text.length > TEXT_CHARACTERS_MAX) {
    return {
      invalid: `not 1 to ${TEXT_CHARACTERS_MAX} characters`,
      outcome: { class: "message_rejected" },
    };
  }
  return {
    provider: "twilio",
    reference,
    attemptId,
    from,
    to,
    text,
    contentHash: contentHash(to, from, text),
  };
}

async function sendSms(config: TwilioConfig, prepared: PreparedSms, options: SendOptions) {
  const transport = new LedgerTwilioTransport(config.baseUrl, options.signal);
  const { from } = prepared;
  const sender = from.startsWith("MG") ? { messagingServiceSid: from } : { from };
  try {
    // One client per call: the SDK keeps the last answer on the client, where calls at the same time mix them up.
    const client = twilio(config.accountSid, config.authToken, { httpClient: transport, autoRetry: false });
    await client.messages.create({
      to: prepared.to,
      ...sender,
      body: prepared.text,
      smartEncoded: true,
      statusCallback: twilioCallbackUrl(config.appUrl, prepared.reference, prepared.attemptId),
      validityPeriod: Math.floor(Math.min(options.expiresInSeconds, VALIDITY_SECONDS_MAX)),
    });
  } catch {
    // The exchange tells more than the SDK's errors, which lose headers, causes and at times the status.
  }
  const result = transport.exchanged;
  switch (result?.kind) {
    case undefined:
      return refusedHere({ class: "config_rejected" }, "the account's settings cannot be used");
    case "not_started":
      return notMade("the deadline had passed");
    case "failed":
      return networkAnswer(result.error);
    case "answered":
      return wireAnswer(result.answer, classifyTwilio(result.answer), null);
  }
}
