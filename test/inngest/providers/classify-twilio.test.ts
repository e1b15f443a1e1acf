import { describe, expect, test } from "vitest";
import type { Outcome } from "../../../db/rules/outcome";
import {
  classifyTwilio,
  classifyTwilioCallback,
  twilioCodeOutcome,
} from "../../../inngest/providers/classify-twilio";
import { HOLLOW_SUCCESSES, wire } from "./wire";

const SID = "SM00000000000000000000000000000001";
const error = (status: number, code: number, headers: Record<string, string> = {}) =>
  wire(status, { code, message: "…", more_info: "…", status }, headers);

test.each(["queued", "accepted", "sent"])("201 with a sid and status %s is accepted", (status) => {
  expect(classifyTwilio(wire(201, { sid: SID, status, error_code: null })).outcome).toEqual({
    class: "accepted",
    providerMessageId: SID,
  });
});

test.each([
  ...HOLLOW_SUCCESSES,
  ["202 with an empty body", wire(202)] as const,
  ["201 with HTML", wire(201, "<html>")] as const,
  ["201 cut off", wire(201, null)] as const,
  ["201 with the sid of something else", wire(201, { sid: "CA00", status: "queued" })] as const,
])("%s is no acceptance", (_, answer) => {
  expect(classifyTwilio(answer).outcome).toEqual({ class: "ambiguous" });
});

test("201 that says failed at once is what its number says", () => {
  const body = { sid: SID, status: "failed", error_code: "14107", error_message: "loop" };
  expect(classifyTwilio(wire(201, body))).toEqual({
    outcome: { class: "throttled", scope: "destination", retryAfterMs: 30_000 },
    code: "14107",
    message: "loop",
  });
  expect(classifyTwilio(wire(201, { sid: SID, status: "undelivered" })).outcome).toEqual({
    class: "transient",
  });
});

const CONFIG: Outcome = { class: "config_rejected" };
const FOR_ONE: Outcome = { class: "config_rejected", scope: "destination" };
const DEAD: Outcome = { class: "destination_rejected", disposition: "dead" };
const MESSAGE: Outcome = { class: "message_rejected" };
const throttled = (
  retryAfterMs: number | null,
  scope: "account" | "partition" | "destination" = "partition",
): Outcome => ({
  class: "throttled",
  scope,
  retryAfterMs,
});

describe("error numbers of answers", () => {
  test.each<[number, number, Outcome]>([
    [401, 20003, CONFIG],
    [403, 20005, CONFIG],
    [404, 20404, CONFIG],
    [429, 20429, throttled(null, "account")],
    [500, 20500, { class: "ambiguous" }],
    [503, 20503, { class: "ambiguous" }],
    [400, 21211, DEAD],
    [400, 21217, DEAD],
    [400, 21612, DEAD],
    [400, 21614, DEAD],
    [400, 21635, DEAD],
    [400, 21610, { class: "destination_rejected", disposition: "opted_out" }],
    [400, 21212, CONFIG],
    [400, 21603, CONFIG],
    [400, 21606, CONFIG],
    [400, 21609, CONFIG],
    [400, 21703, CONFIG],
    [400, 21704, CONFIG],
    [400, 21705, CONFIG],
    [400, 21408, FOR_ONE],
    [400, 21608, FOR_ONE],
    [400, 21602, MESSAGE],
    [400, 21604, MESSAGE],
    [400, 21617, MESSAGE],
    [400, 21619, MESSAGE],
    [400, 21620, MESSAGE],
    [400, 21624, MESSAGE],
    [400, 21611, throttled(60_000)],
    [429, 63018, throttled(60_000)],
    [429, 63038, { class: "quota", retryAfterMs: null }],
  ])("%d %d", (status, code, outcome) => {
    expect(classifyTwilio(error(status, code))).toEqual({ outcome, code: String(code), message: "…" });
  });

  test("an RFC 9457 body is read as well", () => {
    const body = {
      type: "https://…",
      title: "Too Many Requests",
      status: 429,
      code: 20429,
      detail: "slow down",
    };
    expect(classifyTwilio(wire(429, body))).toEqual({
      outcome: throttled(null, "account"),
      code: "20429",
      message: "slow down",
    });
  });
});

describe("answers without a number that is known", () => {
  test.each<[string, ReturnType<typeof wire>, Outcome]>([
    ["502 with HTML", wire(502, "<html>"), { class: "ambiguous" }],
    ["504 empty", wire(504), { class: "ambiguous" }],
    ["500 with null", wire(500, "null"), { class: "ambiguous" }],
    ["503 with an unknown number", error(503, 29999), { class: "ambiguous" }],
    ["408", wire(408), { class: "ambiguous" }],
    ["429 with HTML", wire(429, "<html>", { "retry-after": "7" }), throttled(7000, "account")],
    ["401 with HTML", wire(401, "<html>"), CONFIG],
    ["413", wire(413), MESSAGE],
    ["400 with an unknown number", error(400, 29999), { class: "transient", retryAfterMs: null }],
    ["400 with HTML", wire(400, "<html>"), { class: "transient", retryAfterMs: null }],
    ["400 cut off", wire(400, null), { class: "transient", retryAfterMs: null }],
  ])("%s", (_, answer, outcome) => {
    expect(classifyTwilio(answer).outcome).toEqual(outcome);
  });
});

test("a Retry-After counts where one is sent, and never shortens a wait", () => {
  expect(classifyTwilio(error(429, 20429, { "retry-after": "7" })).outcome).toEqual(
    throttled(7000, "account"),
  );
  expect(classifyTwilio(error(400, 21611, { "retry-after": "7" })).outcome).toEqual(throttled(60_000));
  expect(classifyTwilio(error(400, 21611, { "retry-after": "900" })).outcome).toEqual(throttled(900_000));
  expect(classifyTwilio(error(429, 20429, { "retry-after": "soon" })).outcome).toEqual(
    throttled(null, "account"),
  );
});

describe("status callbacks", () => {
  test.each(["queued", "accepted", "scheduled", "sending", "canceled", "something_new"])(
    "%s tells nothing yet",
    (status) => {
      expect(classifyTwilioCallback(status, null)).toBeNull();
    },
  );

  test.each(["sent", "delivered", "read"])("%s proves acceptance", (status) => {
    expect(classifyTwilioCallback(status, null)).toEqual({ class: "accepted", providerMessageId: null });
  });

  test.each<[number, Outcome]>([
    [14107, throttled(30_000, "destination")],
    [30001, throttled(60_000)],
    [30002, CONFIG],
    [30003, { class: "transient" }],
    [30004, DEAD],
    [30005, DEAD],
    [30006, DEAD],
    [30007, CONFIG],
    [30008, { class: "transient" }],
    [30017, { class: "transient" }],
    [30018, CONFIG],
    [30022, throttled(60_000)],
    [30023, { class: "quota", retryAfterMs: null }],
    [30024, CONFIG],
    [30027, { class: "quota", retryAfterMs: null }],
    [30032, CONFIG],
    [30034, CONFIG],
    [30035, CONFIG],
    [30036, MESSAGE],
    [30410, { class: "ambiguous" }],
    [30450, throttled(1_800_000, "destination")],
    [63017, throttled(60_000)],
    [63018, throttled(60_000)],
    [63038, { class: "quota", retryAfterMs: null }],
    [29999, { class: "transient" }],
  ])("undelivered with %d", (code, outcome) => {
    expect(classifyTwilioCallback("undelivered", String(code))).toEqual(outcome);
    expect(classifyTwilioCallback("failed", String(code))).toEqual(outcome);
  });

  test("a failure without a readable number may be tried again", () => {
    expect(classifyTwilioCallback("failed", null)).toEqual({ class: "transient" });
    expect(classifyTwilioCallback("failed", "30003; drop")).toEqual({ class: "transient" });
  });
});

test("a number that is not known has no meaning of its own", () => {
  expect(twilioCodeOutcome(29999)).toBeNull();
});
