import type { OutcomeClass } from "./outcome";
import type { Phrase, Tone } from "./story-line";
import { readClass } from "./words";

/** One call as the ledger keeps it. */
export interface TimelineCall {
  number: number;
  slotAtMs: number;
  begunAtMs: number;
  settledAtMs: number | null;
  class: string | null;
  status: number | null;
  code: string | null;
  retryAfter: string | null;
  detail: string | null;
  callMs: number | null;
}

/** The provider's own words, as it said them; null where it said none. */
export function saidBy({ status, code, retryAfter, detail, callMs }: TimelineCall): string | null {
  const parts = [
    ...(status === null ? [] : [`HTTP ${status}`]),
    ...(code === null ? [] : [code]),
    ...(retryAfter === null ? [] : [`Retry-After: ${retryAfter}`]),
    ...(detail === null ? [] : [detail]),
    ...(callMs === null ? [] : [`${callMs} ms`]),
  ];
  return parts.length === 0 ? null : parts.join(" · ");
}

interface CallWords {
  title: string;
  tone: Tone;
  why: Phrase;
}

/** What an answer came to, and the rule behind it. */
export function callWords(call: TimelineCall): CallWords {
  if (call.settledAtMs === null) {
    const why = ["The provider has not answered yet; the lease covers the call."];
    return { title: "under way", tone: "working", why };
  }
  const known = readClass(call.class);
  return known === null || !isCallClass(known) ? UNKNOWN : WORDS[known];
}

const UNKNOWN: CallWords = {
  title: "settled",
  tone: "quiet",
  why: ["It ended in a way that this version of the console does not know."],
};

type CallClass = OutcomeClass | "crashed";

const isCallClass = (name: string): name is CallClass => Object.hasOwn(WORDS, name);

/** Every class of a call has its own; a new one does not compile without. */
const WORDS: Record<CallClass, CallWords> = {
  accepted: {
    title: "accepted",
    tone: "good",
    why: ["The provider gave positive evidence that it has it."],
  },
  throttled: {
    title: "429",
    tone: "waiting",
    why: [
      "The next time was stored first, the partition slowed down, and the failure budget was not touched.",
    ],
  },
  quota: {
    title: "quota used up",
    tone: "waiting",
    why: ["The partition is parked and probes each half hour; the failure budget was not touched."],
  },
  transient: {
    title: "failed",
    tone: "attention",
    why: ["Certainly not processed: tried again later, at the cost of one of its budget."],
  },
  ambiguous: {
    title: "no clear answer",
    tone: "attention",
    why: ["It may have been processed: repeated only where the provider keeps a repeat from arriving twice."],
  },
  crashed: {
    title: "interrupted on our side",
    tone: "attention",
    why: [
      "The process ended between the begin and the answer. Its lease ran out, and nobody knows the outcome.",
    ],
  },
  destination_rejected: {
    title: "address rejected",
    tone: "bad",
    why: ["This address will not work; no repeat would change that."],
  },
  message_rejected: {
    title: "message rejected",
    tone: "bad",
    why: ["This message will not work anywhere; no repeat would change that."],
  },
  config_rejected: {
    title: "our configuration rejected",
    tone: "bad",
    why: ["Our key, sender or account is refused: the circuit opened, its work is held, nothing dies of it."],
  },
  not_made: {
    title: "not made",
    tone: "quiet",
    why: ["Its slot had lapsed or was void before a byte left; no count moved."],
  },
};
