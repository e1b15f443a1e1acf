import type { Channel } from "./outcome";
import { CHANNEL_NAME, type Tone } from "./words";

/** How many of a reminder's latest deliveries stand where. */
export interface DeliveryCounts {
  live: number;
  delivered: number;
  /** Outcome unknown: it may have arrived. */
  unknown: number;
  dead: number;
  /** Ended without being sent, for another reason than a cancel or a newer version. */
  unsent: number;
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
export function tellReminder({ status, occurrenceState, counts }: ReminderFacts): ReminderWord {
  if (status === "paused") return { status: "Paused", tone: "quiet" };
  if (status === "done") return { status: "Done", tone: "good" };
  if (counts.live > 0) return { status: "Being delivered", tone: "working" };
  if (status === "active" && occurrenceState === "waiting") return { status: "Scheduled", tone: "waiting" };
  const failed = counts.dead + counts.unsent;
  if (counts.delivered > 0) {
    return failed + counts.unknown > 0
      ? { status: "Sent in part", tone: "attention" }
      : { status: "Sent", tone: "good" };
  }
  if (counts.unknown > 0) return { status: "Outcome unknown", tone: "attention" };
  if (counts.dead > 0) return { status: "Could not deliver", tone: "bad" };
  if (counts.unsent > 0) return { status: "Not sent", tone: "bad" };
  if (status === "cancelled" || occurrenceState === "cancelled")
    return { status: "Cancelled", tone: "quiet" };
  if (occurrenceState === "missed") return { status: "Missed", tone: "bad" };
  if (counts.dropped > 0) return { status: "Replaced", tone: "quiet" };
  return { status: "Due now", tone: "working" };
}

export type CancelWord = "cancelled" | "too_late" | "already_sent" | "outcome_unknown" | "already_ended";

/** What a cancel came to on one channel, as a sentence. */
export function tellCancel(channel: Channel, outcome: CancelWord): { sentence: string; tone: Tone } {
  const name = CHANNEL_NAME[channel];
  switch (outcome) {
    case "cancelled":
      return { sentence: `${name}: cancelled, nothing will be sent.`, tone: "quiet" };
    case "too_late":
      return { sentence: `${name}: too late, it is being sent at this moment.`, tone: "attention" };
    case "already_sent":
      return { sentence: `${name}: it had been sent already.`, tone: "attention" };
    case "outcome_unknown":
      return {
        sentence: `${name}: an earlier try may have arrived; nothing more will be sent.`,
        tone: "attention",
      };
    case "already_ended":
      return { sentence: `${name}: it had ended already, nothing more will be sent.`, tone: "quiet" };
  }
}

/** Channels as a list in a sentence: `Email, SMS and Push`. */
export function channelList(channels: readonly Channel[]): string {
  const names = channels.map((channel) => CHANNEL_NAME[channel]);
  return names.length < 2 ? (names[0] ?? "") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
