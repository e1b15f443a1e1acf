import { describe, expect, test } from "vitest";
import { ENGLISH } from "../../../db/rules/languages";
import {
  channelList,
  type DeliveryCounts,
  type ReminderFacts,
  tellCancel,
  tellReminder,
} from "../../../db/rules/reminder-words";

const NONE: DeliveryCounts = {
  live: 0,
  held: 0,
  delivered: 0,
  unknown: 0,
  dead: 0,
  unsent: 0,
  capped: 0,
  dropped: 0,
};

function word(counts: Partial<DeliveryCounts>, rest: Partial<Omit<ReminderFacts, "counts">> = {}): string {
  return tellReminder(
    {
      status: "active",
      occurrenceState: "opened",
      ...rest,
      counts: { ...NONE, ...counts },
    },
    ENGLISH,
  ).status;
}

describe("a reminder in a list", () => {
  test("what is on its way comes before everything else", () => {
    expect(word({ live: 1, delivered: 2 })).toBe("Being delivered");
    expect(word({ live: 1 }, { status: "cancelled" })).toBe("Being delivered");
  });

  test("a waiting occurrence is scheduled, also after an earlier one was sent", () => {
    expect(word({ delivered: 3 }, { occurrenceState: "waiting" })).toBe("Scheduled");
  });

  test("sent means sent on every channel, anything less is said", () => {
    expect(word({ delivered: 3 })).toBe("Sent");
    expect(word({ delivered: 2, dead: 1 })).toBe("Sent in part");
    expect(word({ delivered: 2, unsent: 1 })).toBe("Sent in part");
    expect(word({ delivered: 2, unknown: 1 })).toBe("Sent in part");
  });

  test("what its owner's own hours hold waits; with one that is on its way it is being delivered", () => {
    expect(word({ live: 2, held: 2 })).toBe("Waiting");
    expect(word({ live: 2, held: 1 })).toBe("Being delivered");
  });

  test("what was sent is never called cancelled", () => {
    expect(word({ delivered: 1, dropped: 2 }, { status: "cancelled" })).toBe("Sent");
    expect(word({ dropped: 3 }, { status: "cancelled" })).toBe("Cancelled");
    expect(word({}, { status: "cancelled", occurrenceState: "cancelled" })).toBe("Cancelled");
  });

  test("failures are told apart", () => {
    expect(word({ unknown: 1, dead: 1 })).toBe("Outcome unknown");
    expect(word({ dead: 1, unsent: 1 })).toBe("Could not deliver");
    expect(word({ unsent: 1 })).toBe("Not sent");
    expect(word({ unsent: 1, capped: 1 })).toBe("Held back");
    expect(word({ unsent: 2, capped: 1 })).toBe("Not sent");
    expect(word({}, { occurrenceState: "missed" })).toBe("Missed");
  });
});

test("a cancel tells the truth about each channel", () => {
  expect(tellCancel("email", "cancelled", ENGLISH)).toBe("Email: cancelled, nothing will be sent.");
  expect(tellCancel("sms", "too_late", ENGLISH)).toBe("SMS: too late, it is being sent at this moment.");
  expect(tellCancel("push", "already_sent", ENGLISH)).toBe("Push: it had been sent already.");
  expect(tellCancel("push", "already_ended", ENGLISH)).toMatch(/^Push: it had ended already/);
});

test("channels are listed as in a sentence", () => {
  expect(channelList(["email"], ENGLISH)).toBe("Email");
  expect(channelList(["email", "push"], ENGLISH)).toBe("Email and Push");
  expect(channelList(["email", "sms", "push"], ENGLISH)).toBe("Email, SMS and Push");
});
