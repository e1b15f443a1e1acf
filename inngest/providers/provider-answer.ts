import type { Outcome } from "../../db/rules/outcome";
import { classifyNetworkError } from "./classify-network";
import { cleanCode, cleanDetail, cleanHeader } from "./clean-detail";
import type { WireAnswer } from "./exchange";
import type { ProviderAnswer } from "./port";

/** No call was made; `detail` says why, in our own words. */
export function notMade(detail: string): ProviderAnswer {
  return withoutWire({ class: "not_made" }, null, detail);
}

/** The outcome of a call that could not begin because of what it was given. */
export function refusedHere(outcome: Outcome, detail: string): ProviderAnswer {
  return withoutWire(outcome, null, detail);
}

/** The outcome of a call that ended without a status. */
export function networkAnswer(error: unknown): ProviderAnswer {
  const { outcome, code } = classifyNetworkError(error);
  return withoutWire(outcome, cleanCode(code), null);
}

/** An answer and its meaning, cleaned for storage. */
export function wireAnswer(
  answer: WireAnswer,
  verdict: { outcome: Outcome; code: string | null; message: string | null },
  observedRatePerSecond: number | null,
): ProviderAnswer {
  const { outcome } = verdict;
  return {
    outcome,
    status: answer.status,
    code: cleanCode(verdict.code),
    retryAfterRaw: cleanHeader(answer.headers["retry-after"] ?? null),
    providerMessageId: outcome.class === "accepted" ? outcome.providerMessageId : null,
    detail: cleanDetail(verdict.message ?? (outcome.class === "accepted" ? null : answer.body)),
    observedRatePerSecond,
  };
}

function withoutWire(outcome: Outcome, code: string | null, detail: string | null): ProviderAnswer {
  return {
    outcome,
    status: null,
    code,
    retryAfterRaw: null,
    providerMessageId: null,
    detail: cleanDetail(detail),
    observedRatePerSecond: null,
  };
}
