import { describe, expect, test } from "vitest";
import type { Outcome } from "../../../db/rules/outcome";
import { classifyResend, resendRatePerSecond } from "../../../inngest/providers/classify-resend";
import { HOLLOW_SUCCESSES, wire } from "./wire";

const error = (status: number, name: string, message = "…", headers: Record<string, string> = {}) =>
  wire(status, { statusCode: status, name, message }, headers);

test.each([200, 201])("%d with an id is accepted", (status) => {
  expect(classifyResend(wire(status, { id: "49a3999c" })).outcome).toEqual({
    class: "accepted",
    providerMessageId: "49a3999c",
  });
});

test.each([
  ...HOLLOW_SUCCESSES,
  ["202 with an empty body", wire(202)] as const,
  ["200 with an empty id", wire(200, { id: "" })] as const,
])("%s is no acceptance", (_, answer) => {
  expect(classifyResend(answer).outcome).toEqual({ class: "ambiguous" });
});

const DEAD: Outcome = { class: "destination_rejected", disposition: "dead" };

describe("documented errors", () => {
  test.each<[number, string, string, Outcome]>([
    [400, "validation_error", "The `html` field is too long", { class: "message_rejected" }],
    [400, "validation_error", "API key is invalid", { class: "config_rejected" }],
    [401, "validation_error", "API key is invalid", { class: "config_rejected" }],
    [403, "validation_error", "The shop.example domain is not verified", { class: "config_rejected" }],
    [
      403,
      "validation_error",
      "You can only send testing emails to your own email address",
      { class: "config_rejected" },
    ],
    [
      422,
      "validation_error",
      "The `\\n` is not allowed in the `subject` field.",
      { class: "message_rejected" },
    ],
    [
      422,
      "validation_error",
      "Invalid `to` field. Please use our testing email address instead of domains like `example.com`.",
      DEAD,
    ],
    [400, "invalid_idempotency_key", "…", { class: "message_rejected" }],
    [401, "missing_api_key", "…", { class: "config_rejected" }],
    [401, "restricted_api_key", "…", { class: "config_rejected" }],
    [403, "invalid_api_key", "…", { class: "config_rejected" }],
    [400, "invalid_api_key", "…", { class: "config_rejected" }],
    [403, "suspended_api_key", "…", { class: "config_rejected" }],
    [404, "not_found", "…", { class: "config_rejected" }],
    [405, "method_not_allowed", "…", { class: "config_rejected" }],
    [409, "concurrent_idempotent_requests", "…", { class: "ambiguous", retryAfterMs: 1000 }],
    [409, "invalid_idempotent_request", "…", { class: "ambiguous", needsReview: true }],
    [422, "missing_required_field", "…", { class: "message_rejected" }],
    [422, "invalid_attachment", "…", { class: "message_rejected" }],
    [422, "invalid_from_address", "…", { class: "config_rejected" }],
    [422, "invalid_access", "…", { class: "message_rejected" }],
    [422, "invalid_parameter", "…", { class: "message_rejected" }],
    [422, "invalid_region", "…", { class: "message_rejected" }],
    [429, "rate_limit_exceeded", "…", { class: "throttled", scope: "partition", retryAfterMs: null }],
    [429, "daily_quota_exceeded", "…", { class: "quota", retryAfterMs: null }],
    [429, "monthly_quota_exceeded", "…", { class: "quota", retryAfterMs: null }],
    [451, "security_error", "…", { class: "message_rejected" }],
    [500, "application_error", "…", { class: "ambiguous", retryAfterMs: null }],
    [500, "internal_server_error", "…", { class: "ambiguous", retryAfterMs: null }],
  ])("%d %s: %s", (status, name, message, outcome) => {
    expect(classifyResend(error(status, name, message))).toEqual({ outcome, code: name, message });
  });
});

describe("answers that are not Resend's", () => {
  test.each<[string, ReturnType<typeof wire>, Outcome]>([
    ["502 with HTML", wire(502, "<html>Bad Gateway</html>"), { class: "ambiguous", retryAfterMs: null }],
    ["503 empty", wire(503), { class: "ambiguous", retryAfterMs: null }],
    ["504 empty", wire(504), { class: "ambiguous", retryAfterMs: null }],
    ["500 with null", wire(500, "null"), { class: "ambiguous", retryAfterMs: null }],
    ["500 in a foreign shape", wire(500, { error: { code: 7 } }), { class: "ambiguous", retryAfterMs: null }],
    ["500 cut off", wire(500, null), { class: "ambiguous", retryAfterMs: null }],
    ["408", wire(408), { class: "ambiguous", retryAfterMs: null }],
    ["425", wire(425), { class: "ambiguous", retryAfterMs: null }],
    ["409 without a name", wire(409), { class: "ambiguous", retryAfterMs: null }],
    ["429 with HTML", wire(429, "<html>"), { class: "throttled", scope: "partition", retryAfterMs: null }],
    ["401 empty", wire(401), { class: "config_rejected" }],
    ["403 with HTML", wire(403, "<html>"), { class: "config_rejected" }],
    ["413", wire(413), { class: "message_rejected" }],
    ["422 with an unknown name", error(422, "new_rule"), { class: "message_rejected" }],
    ["400 with an unknown name", error(400, "new_rule"), { class: "transient", retryAfterMs: null }],
    ["400 with HTML", wire(400, "<html>"), { class: "transient", retryAfterMs: null }],
    ["418", wire(418), { class: "transient", retryAfterMs: null }],
  ])("%s", (_, answer, outcome) => {
    expect(classifyResend(answer).outcome).toEqual(outcome);
  });
});

describe("how long a 429 asks to wait", () => {
  test.each<[string, Record<string, string>, number | null]>([
    ["retry-after in seconds", { "retry-after": "3", "ratelimit-reset": "1" }, 3000],
    ["retry-after as a date", { "retry-after": "Mon, 30 Nov 2026 12:00:09 GMT" }, 9000],
    ["retry-after twice", { "retry-after": "5, 10" }, 10_000],
    ["nonsense, then the reset", { "retry-after": "soon", "ratelimit-reset": "2" }, 2000],
    ["the reset alone", { "ratelimit-reset": "1" }, 1000],
    ["a reset of zero", { "ratelimit-reset": "0" }, null],
    ["nothing", {}, null],
    ["zero", { "retry-after": "0" }, 0],
  ])("%s", (_, headers, retryAfterMs) => {
    const { outcome } = classifyResend(error(429, "rate_limit_exceeded", "…", headers));
    expect(outcome).toEqual({ class: "throttled", scope: "partition", retryAfterMs });
  });
});

test.each<[Record<string, string>, number | null]>([
  [{ "ratelimit-limit": "2", "ratelimit-policy": "2;w=1" }, 2],
  [{ "ratelimit-limit": "10" }, 10],
  [{ "ratelimit-limit": "1", "ratelimit-policy": "1;w=5" }, 0.2],
  [{ "ratelimit-limit": "0" }, null],
  [{ "ratelimit-limit": "many" }, null],
  [{ "ratelimit-limit": "2", "ratelimit-policy": "2;w=0" }, null],
  [{}, null],
])("%j allows %s per second", (headers, rate) => {
  expect(resendRatePerSecond(wire(200, "", headers))).toBe(rate);
});
