import type { DeliveryState } from "./lifecycle";
import type { Channel } from "./outcome";
import type { ReceiptMeaning } from "./receipt";

/** How a status feels, for its shape and colour. The word says the same, so that neither is needed alone. */
export type Tone = "waiting" | "working" | "good" | "attention" | "bad" | "quiet";

/** A sentence with its instants left open: the page writes them in the reader's zone. */
export type Phrase = readonly (string | { atMs: number; seconds?: boolean })[];

/** What one delivery has to tell its owner. */
export interface StoryLine {
  /** One to four words, such as "Sent" or "Waiting for quiet hours". */
  status: string;
  tone: Tone;
  sentence: Phrase;
  /** What the owner can do about it; null when nothing needs doing. */
  advice: string | null;
  /** Whether it may still change by itself. */
  live: boolean;
}

/** What of a delivery its story is made of. Instants are epoch milliseconds. */
export interface StoryFacts {
  channel: Channel;
  state: DeliveryState;
  reason: string | null;
  lastClass: string | null;
  /** The weightiest report of the provider; null when none has come. */
  receipt: ReceiptMeaning | null;
  expectedAtMs: number | null;
  nextEligibleAtMs: number | null;
  scheduledAtMs: number;
  latestAttemptAtMs: number | null;
  finishedAtMs: number | null;
  expiresAtMs: number;
  attempts: number;
  /** The class of every call that was made, oldest first; null while one is under way. */
  classes: readonly (string | null)[];
}

/** Puts a line together; what is not said is not live and needs no advice. */
export function line(
  status: string,
  tone: Tone,
  sentence: Phrase,
  rest: { live?: boolean; advice?: string } = {},
): StoryLine {
  return { status, tone, sentence, advice: rest.advice ?? null, live: rest.live ?? false };
}
