import { tellDead, tellExpired } from "./ending-words";
import type { WaitClass } from "./lifecycle";
import type { Channel, OutcomeClass } from "./outcome";
import { line, SERVICE, type StoryFacts, type StoryLine, type Tone } from "./story-line";

export { CHANNEL_NAME, type Phrase, type StoryFacts, type StoryLine, type Tone } from "./story-line";

/** A delivery that leaves this much after its time is late enough to say so; less is what people call on time. */
const LATE_MS = 60_000;

/** Tells a delivery in plain words. Every state, reason and class has its own; a new one does not compile without. */
export function tellDelivery(facts: StoryFacts): StoryLine {
  switch (facts.state) {
    case "scheduled":
      return tellScheduled(facts);
    case "ready":
      return tellReady(facts);
    case "sending":
      return line("Being sent", "working", ["It is being sent right now."], { live: true });
    case "deferred":
      return tellDeferred(facts);
    case "delivered":
      return tellSent(facts);
    case "dead":
      return tellDead(facts);
    case "expired":
      return tellExpired(facts);
  }
}

function tellScheduled(facts: StoryFacts): StoryLine {
  const atMs = facts.nextEligibleAtMs ?? facts.scheduledAtMs;
  const held = heldWords(facts.lastClass);
  if (held !== null) return line(held.status, "waiting", [held.why, { atMs }, "."], { live: true });
  return line("Scheduled", "waiting", ["Will be sent at ", { atMs }, "."], { live: true });
}

/** What holds a delivery until its time; null when nothing does. */
function heldWords(name: string | null): { status: string; why: string } | null {
  switch (name) {
    case "quiet_hours":
      return { status: "Waiting for quiet hours", why: "Held by your quiet hours until " };
    case "sms_hours":
      return { status: "Waiting for the morning", why: "Text messages wait for the hours you allow, until " };
    case "paused":
      return { status: "Paused", why: "You have paused everything until " };
    case "not_before":
      return { status: "Only if needed", why: "Comes only if you have not opened it by " };
    default:
      return null;
  }
}

function tellReady(facts: StoryFacts): StoryLine {
  const { expectedAtMs, scheduledAtMs } = facts;
  if (expectedAtMs !== null && expectedAtMs - scheduledAtMs > LATE_MS) {
    const sentence = [`The ${SERVICE[facts.channel]} is busy. Expected about `, { atMs: expectedAtMs }, "."];
    return line("Sending later", "waiting", sentence, { live: true });
  }
  return line("Next in line", "working", ["It is due and goes out in turn."], { live: true });
}

function tellDeferred(facts: StoryFacts): StoryLine {
  const atMs = facts.expectedAtMs ?? facts.nextEligibleAtMs ?? facts.scheduledAtMs;
  const { status, why } = waitWords(facts.channel, readClass(facts.lastClass));
  return line(status, "waiting", [`${why} Expected about `, { atMs }, "."], { live: true });
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
function waitWords(
  channel: Channel,
  lastClass: OutcomeClass | WaitClass | null,
): { status: string; why: string } {
  const service = SERVICE[channel];
  switch (lastClass) {
    case "throttled":
      return { status: "Sending later", why: `The ${service} is busy.` };
    case "quota":
      return { status: "Sending later", why: `The ${service} has reached its limit for now.` };
    case "transient":
      return { status: "Trying again", why: `The ${service} had a problem.` };
    case "ambiguous":
      return { status: "Trying again", why: `The ${service} gave no clear answer.` };
    case "config_rejected":
      return { status: "Held on our side", why: "Something on our side is being repaired." };
    case "crashed":
      return { status: "Trying again", why: "Sending was interrupted on our side." };
    case "quiet_hours":
      return { status: "Waiting for quiet hours", why: "Your quiet hours hold it." };
    case "sms_hours":
      return { status: "Waiting for the morning", why: "Text messages wait for the hours you allow." };
    case "paused":
      return { status: "Paused", why: "You have paused everything for now." };
    case "not_before":
    case "not_made":
    case "local_rate_limit":
    case "accepted":
    case "destination_rejected":
    case "message_rejected":
    case null:
      return { status: "Next in line", why: "It waits for its turn." };
  }
}

function tellSent(facts: StoryFacts): StoryLine {
  const atMs = facts.latestAttemptAtMs ?? facts.finishedAtMs ?? facts.scheduledAtMs;
  const late = atMs - facts.scheduledAtMs > LATE_MS;
  const tries = triesInWords(facts);
  const { status, tone, addition, advice } = arrivalWords(facts);
  const sentence = [
    "Sent at ",
    { atMs },
    ...(tries === null ? ["."] : [` (${tries}).`]),
    ...(late ? [" It was planned for ", { atMs: facts.scheduledAtMs }, "."] : []),
    ...(addition === null ? [] : [` ${addition}`]),
  ];
  return line(status, tone, sentence, advice === null ? {} : { advice });
}

/** "Delivered" and "Did not arrive" come only from the provider's reports. */
function arrivalWords({ channel, receipt }: StoryFacts): {
  status: string;
  tone: Tone;
  addition: string | null;
  advice: string | null;
} {
  switch (receipt) {
    case "arrived":
    case "complained":
      return { status: "Delivered", tone: "good", addition: ARRIVED[channel], advice: null };
    case "delayed":
      return {
        status: "Sent",
        tone: "good",
        addition: "The receiving side is slow to take it.",
        advice: null,
      };
    case "not_arrived":
      return {
        status: "Did not arrive",
        tone: "bad",
        addition: `The ${SERVICE[channel]} could not hand it over.`,
        advice: "Check the address in your settings.",
      };
    case "accepted":
    case "not_found":
    case null:
      return { status: "Sent", tone: "good", addition: null, advice: null };
  }
}

const ARRIVED: Record<Channel, string> = {
  email: "It reached the mailbox.",
  sms: "It reached the phone.",
  push: "It reached the device.",
};

/** `2 tries, one “busy” answer`; null for what worked at once. */
function triesInWords(facts: StoryFacts): string | null {
  if (facts.attempts <= 1) return null;
  const busy = facts.classes.filter((name) => name === "throttled" || name === "quota").length;
  const unclear = facts.classes.filter((name) => name === "ambiguous" || name === "crashed").length;
  const failed = facts.classes.filter((name) => name === "transient" || name === "config_rejected").length;
  const parts = [
    `${facts.attempts} tries`,
    ...counted(busy, "“busy” answer", "“busy” answers"),
    ...counted(failed, "failure", "failures"),
    ...counted(unclear, "unclear answer", "unclear answers"),
  ];
  return parts.join(", ");
}

function counted(count: number, one: string, many: string): string[] {
  if (count === 0) return [];
  return [count === 1 ? `one ${one}` : `${count} ${many}`];
}
