import type { DeadReason, DeliveryState, ExpiredReason, WaitClass } from "./lifecycle";
import type { Channel, OutcomeClass } from "./outcome";

/** How a status feels, for its shape and colour. The word says the same, so that neither is needed alone. */
export type Tone = "waiting" | "working" | "good" | "attention" | "bad" | "quiet";

/** A sentence with its instants left open: the page writes them in the reader's zone. */
export type Phrase = readonly (string | { atMs: number })[];

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

/** A delivery that leaves this much after its time is late enough to say so; less is what people call on time. */
const LATE_MS = 60_000;

/** What people call the company that carries a channel. */
const SERVICE: Record<Channel, string> = {
  email: "email service",
  sms: "text message service",
  push: "push service",
};

export const CHANNEL_NAME: Record<Channel, string> = { email: "Email", sms: "SMS", push: "Push" };

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

function line(
  status: string,
  tone: Tone,
  sentence: Phrase,
  rest: { live?: boolean; advice?: string } = {},
): StoryLine {
  return { status, tone, sentence, advice: rest.advice ?? null, live: rest.live ?? false };
}

function tellScheduled(facts: StoryFacts): StoryLine {
  const atMs = facts.nextEligibleAtMs ?? facts.scheduledAtMs;
  if (facts.lastClass === "quiet_hours") {
    return line("Waiting for quiet hours", "waiting", ["Held by your quiet hours until ", { atMs }, "."], {
      live: true,
    });
  }
  return line("Scheduled", "waiting", ["Will be sent at ", { atMs }, "."], { live: true });
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

function readClass(name: string | null): OutcomeClass | WaitClass | null {
  return name as OutcomeClass | WaitClass | null;
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
  return line("Sent", "good", [
    "Sent at ",
    { atMs },
    ...(tries === null ? ["."] : [` (${tries}).`]),
    ...(late ? [" It was planned for ", { atMs: facts.scheduledAtMs }, "."] : []),
  ]);
}

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

function tellDead(facts: StoryFacts): StoryLine {
  const service = SERVICE[facts.channel];
  const atMs = facts.latestAttemptAtMs ?? facts.finishedAtMs ?? facts.scheduledAtMs;
  const reason = facts.reason as DeadReason;
  switch (reason) {
    case "attempts_exhausted": {
      const tries = facts.attempts === 1 ? "once" : `${facts.attempts} times`;
      return line(
        "Could not deliver",
        "bad",
        [`The ${service} failed. It was tried ${tries}, last at `, { atMs }, "."],
        { advice: "Snooze it to try again, or choose another channel." },
      );
    }
    case "message_rejected":
      return line("Could not deliver", "bad", [`The ${service} refused this message at `, { atMs }, "."], {
        advice: "Reword or shorten it, or change its link, then snooze it to try again.",
      });
    case "destination_rejected":
      return line(
        "Could not deliver",
        "bad",
        [rejectedDestination(facts.channel), " Tried at ", { atMs }, "."],
        {
          advice: DESTINATION_ADVICE[facts.channel],
        },
      );
    case "outcome_unknown":
      return line(
        "Outcome unknown",
        "attention",
        [
          `It may have arrived: the ${service} gave no clear answer at `,
          { atMs },
          ". It is not sent again, so that you do not get it twice.",
        ],
        { advice: "If it did not arrive, snooze it to send it again." },
      );
  }
}

function rejectedDestination(channel: Channel): string {
  switch (channel) {
    case "email":
      return "This address does not accept mail.";
    case "sms":
      return "This number cannot receive text messages.";
    case "push":
      return "This device does not accept notifications any more.";
  }
}

const DESTINATION_ADVICE: Record<Channel, string> = {
  email: "Sign in with another address, or choose another channel.",
  sms: "Check your number under Channels.",
  push: "Turn notifications on again on that device, under Channels.",
};

function tellExpired(facts: StoryFacts): StoryLine {
  const atMs = facts.finishedAtMs ?? facts.expiresAtMs;
  const reason = facts.reason as ExpiredReason;
  switch (reason) {
    case "cancelled":
      return line("Cancelled", "quiet", ["Cancelled at ", { atMs }, ". It was not sent."]);
    case "superseded":
      return line("Replaced", "quiet", ["A newer version took its place at ", { atMs }, "."]);
    case "answered":
      return line("Not needed any more", "quiet", ["You had dealt with it before it was due."]);
    case "past_deadline":
      return line(
        "Not sent",
        "bad",
        ["It was still waiting at ", { atMs: facts.expiresAtMs }, ", when it was of no use any more."],
        { advice: "Snooze it to send it after all." },
      );
    case "opted_out":
      return line("Not sent", "attention", [OPTED_OUT[facts.channel]], {
        advice: OPTED_OUT_ADVICE[facts.channel],
      });
    case "no_destination":
      return line("Not sent", "attention", [NO_DESTINATION[facts.channel]], {
        advice: NO_DESTINATION_ADVICE[facts.channel],
      });
    case "preference":
      return line(
        "Not sent",
        "quiet",
        [`You have turned ${CHANNEL_NAME[facts.channel]} off for reminders.`],
        {
          advice: "Turn it on again under Channels.",
        },
      );
    case "consent":
      return line("Not sent", "attention", ["There is no consent for messages to this number."], {
        advice: "Text START to the sender, then snooze this reminder.",
      });
    case "milestone_not_chosen":
      return line("Not sent", "quiet", ["You did not ask to hear about this."]);
    case "capped":
      return line("Not sent", "quiet", ["You have had as many messages as you allow for a day."]);
  }
}

const OPTED_OUT: Record<Channel, string> = {
  email: "This address asked for no more mail.",
  sms: "This number replied STOP, so it gets no more messages.",
  push: "Notifications were turned off.",
};

const OPTED_OUT_ADVICE: Record<Channel, string> = {
  email: "Choose another channel for your reminders.",
  sms: "Text START to the sender, then snooze this reminder.",
  push: "Turn notifications on again under Channels.",
};

const NO_DESTINATION: Record<Channel, string> = {
  email: "There was no confirmed email address.",
  sms: "There was no confirmed phone number.",
  push: "There was no device to show it: it was removed, or its browser gave up the subscription.",
};

const NO_DESTINATION_ADVICE: Record<Channel, string> = {
  email: "Confirm an address under Channels.",
  sms: "Confirm a number under Channels.",
  push: "Turn notifications on again on your device, under Channels.",
};
