import {
  type CreateEmailResponseSuccess,
  type EmailApiOptions,
  Resend,
  type Response as ResendResponse,
} from "resend";
import { emailContent } from "../../db/rules/message-content";
import { REPEAT_BY_CHANNEL } from "../../db/rules/repeat-policy";
import { CALL_DEADLINE_MS } from "../../db/rules/retry-policy";
import { oneLine, shortenGraphemes, wellFormed } from "../../db/rules/shorten";
import { classifyResend, resendRatePerSecond } from "./classify-resend";
import { contentHash } from "./content-hash";
import { type Exchange, exchange } from "./exchange";
import type { PreparedEmail, PrepareInput, ProviderAdapter, SendOptions, Unpreparable } from "./port";
import { networkAnswer, notMade, refusedHere, wireAnswer } from "./provider-answer";

export interface ResendConfig {
  apiKey: string;
  /** Null for Resend itself. */
  baseUrl: string | null;
  /** `Name <name@host>`. */
  from: string;
}

const RESEND_URL = "https://api.resend.com";

/** Every mail client shows less; the header stays far below the 998 bytes of one line before folding (RFC 5322). */
const SUBJECT_CHARACTERS_MAX = 200;

/** One address and nothing else: no list, no second header. */
const ONE_ADDRESS = /^[^\s@,;<>"]+@[^\s@,;<>"]+$/;

/**
 * Email by Resend.
 *
 * `keyed`: the delivery's reference is the `Idempotency-Key`, and the body is prepared as text, so that every attempt
 * sends the same bytes (a changed byte under the same key is answered 409). The same reference is a tag, which webhooks
 * echo: a lost answer can still be matched.
 */
export function createResendAdapter(config: ResendConfig): ProviderAdapter {
  return {
    provider: "resend",
    channel: "email",
    repeat: REPEAT_BY_CHANNEL.email,
    deadlineMs: CALL_DEADLINE_MS.email,
    prepare: (input) => prepareEmail(config, input),
    async send(prepared, options) {
      if (prepared.provider !== "resend") return notMade("prepared for another provider");
      if (!(options.expiresInSeconds >= 1)) return notMade("no time left before the expiry");
      return sendEmail(config, prepared, options);
    },
  };
}

function prepareEmail(config: ResendConfig, input: PrepareInput): PreparedEmail | Unpreparable {
  const { destination, reference, attemptId } = input;
  const content = emailContent.safeParse(input.content);
  if (!content.success || !("address" in destination)) {
    return { invalid: "not an email", outcome: { class: "message_rejected" } };
  }
  if (!ONE_ADDRESS.test(destination.address)) {
    return {
      invalid: "not one email address",
      outcome: { class: "destination_rejected", disposition: "dead" },
    };
  }
  const subject = shortenGraphemes(oneLine(content.data.subject), SUBJECT_CHARACTERS_MAX);
  if (subject === "") return { invalid: "no subject", outcome: { class: "message_rejected" } };
  const headers = unsubscribeHeaders(content.data.unsubscribeUrl ?? null);
  // In the order in which the SDK writes its keys.
  const email: EmailApiOptions = {
    from: content.data.from ?? config.from,
    ...(headers === null ? {} : { headers }),
    html: wellFormed(content.data.html),
    subject,
    tags: [{ name: "delivery_id", value: reference }],
    text: wellFormed(content.data.text),
    to: destination.address,
  };
  const body = JSON.stringify(email);
  return { provider: "resend", reference, attemptId, body, contentHash: contentHash(body) };
}

/** The headers of one-click unsubscription (RFC 8058). The URL parser leaves nothing that could end a header. */
function unsubscribeHeaders(url: string | null): Record<string, string> | null {
  if (url === null || !/^https?:/i.test(url) || !URL.canParse(url)) return null;
  return {
    "List-Unsubscribe": `<${new URL(url).href}>`,
    "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
  };
}

async function sendEmail(config: ResendConfig, prepared: PreparedEmail, { signal }: SendOptions) {
  let client: LedgerResend;
  try {
    client = new LedgerResend(config, prepared.body, signal);
  } catch {
    // The SDK wants a key, and headers want one that they can carry.
    return refusedHere({ class: "config_rejected" }, "the API key cannot be used");
  }
  // The body is the prepared text, which the transport below puts in.
  await client.post<CreateEmailResponseSuccess>("/emails", undefined, { idempotencyKey: prepared.reference });
  const result = client.exchanged;
  switch (result.kind) {
    case "not_started":
      return notMade("the deadline had passed");
    case "failed":
      return networkAnswer(result.error);
    case "answered":
      return wireAnswer(result.answer, classifyResend(result.answer), resendRatePerSecond(result.answer));
  }
}

/**
 * Resend's SDK for one call, with its transport replaced.
 *
 * `fetchRequest` is the one place where the SDK meets the network, and public. The original calls the global fetch,
 * drops the cause of network errors and, for bodies that are not its own, the status (facts: section 2.5), so "refused"
 * and "sent, answer lost" look alike. This one keeps the whole exchange for the classifier.
 */
class LedgerResend extends Resend {
  exchanged: Exchange = { kind: "not_started" };
  readonly #body: string;
  readonly #signal: AbortSignal;

  constructor(config: ResendConfig, body: string, signal: AbortSignal) {
    super(config.apiKey, { baseUrl: config.baseUrl ?? RESEND_URL });
    this.#body = body;
    this.#signal = signal;
  }

  override async fetchRequest<T>(path: string, options: RequestInit = {}): Promise<ResendResponse<T>> {
    // The prepared text, not the SDK's: its next version may write the same email in other bytes.
    const request = { method: options.method, headers: options.headers, body: this.#body };
    this.exchanged = await exchange(`${this.baseUrl}${path}`, request, this.#signal);
    // Nobody reads this: the exchange is.
    const error = { name: "application_error" as const, statusCode: null, message: "see the exchange" };
    return { data: null, error, headers: null };
  }
}
