import { tellDead, tellExpired } from "./ending-words";
import type { WaitClass } from "./lifecycle";
import type { OutcomeClass } from "./outcome";
import { counted, fill, fillPhrase, type Speech, type Words } from "./speech";
import { line, type StoryFacts, type StoryLine, type Tone } from "./story-line";

export type { Phrase, StoryFacts, StoryLine, Tone } from "./story-line";

/** A delivery that leaves this much after its time is late enough to say so; less is what people call on time. */
const LATE_MS = 60_000;

/** Tells a delivery in plain words. Every state, reason and class has its own; a new one does not compile without. */
export function tellDelivery(facts: StoryFacts, language: Speech<"story">): StoryLine {
  const { story } = language.words;
  switch (facts.state) {
    case "scheduled":
      return tellScheduled(facts, language);
    case "ready":
      return tellReady(facts, language);
    case "sending":
      return line(story.sending.status, "working", [story.sending.sentence], { live: true });
    case "deferred":
      return tellDeferred(facts, language);
    case "delivered":
      return tellSent(facts, language);
    case "dead":
      return tellDead(facts, language);
    case "expired":
      return tellExpired(facts, language);
  }
}

function tellScheduled(facts: StoryFacts, { words: { story } }: Speech<"story">): StoryLine {
  const at = { atMs: facts.nextEligibleAtMs ?? facts.scheduledAtMs };
  const hold = facts.lastClass ?? "";
  const { status, sentence } = isHold(hold, story) ? story.held[hold] : story.scheduled;
  return line(status, "waiting", fillPhrase(sentence, { at }), { live: true });
}

/** Whether this holds a delivery until its time. */
function isHold(name: string, story: Words["story"]): name is keyof Words["story"]["held"] {
  return Object.hasOwn(story.held, name);
}

function tellReady(facts: StoryFacts, { words: { story } }: Speech<"story">): StoryLine {
  const { expectedAtMs, scheduledAtMs } = facts;
  if (expectedAtMs !== null && expectedAtMs - scheduledAtMs > LATE_MS) {
    const { status, sentence } = story.waits.throttled;
    const values = { service: story.service[facts.channel], at: { atMs: expectedAtMs } };
    return line(status, "waiting", fillPhrase(sentence, values), { live: true });
  }
  return line(story.next.status, "working", [story.next.sentence], { live: true });
}

function tellDeferred(facts: StoryFacts, { words: { story } }: Speech<"story">): StoryLine {
  const at = { atMs: facts.expectedAtMs ?? facts.nextEligibleAtMs ?? facts.scheduledAtMs };
  const { status, sentence } = story.waits[waitName(readClass(facts.lastClass))];
  const service = story.service[facts.channel];
  return line(status, "waiting", fillPhrase(sentence, { service, at }), { live: true });
}

/** Every class there is; one more in either union does not compile without its line here. */
const KNOWN_CLASSES: Record<OutcomeClass | WaitClass, true> = {
  accepted: true,
  throttled: true,
  quota: true,
  transient: true,
  ambiguous: true,
  destination_rejected: true,
  message_rejected: true,
  config_rejected: true,
  not_made: true,
  local_rate_limit: true,
  quiet_hours: true,
  sms_hours: true,
  paused: true,
  not_before: true,
  crashed: true,
};

/** A class as the ledger holds it; one that only a newer version of the app knows reads as none. */
export function readClass(name: string | null): OutcomeClass | WaitClass | null {
  return name !== null && Object.hasOwn(KNOWN_CLASSES, name) ? (name as OutcomeClass | WaitClass) : null;
}

/** Why a delivery waits. The classes that end a delivery never defer one; they are here so that none is forgotten. */
function waitName(lastClass: OutcomeClass | WaitClass | null): keyof Words["story"]["waits"] {
  switch (lastClass) {
    case "throttled":
    case "quota":
    case "transient":
    case "ambiguous":
    case "config_rejected":
    case "crashed":
    case "quiet_hours":
    case "sms_hours":
    case "paused":
      return lastClass;
    case "not_before":
    case "not_made":
    case "local_rate_limit":
    case "accepted":
    case "destination_rejected":
    case "message_rejected":
    case null:
      return "turn";
  }
}

function tellSent(facts: StoryFacts, language: Speech<"story">): StoryLine {
  const { sent } = language.words.story;
  const at = { atMs: facts.latestAttemptAtMs ?? facts.finishedAtMs ?? facts.scheduledAtMs };
  const late = at.atMs - facts.scheduledAtMs > LATE_MS;
  const tries = triesInWords(facts, language);
  const { status, tone, addition, advice } = arrivalWords(facts, language);
  const sentence = [
    ...(tries === null ? fillPhrase(sent.at, { at }) : fillPhrase(sent.tried, { at, tries })),
    ...(late ? [" ", ...fillPhrase(sent.planned, { at: { atMs: facts.scheduledAtMs } })] : []),
    ...(addition === null ? [] : [` ${addition}`]),
  ];
  return line(status, tone, sentence, advice === null ? {} : { advice });
}

/** "Delivered" and "Did not arrive" come only from the provider's reports. */
function arrivalWords(
  { channel, receipt }: StoryFacts,
  { words: { story } }: Speech<"story">,
): { status: string; tone: Tone; addition: string | null; advice: string | null } {
  const { sent, arrived, notArrived } = story;
  switch (receipt) {
    case "arrived":
    case "complained":
      return { status: arrived.status, tone: "good", addition: arrived[channel], advice: null };
    case "delayed":
      return { status: sent.status, tone: "good", addition: sent.slow, advice: null };
    case "not_arrived": {
      const addition = fill(notArrived.sentence, { service: story.service[channel] });
      return { status: notArrived.status, tone: "bad", addition, advice: notArrived.advice };
    }
    case "accepted":
    case "not_found":
    case null:
      return { status: sent.status, tone: "good", addition: null, advice: null };
  }
}

/** `2 tries, one “busy” answer`; null for what worked at once. */
function triesInWords(facts: StoryFacts, { tag, words: { story } }: Speech<"story">): string | null {
  if (facts.attempts <= 1) return null;
  const count = (...names: string[]) => facts.classes.filter((name) => names.includes(name ?? "")).length;
  const parts = [
    { forms: story.tries, count: facts.attempts },
    { forms: story.busyAnswers, count: count("throttled", "quota") },
    { forms: story.failures, count: count("transient", "config_rejected") },
    { forms: story.unclearAnswers, count: count("ambiguous", "crashed") },
  ];
  const told = parts.filter((part) => part.count > 0).map((part) => counted(part.forms, part.count, tag));
  return told.join(story.comma);
}
