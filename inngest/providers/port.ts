import type { MessageContent } from "../../db/rules/message-content";
import type { Channel, Lane, Outcome, Repeat } from "../../db/rules/outcome";

export type ProviderName = "resend" | "twilio" | "web-push";

export interface AddressDestination {
  /** An email address, or a number in E.164. */
  address: string;
}

export interface PushDestination {
  /** The subscription's URL. Whoever knows it can push: it is never logged. */
  endpoint: string;
  /** The browser's public key, 65 bytes in base64url. */
  p256dh: string;
  /** The shared secret, at least 16 bytes in base64url. */
  auth: string;
}

/**
 * Everything a request is made of. It is a pure function of an immutable payload, an immutable destination and the
 * delivery: preparing the same delivery again gives the same bytes.
 */
export interface PrepareInput {
  /** base64url(sha256(delivery key))[0:32]: the delivery's name outside, the same on every attempt. */
  reference: string;
  /** Differs from attempt to attempt; appears in callbacks only and is no part of the content hash. */
  attemptId: string;
  content: MessageContent;
  destination: AddressDestination | PushDestination;
  /** The partition that meters it: for SMS it names the sender. */
  partition: string;
  lane: Lane;
}

interface PreparedBase {
  reference: string;
  attemptId: string;
  /**
   * sha256 in hex over what must be the same on every attempt of a delivery; stored at the first begin. What tells the
   * remaining usefulness (TTL, validity), the attempt, keys' signatures and encryption are no part of it.
   */
  contentHash: string;
}

export interface PreparedEmail extends PreparedBase {
  provider: "resend";
  /** The JSON text that goes out, byte for byte. */
  body: string;
}

export interface PreparedSms extends PreparedBase {
  provider: "twilio";
  /** A number in E.164, a sender name, or the sid of a Messaging Service (`MG…`). */
  from: string;
  to: string;
  text: string;
}

export interface PreparedPush extends PreparedBase {
  provider: "web-push";
  destination: PushDestination;
  plaintext: string;
  urgency: "high" | "normal" | "low";
}

export type Prepared = PreparedEmail | PreparedSms | PreparedPush;

/** A request that cannot be made, and as what it ends: no call was needed to know. */
export interface Unpreparable {
  invalid: string;
  outcome: Extract<Outcome, { class: "message_rejected" | "destination_rejected" }>;
}

export interface SendOptions {
  /** Until the delivery expires; the provider gets no longer than this to hand it over. Below 1 no call is made. */
  expiresInSeconds: number;
  /** The call's deadline (`effects.deadline(adapter.deadlineMs)`). Aborted before the call: no call is made. */
  signal: AbortSignal;
}

/** What one call came to. All of it may be stored: nothing personal, no NUL, no half characters. */
export interface ProviderAnswer {
  outcome: Outcome;
  /** HTTP status; null when none arrived. */
  status: number | null;
  /** The provider's error name or number, or the network error's code. */
  code: string | null;
  /** `Retry-After` as sent, cut to a bounded length. */
  retryAfterRaw: string | null;
  providerMessageId: string | null;
  /** The provider's words without addresses, numbers, links and tokens, at most 300 characters. */
  detail: string | null;
  /** The rate that the provider's headers allow, when they do. */
  observedRatePerSecond: number | null;
}

/** One channel's way to its provider. `send` never throws: whatever happens is an outcome. */
export interface ProviderAdapter {
  readonly provider: ProviderName;
  readonly channel: Channel;
  readonly repeat: Repeat;
  readonly deadlineMs: number;
  prepare(input: PrepareInput): Prepared | Unpreparable;
  send(prepared: Prepared, options: SendOptions): Promise<ProviderAnswer>;
}

/** Whether preparing failed. */
export function isUnpreparable(prepared: Prepared | Unpreparable): prepared is Unpreparable {
  return "invalid" in prepared;
}
