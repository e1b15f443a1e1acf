import type { Clock } from "../clock";
import { type Answer, isSuccess, json } from "./answer";
import { type Fault, type Refusal, strangeAnswer } from "./faults";
import type { LedgerCall } from "./ledger";
import type { Line } from "./line";
import { retryAfterHeader } from "./settings";

/** What became of a request that was let in. */
export type Processed = {
  answer: Answer;
  accepted: boolean;
  repeat: boolean;
  providerMessageId: string | null;
  /** The fault that shaped the acceptance itself. */
  fault: string | null;
};

/** One request, as its provider handles it. */
export type Exchange = {
  call: LedgerCall;
  /** Names by which a fault may single this request out. */
  destinations: string[];
  /** At arrival: key check, limits, validation. An answer ends the exchange; null lets it in. */
  refuse(): Answer | null;
  /** After the provider's latency: records the message, or answers from an earlier one. */
  process(): Processed;
  /** Words a refusal ordered by a fault as this provider would. */
  word(refusal: Refusal): Answer;
};

/** What goes on the wire: an answer, or what happens instead of one. */
export type Outcome =
  | Answer
  | { how: "hang" | "reset" | "close" | "truncate" | "refuse"; answer: Answer | null };

/**
 * Runs one request through its provider.
 * 1. A fault that works before acceptance answers for the provider; nothing is recorded but the call.
 * 2. Otherwise the provider checks the request at its arrival and may refuse.
 * 3. It takes its latency, then accepts: the message exists from here on.
 * 4. A fault that works after acceptance spoils the answer.
 */
export async function exchange(clock: Clock, line: Line, request: Exchange): Promise<Outcome> {
  line.inFlight += 1;
  try {
    const { latencyMs } = line.settings;
    const early = request.call.call === "send" ? line.takeFault("before", request.destinations) : null;
    if (early) {
      request.call.fault = early.name;
      if (early.fault.kind !== "break" || early.fault.how !== "hang") await wait(clock, latencyMs);
      return noteStatus(request.call, spoil(clock, line, early.fault, request, null));
    }
    const refusal = request.refuse();
    await wait(clock, latencyMs);
    if (refusal) return noteStatus(request.call, refusal);

    const { answer, ...facts } = request.process();
    Object.assign(request.call, facts);
    const spoilt = request.call.call === "send" && isSuccess(answer);
    const late = spoilt ? line.takeFault("after", request.destinations) : null;
    if (!late) return noteStatus(request.call, answer);
    request.call.fault = late.name;
    return noteStatus(request.call, spoil(clock, line, late.fault, request, answer));
  } finally {
    line.inFlight -= 1;
  }
}

/** The outcome a fault makes of a request; `answer` is what would have been said, if the request got that far. */
function spoil(clock: Clock, line: Line, fault: Fault, request: Exchange, answer: Answer | null): Outcome {
  switch (fault.kind) {
    case "break":
      if (fault.how !== "truncate") return { how: fault.how, answer: null };
      return { how: "truncate", answer: answer ?? json(200, { id: "00000000-0000-4000-8000-000000000000" }) };
    case "page": {
      const page = strangeAnswer(fault);
      if (page.status !== 429 && page.status !== 503) return page;
      const { settings } = line;
      const retryAfter = retryAfterHeader(settings, clock.nowMs(), settings.retryAfterSeconds);
      return { ...page, headers: { ...page.headers, ...retryAfter } };
    }
    case "refusal":
      return request.word(fault.refusal);
    case "late":
    case "dropped":
      throw new Error(`The fault ${fault.kind} shapes an acceptance and cannot spoil an answer.`);
  }
}

function noteStatus(call: LedgerCall, outcome: Outcome): Outcome {
  const answer = "how" in outcome ? outcome.answer : outcome;
  call.status = answer?.status ?? null;
  return outcome;
}

function wait(clock: Clock, ms: number): Promise<void> {
  if (ms <= 0) return Promise.resolve();
  return new Promise((resolve) => void clock.setTimer(clock.nowMs() + ms, resolve));
}
