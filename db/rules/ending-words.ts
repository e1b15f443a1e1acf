import { DEAD_REASONS, type DeadReason, EXPIRED_REASONS, type ExpiredReason } from "./lifecycle";
import type { Channel } from "./outcome";
import { CHANNEL_NAME, line, SERVICE, type StoryFacts, type StoryLine } from "./story-line";

/** A reason as the ledger holds it, read in the same way. */
function readReason<Reason extends string>(known: readonly Reason[], name: string | null): Reason | null {
  return known.find((reason) => reason === name) ?? null;
}

/** What a delivery tells that was given up. */
export function tellDead(facts: StoryFacts): StoryLine {
  const service = SERVICE[facts.channel];
  const atMs = facts.latestAttemptAtMs ?? facts.finishedAtMs ?? facts.scheduledAtMs;
  const reason: DeadReason | null = readReason(DEAD_REASONS, facts.reason);
  switch (reason) {
    case null:
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

/** What a delivery tells that is not wanted any more, or never was. */
export function tellExpired(facts: StoryFacts): StoryLine {
  const atMs = facts.finishedAtMs ?? facts.expiresAtMs;
  const reason: ExpiredReason | null = readReason(EXPIRED_REASONS, facts.reason);
  switch (reason) {
    case null:
      return line("Not sent", "quiet", ["It ended at ", { atMs }, " without being sent."]);
    case "cancelled":
      return line("Cancelled", "quiet", ["Cancelled at ", { atMs }, ". It was not sent."]);
    case "superseded":
      return line("Replaced", "quiet", ["A newer version took its place at ", { atMs }, "."]);
    case "answered":
      return line("Not needed any more", "quiet", ["It was opened, done or settled before this was sent."]);
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
      return line("Held back", "quiet", ["You have had as many messages here as you allow for a day."], {
        advice: "Snooze it to get it after all, or raise the limit under Channels.",
      });
    case "shed":
      return line("Given up", "attention", [
        "So much had to be sent that this update came too late to be of use. The parcel’s page has it.",
      ]);
    case "moved":
      return line("Sent elsewhere", "quiet", [
        `So much had to be sent by ${CHANNEL_NAME[facts.channel]} that this went out on another of your channels.`,
      ]);
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
