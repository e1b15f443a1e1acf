import type { WaitClass } from "./lifecycle";
import type { OutcomeClass } from "./outcome";
import { fillPhrase, formOf, type Speech } from "./speech";
import { line, type Phrase, type StoryLine } from "./story-line";
import { readClass } from "./words";

export interface OccurrenceFacts {
  state: "waiting" | "opened" | "missed" | "cancelled";
  cancelled: boolean;
  /** Its owner has dealt with it, or has paused it: that is why nothing comes. */
  stopped?: "done" | "paused" | null;
  dueAtMs: number;
  nowMs: number;
}

/** What a channel has to tell before it has a delivery of its own. */
export function tellOccurrence(facts: OccurrenceFacts, { words: { story } }: Speech<"story">): StoryLine {
  const { state, cancelled, stopped, dueAtMs, nowMs } = facts;
  const at = { atMs: dueAtMs };
  if (stopped === "done" && state !== "waiting") {
    return line(story.done.status, "good", [story.done.sentence]);
  }
  if (stopped === "paused") return line(story.paused.status, "quiet", [story.paused.sentence]);
  if (cancelled || state === "cancelled") {
    return line(story.cancelledBefore.status, "quiet", [story.cancelledBefore.sentence]);
  }
  switch (state) {
    case "waiting": {
      const { scheduled, dueNow } = story;
      return dueAtMs > nowMs
        ? line(scheduled.status, "waiting", fillPhrase(scheduled.sentence, { at }), { live: true })
        : line(dueNow.status, "working", [dueNow.sentence], { live: true });
    }
    case "missed": {
      const { status, sentence, advice } = story.missed;
      return line(status, "bad", fillPhrase(sentence, { at }), { advice });
    }
    case "opened":
      return line(story.notOnChannel.status, "quiet", [story.notOnChannel.sentence]);
  }
}

export interface AttemptFacts {
  class: string | null;
  begunAtMs: number;
  /** As the provider sent it: seconds or a date; null when it named no time. */
  retryAfter: string | null;
}

/** One call to a provider, for somebody who wants to know exactly. */
export function tellAttempt(facts: AttemptFacts, language: Speech<"story">): Phrase {
  const at = { atMs: facts.begunAtMs, seconds: true };
  const { attempt } = language.words.story;
  const known: OutcomeClass | WaitClass | null = readClass(facts.class);
  switch (known) {
    case null:
      return fillPhrase(facts.class === null ? attempt.underWay : attempt.ended, { at });
    case "throttled":
      return tellThrottled(facts.retryAfter, at, language);
    case "accepted":
    case "quota":
    case "transient":
    case "ambiguous":
    case "crashed":
    case "destination_rejected":
    case "message_rejected":
    case "config_rejected":
      return fillPhrase(attempt[known], { at });
    case "not_made":
    case "local_rate_limit":
    case "quiet_hours":
    case "sms_hours":
    case "paused":
    case "not_before":
      return fillPhrase(attempt.notMade, { at });
  }
}

/** `5` reads as `5 seconds`, a date as it is. */
function tellThrottled(
  retryAfter: string | null,
  at: { atMs: number; seconds: boolean },
  { tag, words: { story } }: Speech<"story">,
): Phrase {
  if (retryAfter === null) return fillPhrase(story.attempt.throttled, { at });
  if (!/^\d{1,6}$/.test(retryAfter))
    return fillPhrase(story.attempt.throttledUntil, { at, until: retryAfter });
  const seconds = Number(retryAfter);
  const count = new Intl.NumberFormat(tag).format(seconds);
  return fillPhrase(formOf(story.attempt.throttledFor, seconds, tag), { at, count });
}
