import fc from "fast-check";
import { expect, test } from "vitest";
import { decideOpening, type OpeningFacts, openAheadSeconds } from "../../../db/rules/opening";

const DUE_MS = Date.UTC(2026, 2, 2, 12);
const NOW_MS = DUE_MS - 2000;
const FACTS: OpeningFacts = {
  channel: "email",
  address: "shopper@shopper.example",
  throughQuiet: false,
  smsFrom: null,
  smsUntil: null,
  awayUntilMs: null,
  stepped: false,
  capped: false,
  moot: false,
  dueAtMs: DUE_MS,
  expiresAtMs: DUE_MS + 86_400_000,
  hasDestination: true,
  suppressed: false,
  preferred: true,
  quietFrom: null,
  quietUntil: null,
  timeZone: "Europe/Berlin",
};

const open = (overrides: Partial<OpeningFacts>, nowMs = NOW_MS) =>
  decideOpening({ ...FACTS, ...overrides }, nowMs);

test("a delivery is born waiting for its own instant, also when that is over", () => {
  const waiting = { state: "scheduled", nextEligibleAtMs: DUE_MS, heldBy: null };
  expect(open({})).toEqual(waiting);
  expect(open({}, DUE_MS + 3_600_000)).toEqual(waiting);
});

test("who is skipped is born expired, and the reason says why: the person's own choice first", () => {
  expect(open({ preferred: false, hasDestination: false, suppressed: true })).toEqual({
    state: "expired",
    reason: "preference",
  });
  expect(open({ hasDestination: false, suppressed: true })).toEqual({
    state: "expired",
    reason: "opted_out",
  });
  expect(open({ hasDestination: false, suppressed: true, channel: "sms" })).toEqual({
    state: "expired",
    reason: "consent",
  });
  expect(open({ hasDestination: false })).toEqual({ state: "expired", reason: "no_destination" });
  expect(open({}, FACTS.expiresAtMs)).toEqual({ state: "expired", reason: "past_deadline" });
});

test("quiet hours at the due instant hold it until they end", () => {
  // 12:00 UTC is 13:00 in Berlin.
  expect(open({ quietFrom: "12:30", quietUntil: "14:00" })).toEqual({
    state: "scheduled",
    nextEligibleAtMs: DUE_MS + 3_600_000,
    heldBy: "quiet_hours",
  });
  expect(open({ quietFrom: "14:00", quietUntil: "12:30" })).toMatchObject({ heldBy: null });
});

test("nothing is ever born to be sent before its instant, or expired without a reason", () => {
  const clock = fc.option(fc.constantFrom("00:00", "07:15", "12:30", "13:00", "22:00"));
  fc.assert(
    fc.property(
      fc.record({
        channel: fc.constantFrom("email" as const, "sms" as const, "push" as const),
        hasDestination: fc.boolean(),
        suppressed: fc.boolean(),
        preferred: fc.boolean(),
        quietFrom: clock,
        quietUntil: clock,
        timeZone: fc.constantFrom("Europe/Berlin", "Asia/Kolkata", "America/New_York", "UTC"),
      }),
      fc.integer({ min: -10, max: 90_000_000 }),
      (facts, lateMs) => {
        const born = open(facts, DUE_MS + lateMs);
        if (born.state === "expired") {
          expect(born.reason).toMatch(/^[a-z_]+$/);
          return;
        }
        expect(born.nextEligibleAtMs).toBeGreaterThanOrEqual(DUE_MS);
        expect(facts.preferred && facts.hasDestination).toBe(true);
        expect(DUE_MS + lateMs).toBeLessThan(FACTS.expiresAtMs);
      },
    ),
  );
});

test("a crowded second is opened ahead, the sooner the more wait in it, and never more than half a minute", () => {
  expect(openAheadSeconds(1)).toBeUndefined();
  expect(openAheadSeconds(499)).toBeUndefined();
  expect(openAheadSeconds(500)).toBe(4);
  expect(openAheadSeconds(5_000)).toBe(22);
  expect(openAheadSeconds(1_000_000)).toBe(30);
});
