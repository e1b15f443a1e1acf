import { DEAD_REASONS, type DeadReason, EXPIRED_REASONS, type ExpiredReason } from "./lifecycle";
import { fillPhrase, formOf, type Speech } from "./speech";
import { line, type StoryFacts, type StoryLine } from "./story-line";

/** A reason as the ledger holds it, read in the same way. */
function readReason<Reason extends string>(known: readonly Reason[], name: string | null): Reason | null {
  return known.find((reason) => reason === name) ?? null;
}

/** What a delivery tells that was given up. */
export function tellDead(facts: StoryFacts, { tag, words: { story } }: Speech<"story">): StoryLine {
  const at = { atMs: facts.latestAttemptAtMs ?? facts.finishedAtMs ?? facts.scheduledAtMs };
  const service = story.service[facts.channel];
  const reason: DeadReason | null = readReason(DEAD_REASONS, facts.reason);
  switch (reason) {
    case null:
    case "attempts_exhausted": {
      const { status, sentence, advice } = story.exhausted;
      const count = new Intl.NumberFormat(tag).format(facts.attempts);
      const told = fillPhrase(formOf(sentence, facts.attempts, tag), { service, at, count });
      return line(status, "bad", told, { advice });
    }
    case "message_rejected": {
      const { status, sentence, advice } = story.messageRejected;
      return line(status, "bad", fillPhrase(sentence, { service, at }), { advice });
    }
    case "destination_rejected": {
      const { sentence, advice } = story.destinationRejected[facts.channel];
      return line(story.destinationRejected.status, "bad", fillPhrase(sentence, { at }), { advice });
    }
    case "outcome_unknown": {
      const { status, sentence, advice } = story.unknown;
      return line(status, "attention", fillPhrase(sentence, { service, at }), { advice });
    }
  }
}

/** What a delivery tells that is not wanted any more, or never was. */
export function tellExpired(facts: StoryFacts, { words: { story } }: Speech<"story">): StoryLine {
  const at = { atMs: facts.finishedAtMs ?? facts.expiresAtMs };
  const reason: ExpiredReason | null = readReason(EXPIRED_REASONS, facts.reason);
  switch (reason) {
    case null:
    case "erased":
      return line(story.ended.status, "quiet", fillPhrase(story.ended.sentence, { at }));
    case "cancelled":
      return line(story.cancelled.status, "quiet", fillPhrase(story.cancelled.sentence, { at }));
    case "superseded":
      return line(story.superseded.status, "quiet", fillPhrase(story.superseded.sentence, { at }));
    case "answered":
      return line(story.answered.status, "quiet", [story.answered.sentence]);
    case "past_deadline": {
      const { status, sentence, advice } = story.pastDeadline;
      return line(status, "bad", fillPhrase(sentence, { at: { atMs: facts.expiresAtMs } }), { advice });
    }
    case "opted_out": {
      const { sentence, advice } = story.optedOut[facts.channel];
      return line(story.optedOut.status, "attention", [sentence], { advice });
    }
    case "no_destination": {
      const { sentence, advice } = story.noDestination[facts.channel];
      return line(story.noDestination.status, "attention", [sentence], { advice });
    }
    case "preference": {
      const { status, sentence, advice } = story.preference;
      return line(status, "quiet", fillPhrase(sentence, { channel: story.channel[facts.channel] }), {
        advice,
      });
    }
    case "consent": {
      const { status, sentence, advice } = story.consent;
      return line(status, "attention", [sentence], { advice });
    }
    case "milestone_not_chosen":
      return line(story.notChosen.status, "quiet", [story.notChosen.sentence]);
    case "capped": {
      const { status, sentence, advice } = story.capped;
      return line(status, "quiet", [sentence], { advice });
    }
    case "shed":
      return line(story.shed.status, "attention", [story.shed.sentence]);
    case "moved": {
      const { status, sentence } = story.moved;
      return line(status, "quiet", fillPhrase(sentence, { channel: story.channel[facts.channel] }));
    }
  }
}
