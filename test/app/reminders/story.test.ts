import { describe, expect, test } from "vitest";
import { nextLookMs, storyOf } from "../../../app/_reminders/story";
import type { DeliveryView } from "../../../db/reminders/read";
import type { ReminderView } from "../../../db/reminders/views";
import { ENGLISH } from "../../../db/rules/languages";

const NOW = Date.parse("2026-12-24T08:00:00Z");
const iso = (inMs: number) => new Date(NOW + inMs).toISOString();

function reminder(overrides: Partial<ReminderView> = {}): ReminderView {
  return {
    id: "r",
    subscriber: null,
    title: "Collect the parcel",
    note: null,
    url: null,
    dueAt: iso(0),
    timeZone: "Europe/Berlin",
    channels: ["email", "push"],
    expiresAfterSeconds: 86_400,
    repeat: null,
    floating: false,
    throughQuietHours: false,
    nextChannelAfterMinutes: null,
    checkUrl: null,
    status: "active",
    version: 1,
    occurrence: { id: "o2", number: 2, state: "opened", dueAt: iso(0) },
    createdAt: iso(-1000),
    updatedAt: iso(-1000),
    ...overrides,
  };
}

function delivery(overrides: Partial<DeliveryView> = {}): DeliveryView {
  return {
    key: `key-${overrides.channel ?? "email"}-${overrides.occurrence ?? "o2"}-${overrides.device ?? ""}`,
    channel: "email",
    device: null,
    occurrence: "o2",
    version: 1,
    state: "delivered",
    reason: null,
    lastClass: "accepted",
    receipt: null,
    nextEligibleAt: null,
    expectedAt: null,
    expectedBy: null,
    scheduledAt: iso(0),
    firstAttemptAt: iso(0),
    latestAttemptAt: iso(0),
    finishedAt: iso(0),
    expiresAt: iso(86_400_000),
    attempts: 1,
    failures: 0,
    throttles: 0,
    history: [],
    ...overrides,
  };
}

const names = (entries: { name: string; line: { status: string } }[]) =>
  entries.map((entry) => `${entry.name}: ${entry.line.status}`);

describe("a story", () => {
  test("before the time, each chosen channel is scheduled", () => {
    const occurrence = { id: "o1", number: 1, state: "waiting" as const, dueAt: iso(60_000) };
    const story = storyOf(reminder({ occurrence }), [], NOW, ENGLISH);
    expect(names(story.now)).toEqual(["Email: Scheduled", "Push: Scheduled"]);
    expect(story).toMatchObject({ earlier: [], live: true });
  });

  test("each device has its own outcome", () => {
    const story = storyOf(
      reminder(),
      [
        delivery(),
        delivery({ channel: "push", device: "Chrome on Linux" }),
        delivery({ channel: "push", device: "Safari on iPhone", state: "expired", reason: "no_destination" }),
      ],
      NOW,
      ENGLISH,
    );
    expect(names(story.now)).toEqual([
      "Email: Sent",
      "Push to Chrome on Linux: Sent",
      "Push to Safari on iPhone: Not sent",
    ]);
    expect(story.live).toBe(false);
  });

  test("after a snooze the channels wait again, and what was sent is told below", () => {
    const occurrence = { id: "o2", number: 2, state: "waiting" as const, dueAt: iso(600_000) };
    const story = storyOf(reminder({ occurrence }), [delivery({ occurrence: "o1" })], NOW, ENGLISH);
    expect(names(story.now)).toEqual(["Email: Scheduled", "Push: Scheduled"]);
    expect(names(story.earlier)).toEqual(["Email: Sent"]);
  });

  test("an edit that sent one channel again shows the latest of each", () => {
    const story = storyOf(
      reminder(),
      [
        delivery({ occurrence: "o1", state: "expired", reason: "superseded" }),
        delivery({ occurrence: "o1", channel: "push" }),
        delivery({ occurrence: "o2" }),
      ],
      NOW,
      ENGLISH,
    );
    expect(names(story.now)).toEqual(["Email: Sent", "Push: Sent"]);
    expect(names(story.earlier)).toEqual(["Email: Replaced"]);
  });

  test("one that was cancelled before it was due says so on each channel", () => {
    const occurrence = { id: "o1", number: 1, state: "cancelled" as const, dueAt: iso(60_000) };
    const story = storyOf(reminder({ status: "cancelled", occurrence }), [], NOW, ENGLISH);
    expect(names(story.now)).toEqual(["Email: Cancelled", "Push: Cancelled"]);
    expect(story.live).toBe(false);
  });

  test("a channel that was taken out of the reminder still tells what it did", () => {
    const story = storyOf(
      reminder({ channels: ["email"] }),
      [delivery(), delivery({ channel: "sms" })],
      NOW,
      ENGLISH,
    );
    expect(names(story.now)).toEqual(["Email: Sent", "SMS: Sent"]);
  });
});

describe("the next look", () => {
  const waitingUntil = (ms: number) => {
    const occurrence = { id: "o1", number: 1, state: "waiting" as const, dueAt: iso(ms) };
    return nextLookMs(storyOf(reminder({ occurrence }), [], NOW, ENGLISH), NOW);
  };

  test("is when something is expected, never sooner than two seconds, never later than five minutes", () => {
    expect(waitingUntil(60_000)).toBe(60_000);
    expect(waitingUntil(1)).toBe(2000);
    expect(waitingUntil(-60_000)).toBe(2000);
    // Above 2^31-1 ms a timer would fire at once.
    expect(waitingUntil(2 ** 31)).toBe(300_000);
    expect(waitingUntil(5 * 366 * 86_400_000)).toBe(300_000);
  });

  test("follows the nearest of several", () => {
    const story = storyOf(
      reminder(),
      [
        delivery({ state: "deferred", lastClass: "throttled", expectedAt: iso(40_000) }),
        delivery({ channel: "push", state: "deferred", lastClass: "throttled", expectedAt: iso(9000) }),
      ],
      NOW,
      ENGLISH,
    );
    expect(nextLookMs(story, NOW)).toBe(9000);
  });
});
