import webPush from "web-push";
import type { WireRequest } from "../../db/effects";
import { pushContent } from "../../db/rules/message-content";
import type { Lane } from "../../db/rules/outcome";
import { isWindowsPush, pushHost } from "../../db/rules/push-endpoint";
import { fitPushPayload } from "../../db/rules/push-payload";
import { REPEAT_BY_CHANNEL } from "../../db/rules/repeat-policy";
import { CALL_DEADLINE_MS } from "../../db/rules/retry-policy";
import { classifyWebPush } from "./classify-web-push";
import { contentHash } from "./content-hash";
import { exchange } from "./exchange";
import type {
  PreparedPush,
  PrepareInput,
  ProviderAdapter,
  ProviderAnswer,
  PushDestination,
  SendOptions,
  Unpreparable,
} from "./port";
import { networkAnswer, notMade, refusedHere, wireAnswer } from "./provider-answer";
import { type VapidKeys, type VapidTokens, vapidTokens } from "./vapid-tokens";

export interface WebPushConfig extends VapidKeys {
  /** Stand-ins, `host` or `host:port`; none in production. */
  extraHosts: readonly string[];
}

/** FCM keeps a message for at most 28 days, Mozilla for 30. */
const TTL_SECONDS_MAX = 28 * 24 * 3600;

/** Length of an uncompressed P-256 point, and the least of the shared secret (RFC 8291). */
const P256DH_BYTES = 65;
const AUTH_BYTES_MIN = 16;

/** RFC 8030 section 5.3: a reminder is what it calls a calendar message; only codes and alerts may wake a sleeping phone. */
const URGENCY: Record<Lane, "high" | "normal" | "low"> = {
  urgent: "high",
  standard: "normal",
  bulk: "low",
  redrive: "normal",
};

/**
 * Push by Web Push (RFC 8030, 8291, 8292).
 *
 * `collapsing`: there is no idempotency, but the delivery's reference is both the Topic, which replaces a copy that
 * still waits at the service, and the notification's tag, which replaces one on screen. The library builds and encrypts
 * the request; it is sent by our own fetch, because the library's hangs for ever on a cut answer and speaks https only.
 */
export function createWebPushAdapter(config: WebPushConfig): ProviderAdapter {
  const tokens = vapidTokens(config);
  return {
    provider: "web-push",
    channel: "push",
    repeat: REPEAT_BY_CHANNEL.push,
    deadlineMs: CALL_DEADLINE_MS.push,
    prepare: preparePush,
    async send(prepared, options) {
      if (prepared.provider !== "web-push") return notMade("prepared for another provider");
      if (!(options.expiresInSeconds >= 1)) return notMade("no time left before the expiry");
      return sendPush(config.extraHosts, tokens, prepared, options);
    },
  };
}

function preparePush(input: PrepareInput): PreparedPush | Unpreparable {
  const { destination, reference, attemptId, lane } = input;
  const content = pushContent.safeParse(input.content);
  if (!content.success || !("endpoint" in destination)) {
    return { invalid: "not a push message", outcome: { class: "message_rejected" } };
  }
  if (!hasKeys(destination)) {
    return {
      invalid: "not a subscription's keys",
      outcome: { class: "destination_rejected", disposition: "dead" },
    };
  }
  const plaintext = fitPushPayload({ ...content.data, tag: reference });
  if (plaintext === null) return { invalid: "the link is too long", outcome: { class: "message_rejected" } };
  return {
    provider: "web-push",
    reference,
    attemptId,
    destination,
    plaintext,
    urgency: URGENCY[lane],
    contentHash: contentHash(destination.endpoint, reference, plaintext),
  };
}

function hasKeys({ p256dh, auth }: PushDestination): boolean {
  return (
    Buffer.from(p256dh, "base64url").length === P256DH_BYTES &&
    Buffer.from(auth, "base64url").length >= AUTH_BYTES_MIN
  );
}

async function sendPush(
  extraHosts: readonly string[],
  tokens: VapidTokens,
  prepared: PreparedPush,
  options: SendOptions,
): Promise<ProviderAnswer> {
  const { endpoint } = prepared.destination;
  // Checked here and not only when it was stored: this is where our server would connect.
  const host = pushHost(endpoint, extraHosts);
  if (host === null) {
    const outcome = { class: "destination_rejected", disposition: "dead" } as const;
    return refusedHere(outcome, "the endpoint is not a push service that we call");
  }
  const request = encrypt(tokens, prepared, options.expiresInSeconds, host);
  if (request === null) return refusedHere({ class: "config_rejected" }, "the VAPID keys cannot be used");
  const result = await exchange(endpoint, request, options.signal);
  switch (result.kind) {
    case "not_started":
      return notMade("the deadline had passed");
    case "failed":
      return networkAnswer(result.error);
    case "answered": {
      if (result.answer.status === 401 || result.answer.status === 403) tokens.forget(endpoint);
      const answer = wireAnswer(result.answer, classifyWebPush(result.answer, host), null);
      return withoutCapability(answer, endpoint);
    }
  }
}

function encrypt(
  tokens: VapidTokens,
  prepared: PreparedPush,
  expiresInSeconds: number,
  host: string,
): WireRequest | null {
  const { endpoint, p256dh, auth } = prepared.destination;
  const ttlSeconds = Math.floor(Math.min(expiresInSeconds, TTL_SECONDS_MAX));
  try {
    const subscription = { endpoint, keys: { p256dh, auth } };
    const details = webPush.generateRequestDetails(subscription, prepared.plaintext, {
      // Null: the header below takes its place, signed once per service instead of once per message.
      vapidDetails: null as never,
      TTL: ttlSeconds,
      urgency: prepared.urgency,
      topic: prepared.reference,
      headers: {
        Authorization: tokens.authorization(endpoint),
        // Windows answers 400 where this contradicts the TTL; a TTL here is at least 1.
        ...(isWindowsPush(host) ? { "X-WNS-Cache-Policy": "cache" } : {}),
      },
    });
    // The length is the transport's to count.
    const { "Content-Length": _, ...headers } = details.headers as Record<string, string | number>;
    const texts = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
    return { method: "POST", headers: texts, body: new Uint8Array(details.body) };
  } catch {
    return null;
  }
}

/** A message id that repeats a part of the endpoint would store the capability to push. */
function withoutCapability(answer: ProviderAnswer, endpoint: string): ProviderAnswer {
  const { outcome, providerMessageId } = answer;
  if (outcome.class !== "accepted" || providerMessageId === null || !endpoint.includes(providerMessageId)) {
    return answer;
  }
  return { ...answer, outcome: { ...outcome, providerMessageId: null }, providerMessageId: null };
}
