import { describe, expect, test } from "vitest";
import { type TimelineFacts, tellTimeline } from "../../../db/rules/delivery-timeline";
import { WAIT_CLASSES } from "../../../db/rules/lifecycle";

const NOW_MS = Date.UTC(2026, 2, 2, 12);

const FACTS: TimelineFacts = {
  state: "ready",
  reason: null,
  wish: null,
  lastClass: null,
  lane: "standard",
  createdAtMs: NOW_MS - 60_000,
  scheduledAtMs: NOW_MS - 58_000,
  nextEligibleAtMs: null,
  admittedAtMs: null,
  keptUntilMs: null,
  leaseUntilMs: null,
  finishedAtMs: null,
  expiresAtMs: NOW_MS + 3_600_000,
  reconcileAtMs: null,
  unresolvedSinceMs: null,
  calls: [],
  actions: [],
  forecast: null,
};

const CALL = {
  number: 1,
  slotAtMs: NOW_MS - 50_000,
  begunAtMs: NOW_MS - 50_000,
  settledAtMs: NOW_MS - 49_800,
  class: "throttled",
  status: 429,
  code: "20429",
  retryAfter: "30",
  detail: null,
  callMs: 200,
};

const titles = (facts: Partial<TimelineFacts>) =>
  tellTimeline({ ...FACTS, ...facts }, NOW_MS).map((step) => step.title);

describe("a delivery's timeline", () => {
  test("tells what happened in its order, what the provider said, and what lies ahead", () => {
    const steps = tellTimeline(
      {
        ...FACTS,
        state: "deferred",
        lastClass: "throttled",
        admittedAtMs: NOW_MS - 51_000,
        nextEligibleAtMs: NOW_MS + 20_000,
        calls: [CALL],
        forecast: { expectedMs: NOW_MS + 21_000, latestMs: NOW_MS + 30_000 },
      },
      NOW_MS,
    );
    expect(steps.map((step) => step.title)).toEqual([
      "Opened",
      "Admitted",
      "Call 1: 429",
      "Eligible again",
      "Expected to leave",
      "Of no use any more",
    ]);
    expect(steps[2]?.said).toBe("HTTP 429 · 20429 · Retry-After: 30 · 200 ms");
    expect(steps[2]?.why.join("")).toContain("the failure budget was not touched");
    expect(steps.map((step) => step.ahead)).toEqual([false, false, false, true, true, true]);
  });

  test("puts an operator's action where it happened, in the operator's words", () => {
    const action = {
      id: "a-1",
      operator: "grace",
      action: "resolve-arrived",
      reason: "the shopper has it",
      atMs: NOW_MS - 1_000,
    };
    const steps = tellTimeline(
      { ...FACTS, state: "delivered", finishedAtMs: NOW_MS - 1_000, calls: [CALL], actions: [action] },
      NOW_MS,
    );
    expect(steps.map((step) => step.title)).toEqual([
      "Opened",
      "Call 1: 429",
      "grace: resolve arrived",
      "Delivered",
    ]);
    expect(steps[2]?.why).toEqual(["“the shopper has it”"]);
  });

  test("of an unknown outcome says that nobody sends it again blindly, and when it can be looked up", () => {
    const facts = {
      state: "dead",
      reason: "outcome_unknown",
      wish: "past_deadline",
      finishedAtMs: NOW_MS - 500,
    } as const;
    const steps = tellTimeline({ ...FACTS, ...facts, reconcileAtMs: NOW_MS + 60_000 }, NOW_MS);
    expect(steps.map((step) => step.title)).toEqual(["Opened", "Dead: outcome unknown", "Can be looked up"]);
    expect(steps[1]?.why.join("")).toMatch(
      /not sent again blindly.*Otherwise it would have ended as past deadline/,
    );
  });

  test.each([...WAIT_CLASSES, "accepted", "message_rejected", "a_class_of_tomorrow"])(
    "has words for the answer %s",
    (name) => {
      const [, call] = titles({ calls: [{ ...CALL, class: name }] });
      expect(call).toMatch(/^Call 1: ./);
      expect(tellTimeline({ ...FACTS, lastClass: name, nextEligibleAtMs: NOW_MS + 1 }, NOW_MS)).toHaveLength(
        3,
      );
    },
  );
});
