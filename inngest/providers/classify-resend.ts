import type { Outcome } from "../../db/rules/outcome";
import { jsonObject, retryAfterMsOf, type WireAnswer } from "./exchange";

export interface ResendVerdict {
  outcome: Outcome;
  /** Resend's error name, when the body is Resend's. */
  code: string | null;
  message: string | null;
}

/** Another request with this key is under way: it is over soon after. */
const CONCURRENT_WAIT_MS = 1000;

const CONFIG_NAMES = new Set([
  "missing_api_key",
  "restricted_api_key",
  "invalid_api_key",
  "suspended_api_key",
  "not_found",
  "method_not_allowed",
  // Our sender is a setting: wrong for every email, so it holds the channel instead of killing each message.
  "invalid_from_address",
]);

const MESSAGE_NAMES = new Set([
  "invalid_idempotency_key",
  "missing_required_field",
  "invalid_attachment",
  "invalid_access",
  "invalid_parameter",
  "invalid_region",
  "security_error",
]);

/**
 * What an answer of Resend's send endpoint means (facts: sections 2.2 to 2.5).
 *
 * Accepted is a 2xx with an `id`, nothing else. Errors are told apart by `name`, whatever the status says, because the
 * same fault is documented with several statuses; `validation_error` has many meanings and is told apart by status. A
 * refusal that nobody knows is `transient`: it was not processed, is tried a few times and then shown to a person.
 */
export function classifyResend(answer: WireAnswer): ResendVerdict {
  const { status } = answer;
  const body = jsonObject(answer);
  if (status < 400) {
    const id = status >= 200 && status < 300 ? body?.id : undefined;
    const accepted = typeof id === "string" && id !== "";
    return {
      outcome: accepted ? { class: "accepted", providerMessageId: id } : { class: "ambiguous" },
      code: null,
      message: null,
    };
  }
  const name = typeof body?.name === "string" ? body.name : null;
  const message = typeof body?.message === "string" ? body.message : null;
  const outcome = byName(answer, name, message) ?? byStatus(answer, body !== null);
  return { outcome, code: name, message };
}

/** The rate that Resend allows, per second (`ratelimit-limit` per window of `ratelimit-policy`, IETF draft 6). */
export function resendRatePerSecond(answer: WireAnswer): number | null {
  const limit = Number.parseInt(answer.headers["ratelimit-limit"] ?? "", 10);
  if (!(limit > 0)) return null;
  const windowSeconds = Number(/;\s*w=(\d+)/.exec(answer.headers["ratelimit-policy"] ?? "")?.[1] ?? 1);
  return windowSeconds > 0 ? limit / windowSeconds : null;
}

function byName(answer: WireAnswer, name: string | null, message: string | null): Outcome | null {
  if (name === null) return null;
  if (CONFIG_NAMES.has(name)) return { class: "config_rejected" };
  if (MESSAGE_NAMES.has(name)) return { class: "message_rejected" };
  switch (name) {
    case "rate_limit_exceeded":
      return throttled(answer);
    case "daily_quota_exceeded":
    case "monthly_quota_exceeded":
      return { class: "quota", retryAfterMs: retryAfterMsOf(answer) };
    case "concurrent_idempotent_requests":
      return { class: "ambiguous", retryAfterMs: retryAfterMsOf(answer) ?? CONCURRENT_WAIT_MS };
    case "invalid_idempotent_request":
      // An earlier attempt with other bytes reached Resend: no repeat with these can tell what became of it.
      return { class: "ambiguous", needsReview: true };
    case "validation_error":
      return validationError(answer.status, message ?? "");
    default:
      return null;
  }
}

/** One name for several faults: our key or domain (401, 403), the recipient, or the message. */
function validationError(status: number, message: string): Outcome | null {
  if (status === 401 || status === 403 || /\bapi key\b/i.test(message)) return { class: "config_rejected" };
  if (status !== 400 && status !== 422) return null;
  // Also the domains that Resend blocks for tests: "Please use our testing email address instead of domains like …".
  const recipient = /`to` field|testing email address/i.test(message);
  return recipient ? { class: "destination_rejected", disposition: "dead" } : { class: "message_rejected" };
}

function byStatus(answer: WireAnswer, isJson: boolean): Outcome {
  const { status } = answer;
  if (status === 429) return throttled(answer);
  if (status >= 500 || status === 408 || status === 409 || status === 425) {
    return { class: "ambiguous", retryAfterMs: retryAfterMsOf(answer) };
  }
  if (status === 401 || status === 403 || status === 404 || status === 405)
    return { class: "config_rejected" };
  if (status === 413 || status === 451 || (status === 422 && isJson)) return { class: "message_rejected" };
  return { class: "transient", retryAfterMs: retryAfterMsOf(answer) };
}

/** The delay is `retry-after`, else `ratelimit-reset`, which is seconds too. */
function throttled(answer: WireAnswer): Outcome {
  const reset = answer.headers["ratelimit-reset"] ?? "";
  const resetMs = /^\d{1,9}$/.test(reset) && reset !== "0" ? Number(reset) * 1000 : null;
  return { class: "throttled", scope: "partition", retryAfterMs: retryAfterMsOf(answer) ?? resetMs };
}
