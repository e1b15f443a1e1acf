import type { Outcome } from "../../db/rules/outcome";
import { isWindowsPush } from "../../db/rules/push-endpoint";
import { jsonObject, retryAfterMsOf, type WireAnswer } from "./exchange";

export interface WebPushVerdict {
  outcome: Outcome;
  /** Mozilla's `errno`, Apple's `reason`, or the Windows status. */
  code: string | null;
  message: string | null;
}

const GONE: Outcome = { class: "destination_rejected", disposition: "gone" };
/** One subscription made for another key, or our key rotated: told apart by how many are refused in a row. */
const CONFIG_FOR_SOME: Outcome = { class: "config_rejected", scope: "unknown" };
const CONFIG: Outcome = { class: "config_rejected" };

/**
 * What a push service's answer means (RFC 8030; facts: section 4.3). `host` is the partition's name of the service.
 *
 * Accepted is 201 or 202, or a 2xx with a message id of the service; Windows may say "dropped" inside a 2xx. 404 and
 * 410 retire exactly this subscription. 401 and 403 never do: they are about our key. A limit's scope is unknown.
 */
export function classifyWebPush(answer: WireAnswer, host: string): WebPushVerdict {
  const body = jsonObject(answer);
  const windowsStatus = answer.headers["x-wns-status"]?.toLowerCase() ?? null;
  const code = codeOf(body) ?? windowsStatus;
  const message = messageOf(answer, body);
  return { outcome: outcomeOf(answer, host, body, windowsStatus), code, message };
}

function outcomeOf(
  answer: WireAnswer,
  host: string,
  body: Record<string, unknown> | null,
  windowsStatus: string | null,
): Outcome {
  const { status, headers } = answer;
  if (status < 400) return successOf(answer, windowsStatus);
  if (status === 429 || (status === 406 && isWindowsPush(host))) return throttled(answer, "unknown");
  const text = `${answer.body ?? ""} ${headers["x-wns-error-description"] ?? ""}`;
  switch (status) {
    case 400:
      // Facts: Apple and FCM answer 400 to keys that do not fit the subscription.
      if (/BadJwtToken/.test(text)) return CONFIG;
      return /VapidPkHashMismatch|UnauthorizedRegistration/.test(text)
        ? CONFIG_FOR_SOME
        : { class: "message_rejected" };
    case 401:
      return CONFIG_FOR_SOME;
    case 403:
      return body?.reason === "BadJwtToken" ? CONFIG : CONFIG_FOR_SOME;
    case 404:
      return GONE;
    case 410:
      return isWindowsPush(host) && /domain blocked/i.test(text) ? CONFIG : GONE;
    case 413:
      return { class: "message_rejected" };
    case 408:
    case 425:
    case 500:
    case 502:
    case 504:
      return { class: "ambiguous", retryAfterMs: retryAfterMsOf(answer) };
    case 503:
      return { class: "transient", retryAfterMs: retryAfterMsOf(answer) };
    default:
      return status > 500
        ? { class: "ambiguous", retryAfterMs: retryAfterMsOf(answer) }
        : { class: "transient", retryAfterMs: retryAfterMsOf(answer) };
  }
}

function successOf(answer: WireAnswer, windowsStatus: string | null): Outcome {
  const { status } = answer;
  if (status < 200 || status >= 300) return { class: "ambiguous" };
  // Nothing was passed on, and the service says so.
  if (windowsStatus === "channelthrottled") return throttled(answer, "destination");
  if (windowsStatus === "dropped") return { class: "transient" };
  const providerMessageId = messageId(answer);
  const evidence =
    status === 201 || status === 202 || providerMessageId !== null || windowsStatus === "received";
  return status !== 204 && evidence ? { class: "accepted", providerMessageId } : { class: "ambiguous" };
}

/** The service's id of the message: Apple's and Windows's by name, else the end of `Location`, never the whole URL. */
function messageId({ headers }: WireAnswer): string | null {
  const named = headers["apns-id"] ?? headers["x-wns-msg-id"];
  if (named !== undefined && named !== "") return named.slice(0, 200);
  const last = headers.location?.split(/[?#]/)[0]?.split("/").pop() ?? "";
  return last === "" ? null : last.slice(0, 200);
}

function throttled(answer: WireAnswer, scope: "unknown" | "destination"): Outcome {
  return { class: "throttled", scope, retryAfterMs: retryAfterMsOf(answer) };
}

function codeOf(body: Record<string, unknown> | null): string | null {
  const code = body?.errno ?? body?.reason;
  return typeof code === "string" || typeof code === "number" ? String(code) : null;
}

function messageOf(answer: WireAnswer, body: Record<string, unknown> | null): string | null {
  const described = body?.message ?? answer.headers["x-wns-error-description"] ?? null;
  if (typeof described === "string") return described;
  return answer.status < 400 ? null : answer.body;
}
