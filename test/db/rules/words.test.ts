import { describe, expect, test } from "vitest";
import { ENGLISH } from "../../../db/rules/languages";
import { DEAD_REASONS, DELIVERY_STATES, EXPIRED_REASONS, WAIT_CLASSES } from "../../../db/rules/lifecycle";
import { tellAttempt, tellOccurrence } from "../../../db/rules/occurrence-words";
import type { Channel, OutcomeClass } from "../../../db/rules/outcome";
import { type Phrase, type StoryFacts, tellDelivery } from "../../../db/rules/words";

const NINE = Date.parse("2026-12-24T08:00:00Z");
const LATER = NINE + 20 * 60_000;
const CHANNELS: Channel[] = ["email", "sms", "push"];

function facts(overrides: Partial<StoryFacts> = {}): StoryFacts {
  return {
    channel: "email",
    state: "scheduled",
    reason: null,
    lastClass: null,
    receipt: null,
    expectedAtMs: null,
    nextEligibleAtMs: null,
    scheduledAtMs: NINE,
    latestAttemptAtMs: null,
    finishedAtMs: null,
    expiresAtMs: NINE + 24 * 3600_000,
    attempts: 0,
    classes: [],
    ...overrides,
  };
}

/** The sentence with its instants as clock times in UTC. */
function read(phrase: Phrase): string {
  return phrase
    .map((part) => (typeof part === "string" ? part : new Date(part.atMs).toISOString().slice(11, 16)))
    .join("");
}

function tell(overrides: Partial<StoryFacts>): { status: string; sentence: string; advice: string | null } {
  const { status, sentence, advice } = tellDelivery(facts(overrides), ENGLISH);
  return { status, sentence: read(sentence), advice };
}

describe("what a delivery tells", () => {
  test("one that waits names its time", () => {
    expect(tell({ state: "scheduled" })).toEqual({
      status: "Scheduled",
      sentence: "Will be sent at 08:00.",
      advice: null,
    });
  });

  test("one that is held by quiet hours names their end", () => {
    expect(tell({ state: "scheduled", lastClass: "quiet_hours", nextEligibleAtMs: LATER })).toMatchObject({
      status: "Waiting for quiet hours",
      sentence: "Held by your quiet hours until 08:20.",
    });
  });

  test("a busy provider is named with the time that it is expected to take it", () => {
    expect(tell({ state: "deferred", lastClass: "throttled", expectedAtMs: LATER })).toMatchObject({
      status: "Sending later",
      sentence: "The email service is busy. Expected about 08:20.",
    });
    expect(tell({ channel: "sms", state: "ready", expectedAtMs: LATER })).toMatchObject({
      status: "Sending later",
      sentence: "The text message service is busy. Expected about 08:20.",
    });
  });

  test("one that was sent says when, and after how many tries of which kind", () => {
    const sent = { state: "delivered", latestAttemptAtMs: NINE, finishedAtMs: NINE } as const;
    expect(tell({ ...sent, attempts: 1, classes: ["accepted"] }).sentence).toBe("Sent at 08:00.");
    expect(tell({ ...sent, attempts: 2, classes: ["throttled", "accepted"] }).sentence).toBe(
      "Sent at 08:00 (2 tries, one “busy” answer).",
    );
    expect(
      tell({
        ...sent,
        attempts: 5,
        classes: ["throttled", "throttled", "transient", "ambiguous", "accepted"],
      }).sentence,
    ).toBe("Sent at 08:00 (5 tries, 2 “busy” answers, one failure, one unclear answer).");
  });

  test("one that was late says so, within a minute it does not", () => {
    const sent = { state: "delivered", attempts: 1, classes: ["accepted"] } as const;
    expect(tell({ ...sent, latestAttemptAtMs: NINE + 60_000 }).sentence).toBe("Sent at 08:01.");
    expect(tell({ ...sent, latestAttemptAtMs: LATER }).sentence).toBe(
      "Sent at 08:20. It was planned for 08:00.",
    );
  });

  test("an unknown outcome is neither called sent nor failed, and says what to do", () => {
    const told = tell({ channel: "sms", state: "dead", reason: "outcome_unknown", latestAttemptAtMs: NINE });
    expect(told.status).toBe("Outcome unknown");
    expect(told.sentence).toMatch(/^It may have arrived: .* at 08:00\. It is not sent again/);
    expect(told.advice).toMatch(/If it did not arrive/);
  });

  test("one that could not be delivered says why and what to do", () => {
    const told = tell({
      channel: "sms",
      state: "dead",
      reason: "destination_rejected",
      latestAttemptAtMs: NINE,
    });
    expect(told).toEqual({
      status: "Could not deliver",
      sentence: "This number cannot receive text messages. Tried at 08:00.",
      advice: "Check your number under Channels.",
    });
  });

  test("a cancelled one says when, and that it was not sent", () => {
    expect(tell({ state: "expired", reason: "cancelled", finishedAtMs: NINE }).sentence).toBe(
      "Cancelled at 08:00. It was not sent.",
    );
  });
});

const reasons = [
  ...DEAD_REASONS.map((reason) => ["dead", reason] as const),
  ...EXPIRED_REASONS.map((reason) => ["expired", reason] as const),
];

test.each(CHANNELS)(
  "every state, reason and class has whole sentences on %s, and only what lives is live",
  (channel) => {
    const stories = [
      ...DELIVERY_STATES.filter((state) => state !== "dead" && state !== "expired").map((state) =>
        facts({ channel, state }),
      ),
      ...[...reasons, ["dead", "newer"] as const, ["expired", "newer"] as const].map(([state, reason]) =>
        facts({ channel, state, reason }),
      ),
      ...[...WAIT_CLASSES, "something newer"].map((lastClass) =>
        facts({ channel, state: "deferred", lastClass }),
      ),
    ];
    for (const story of stories) {
      const line = tellDelivery(story, ENGLISH);
      expect(line.status, story.state).toMatch(/^[A-Z][\w ]+$/);
      expect(read(line.sentence), `${story.state} ${story.reason} ${story.lastClass}`).toMatch(
        /^[A-Z].*\.$/s,
      );
      expect(read(line.sentence)).not.toMatch(/undefined|null|_/);
      expect(line.live).toBe(!["delivered", "dead", "expired"].includes(story.state));
    }
  },
);

test("what failed has advice, what was wanted has none", () => {
  for (const [state, reason] of reasons) {
    const { tone, advice } = tellDelivery(facts({ state, reason }), ENGLISH);
    if (tone === "bad") expect(advice, reason).not.toBeNull();
  }
});

describe("what a channel without a delivery tells", () => {
  const occurrence = (state: "waiting" | "opened" | "missed" | "cancelled", dueAtMs = LATER) =>
    tellOccurrence({ state, cancelled: false, dueAtMs, nowMs: NINE }, ENGLISH);

  test("before its time, at its time, and when it never came to that", () => {
    expect(read(occurrence("waiting").sentence)).toBe("Will be sent at 08:20.");
    expect(occurrence("waiting", NINE)).toMatchObject({ status: "Due now", live: true });
    expect(occurrence("missed")).toMatchObject({ status: "Missed", tone: "bad", live: false });
    expect(occurrence("cancelled")).toMatchObject({ status: "Cancelled", live: false });
    expect(
      tellOccurrence({ state: "waiting", cancelled: true, dueAtMs: LATER, nowMs: NINE }, ENGLISH).status,
    ).toBe("Cancelled");
  });
});

describe("what a try tells", () => {
  const attempt = (name: string | null, retryAfter: string | null = null) =>
    read(tellAttempt({ class: name, begunAtMs: NINE, retryAfter }, ENGLISH));

  test("a provider's wish is repeated as it was sent", () => {
    expect(attempt("throttled", "5")).toBe("08:00 busy, asked us to wait 5 seconds");
    expect(attempt("throttled", "1")).toBe("08:00 busy, asked us to wait 1 second");
    expect(attempt("throttled", "Thu, 24 Dec 2026 08:01:00 GMT")).toBe(
      "08:00 busy, asked us to wait until Thu, 24 Dec 2026 08:01:00 GMT",
    );
    expect(attempt(null)).toBe("08:00 handed over, no answer yet");
  });

  test("every class has words", () => {
    const classes: OutcomeClass[] = [
      "accepted",
      "throttled",
      "quota",
      "transient",
      "ambiguous",
      "destination_rejected",
      "message_rejected",
      "config_rejected",
      "not_made",
    ];
    for (const name of [...classes, ...WAIT_CLASSES, "something newer"]) {
      expect(attempt(name)).toMatch(/^08:00 [a-z]/);
    }
  });
});

describe("only a report of the provider makes it more, or less, than sent", () => {
  test.each([
    [null, "Sent"],
    ["accepted", "Sent"],
    ["not_found", "Sent"],
    ["delayed", "Sent"],
    ["arrived", "Delivered"],
    ["complained", "Delivered"],
    ["not_arrived", "Did not arrive"],
  ] as const)("%s reads %s", (receipt, status) => {
    expect(tell({ state: "delivered", receipt }).status).toBe(status);
  });
});
