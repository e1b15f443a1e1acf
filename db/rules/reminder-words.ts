import type { Channel } from "./outcome";
import { fill, listOf, type Speech, type Words } from "./speech";
import type { Tone } from "./words";

/** How many of a reminder's latest deliveries stand where. */
export interface DeliveryCounts {
  live: number;
  /** Those of them that wait for their owner's own hours, or for the end of their owner's pause. */
  held: number;
  delivered: number;
  /** Outcome unknown: it may have arrived. */
  unknown: number;
  dead: number;
  /** Ended without being sent, for another reason than a cancel or a newer version. */
  unsent: number;
  /** Those of them that an address's limit for a day held back: its owner can still have them. */
  capped: number;
  /** Cancelled, or replaced by a newer version. */
  dropped: number;
}

export interface ReminderFacts {
  status: "active" | "paused" | "done" | "cancelled";
  occurrenceState: "waiting" | "opened" | "missed" | "cancelled";
  counts: DeliveryCounts;
}

/** What a list shows of a reminder. */
export interface ReminderWord {
  status: string;
  tone: Tone;
}

/** A reminder in one to four words. What was sent is never called cancelled, and what needs a look comes first. */
export function tellReminder(facts: ReminderFacts, { words }: Speech<"state">): ReminderWord {
  const [name, tone] = stateOf(facts);
  return { status: words.state[name], tone };
}

function stateOf({ status, occurrenceState, counts }: ReminderFacts): [keyof Words["state"], Tone] {
  if (status === "paused") return ["paused", "quiet"];
  if (status === "done") return ["done", "good"];
  if (counts.live > 0)
    return counts.held === counts.live ? ["waiting", "waiting"] : ["delivering", "working"];
  if (status === "active" && occurrenceState === "waiting") return ["scheduled", "waiting"];
  const failed = counts.dead + counts.unsent;
  if (counts.delivered > 0)
    return failed + counts.unknown > 0 ? ["sentInPart", "attention"] : ["sent", "good"];
  if (counts.unknown > 0) return ["unknown", "attention"];
  if (counts.dead > 0) return ["dead", "bad"];
  if (counts.unsent > 0)
    return counts.capped === counts.unsent ? ["heldBack", "attention"] : ["notSent", "bad"];
  if (status === "cancelled" || occurrenceState === "cancelled") return ["cancelled", "quiet"];
  if (occurrenceState === "missed") return ["missed", "bad"];
  if (counts.dropped > 0) return ["replaced", "quiet"];
  return ["dueNow", "working"];
}

export type CancelWord = keyof Words["cancel"];

/** What a cancel came to on one channel, as a sentence. */
export function tellCancel(
  channel: Channel,
  outcome: CancelWord,
  { words }: Speech<"cancel" | "story">,
): string {
  return fill(words.cancel[outcome], { channel: words.story.channel[channel] });
}

/** Channels as a list in a sentence: `Email, SMS and Push`. */
export function channelList(channels: readonly Channel[], { tag, words }: Speech<"story">): string {
  return listOf(
    channels.map((channel) => words.story.channel[channel]),
    tag,
  );
}
