import type { Outcome } from "../../db/rules/outcome";
import { jsonObject, retryAfterMsOf, type WireAnswer } from "./exchange";

export interface TwilioVerdict {
  outcome: Outcome;
  /** Twilio's error number, when the body is Twilio's. */
  code: string | null;
  message: string | null;
}

/** A full queue empties in minutes to hours: asking each second would only be refused again. */
const QUEUE_WAIT_MS = 60_000;
/** The loop guard between two numbers lasts 30 s. */
const LOOP_WAIT_MS = 30_000;
/** The block of a number that looks like SMS pumping lasts 15 to 30 minutes. */
const PUMPING_WAIT_MS = 30 * 60_000;

const CONFIG: Outcome = { class: "config_rejected" };
/** Our settings, but they concern this number only: one of them must not hold up all the others. */
const CONFIG_FOR_ONE: Outcome = { class: "config_rejected", scope: "destination" };
const DEAD: Outcome = { class: "destination_rejected", disposition: "dead" };
const MESSAGE: Outcome = { class: "message_rejected" };
const AMBIGUOUS: Outcome = { class: "ambiguous" };
const TRANSIENT: Outcome = { class: "transient" };
const QUOTA: Outcome = { class: "quota", retryAfterMs: null };
const throttled = (scope: "account" | "partition" | "destination", retryAfterMs: number | null): Outcome => ({
  class: "throttled",
  scope,
  retryAfterMs,
});

/** Twilio's error numbers, of answers and of status callbacks alike (facts: sections 3.2 and 3.4). */
const BY_CODE: ReadonlyMap<number, Outcome> = new Map<number, Outcome>([
  // Account and credentials.
  [20003, CONFIG],
  [20005, CONFIG],
  [20404, CONFIG],
  [20429, throttled("account", null)],
  [20500, AMBIGUOUS],
  [20503, AMBIGUOUS],
  // The number.
  [21211, DEAD],
  [21217, DEAD],
  [21612, DEAD],
  [21614, DEAD],
  [21635, DEAD],
  [21610, { class: "destination_rejected", disposition: "opted_out" }],
  // Our sender, service or callback.
  [21212, CONFIG],
  [21603, CONFIG],
  [21606, CONFIG],
  [21609, CONFIG],
  [21703, CONFIG],
  [21704, CONFIG],
  [21705, CONFIG],
  // A country that is not enabled; a trial account and a number that is not verified.
  [21408, CONFIG_FOR_ONE],
  [21608, CONFIG_FOR_ONE],
  // The message.
  [21602, MESSAGE],
  [21604, MESSAGE],
  [21617, MESSAGE],
  [21619, MESSAGE],
  [21620, MESSAGE],
  [21624, MESSAGE],
  // Queues and limits.
  [14107, throttled("destination", LOOP_WAIT_MS)],
  [21611, throttled("partition", QUEUE_WAIT_MS)],
  [30001, throttled("partition", QUEUE_WAIT_MS)],
  [30022, throttled("partition", QUEUE_WAIT_MS)],
  [63017, throttled("partition", QUEUE_WAIT_MS)],
  [63018, throttled("partition", QUEUE_WAIT_MS)],
  [30450, throttled("destination", PUMPING_WAIT_MS)],
  [30023, QUOTA],
  [30027, QUOTA],
  [63038, QUOTA],
  // Only callbacks bring the rest.
  [30003, TRANSIENT],
  [30008, TRANSIENT],
  [30017, TRANSIENT],
  [30004, DEAD],
  [30005, DEAD],
  [30006, DEAD],
  [30002, CONFIG],
  [30007, CONFIG],
  [30018, CONFIG],
  [30024, CONFIG],
  [30032, CONFIG],
  [30034, CONFIG],
  [30035, CONFIG],
  // The validity ran out: too late for this message, and nothing is wrong with anything else.
  [30036, MESSAGE],
  // A carrier that gave no answer; Twilio itself does not repeat it, so as not to send twice.
  [30410, AMBIGUOUS],
]);

/** What one of Twilio's error numbers means; null for a number that is not known here. */
export function twilioCodeOutcome(code: number): Outcome | null {
  return BY_CODE.get(code) ?? null;
}

/**
 * What an answer to creating a message means. Accepted is a 2xx with a message sid whose status is not a failure.
 * Errors are told apart by number, then by status; an unknown 4xx is `transient`, an unknown 5xx `ambiguous`: Twilio
 * has no idempotency, and a 500 may have sent (error 20500).
 */
export function classifyTwilio(answer: WireAnswer): TwilioVerdict {
  const body = jsonObject(answer);
  if (answer.status < 400) return created(answer, body);
  const code = errorNumber(body?.code);
  const message = typeof body?.message === "string" ? body.message : textOf(body?.detail ?? body?.title);
  const known = code === null ? null : twilioCodeOutcome(code);
  const outcome = known === null ? byStatus(answer) : withRetryAfter(known, answer);
  return { outcome, code: code === null ? null : String(code), message };
}

/**
 * What a status callback means for a message that was accepted earlier: null while it is on its way (and for a status
 * that is not known), `accepted` once the carrier has it, else the meaning of its error number.
 */
export function classifyTwilioCallback(messageStatus: string, errorCode: string | null): Outcome | null {
  switch (messageStatus) {
    case "sent":
    case "delivered":
    case "read":
      return { class: "accepted", providerMessageId: null };
    case "failed":
    case "undelivered": {
      const code = errorNumber(errorCode);
      return (code === null ? null : twilioCodeOutcome(code)) ?? TRANSIENT;
    }
    default:
      return null;
  }
}

function created(answer: WireAnswer, body: Record<string, unknown> | null): TwilioVerdict {
  const sid = body?.sid;
  if (answer.status < 200 || answer.status >= 300 || typeof sid !== "string" || !/^(SM|MM)\w+$/.test(sid)) {
    return { outcome: AMBIGUOUS, code: null, message: null };
  }
  const failed = body?.status === "failed" || body?.status === "undelivered";
  const code = errorNumber(body?.error_code);
  if (!failed) return { outcome: { class: "accepted", providerMessageId: sid }, code: null, message: null };
  const outcome = (code === null ? null : twilioCodeOutcome(code)) ?? TRANSIENT;
  return { outcome, code: code === null ? null : String(code), message: textOf(body?.error_message) };
}

function byStatus(answer: WireAnswer): Outcome {
  const { status } = answer;
  if (status === 429) return throttled("account", retryAfterMsOf(answer));
  if (status >= 500 || status === 408 || status === 409 || status === 425) return AMBIGUOUS;
  if (status === 401 || status === 403 || status === 404 || status === 405) return CONFIG;
  if (status === 413) return MESSAGE;
  return { class: "transient", retryAfterMs: retryAfterMsOf(answer) };
}

/** Twilio documents no Retry-After; where one is sent it counts, and never makes a wait shorter. */
function withRetryAfter(outcome: Outcome, answer: WireAnswer): Outcome {
  if (outcome.class !== "throttled" && outcome.class !== "quota") return outcome;
  const askedMs = retryAfterMsOf(answer);
  if (askedMs === null) return outcome;
  return { ...outcome, retryAfterMs: Math.max(askedMs, outcome.retryAfterMs ?? 0) };
}

function errorNumber(value: unknown): number | null {
  const code = typeof value === "string" && /^\d{1,6}$/.test(value) ? Number(value) : value;
  return typeof code === "number" && Number.isInteger(code) && code > 0 ? code : null;
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
