import { describe, expect, test } from "vitest";
import type { Outcome } from "../../../db/rules/outcome";
import { classifyWebPush } from "../../../inngest/providers/classify-web-push";
import { HOLLOW_SUCCESSES, wire } from "./wire";

const FCM = "fcm.googleapis.com";
const MOZILLA = "updates.push.services.mozilla.com";
const APPLE = "web.push.apple.com";
const WINDOWS = "notify.windows.com";

describe("acceptance", () => {
  test.each<[string, string, ReturnType<typeof wire>, string | null]>([
    ["FCM", FCM, wire(201, "", { location: "https://fcm.googleapis.com/fcm/send/0:16%25a" }), "0:16%25a"],
    ["Mozilla", MOZILLA, wire(201, "", { location: "https://u.example/m/gAAAA?x=1", ttl: "60" }), "gAAAA"],
    ["201 without anything", FCM, wire(201), null],
    ["201 cut off: the status is the evidence", FCM, wire(201, null), null],
    ["202", FCM, wire(202), null],
    ["Apple with 201", APPLE, wire(201, "", { "apns-id": "7A-1" }), "7A-1"],
    ["Apple with 200", APPLE, wire(200, "", { "apns-id": "7A-1" }), "7A-1"],
    ["Windows with 200", WINDOWS, wire(200, "", { "x-wns-status": "received" }), null],
    ["Windows with 201", WINDOWS, wire(201, "", { "x-wns-status": "received" }), null],
  ])("%s", (_, host, answer, providerMessageId) => {
    expect(classifyWebPush(answer, host).outcome).toEqual({ class: "accepted", providerMessageId });
  });

  test.each(HOLLOW_SUCCESSES)("%s is none", (_, answer) => {
    expect(classifyWebPush(answer, FCM).outcome).toEqual({ class: "ambiguous" });
  });

  test("Windows may say inside a success that nothing was passed on", () => {
    expect(classifyWebPush(wire(200, "", { "x-wns-status": "dropped" }), WINDOWS)).toMatchObject({
      outcome: { class: "transient" },
      code: "dropped",
    });
    expect(classifyWebPush(wire(201, "", { "x-wns-status": "channelthrottled" }), WINDOWS).outcome).toEqual({
      class: "throttled",
      scope: "destination",
      retryAfterMs: null,
    });
  });
});

const GONE: Outcome = { class: "destination_rejected", disposition: "gone" };
const CONFIG: Outcome = { class: "config_rejected" };
const FOR_SOME: Outcome = { class: "config_rejected", scope: "unknown" };
const MESSAGE: Outcome = { class: "message_rejected" };
const throttled = (retryAfterMs: number | null): Outcome => ({
  class: "throttled",
  scope: "unknown",
  retryAfterMs,
});
const ambiguous: Outcome = { class: "ambiguous", retryAfterMs: null };
const transient = (retryAfterMs: number | null): Outcome => ({ class: "transient", retryAfterMs });
const waiting = (seconds: string) => ({ "retry-after": seconds });

describe("refusals", () => {
  test.each<[string, string, ReturnType<typeof wire>, Outcome]>([
    ["FCM 400, VAPID", FCM, wire(400, "UnauthorizedRegistration"), FOR_SOME],
    ["FCM 400", FCM, wire(400, "invalid"), MESSAGE],
    [
      "FCM 403",
      FCM,
      wire(403, "the VAPID credentials in the authorization header do not correspond"),
      FOR_SOME,
    ],
    ["FCM 404", FCM, wire(404, "should be /wp/"), GONE],
    ["FCM 410", FCM, wire(410, "push subscription has unsubscribed or expired."), GONE],
    ["FCM 413", FCM, wire(413), MESSAGE],
    ["FCM 429", FCM, wire(429, "", waiting("30")), throttled(30_000)],
    ["FCM 429 without a time", FCM, wire(429), throttled(null)],
    ["Mozilla 400", MOZILLA, wire(400, { code: 400, errno: 110, message: "bad" }), MESSAGE],
    ["Mozilla 401", MOZILLA, wire(401, { code: 401, errno: 109 }), FOR_SOME],
    ["Mozilla 404", MOZILLA, wire(404, { code: 404, errno: 102 }), GONE],
    [
      "Mozilla 410",
      MOZILLA,
      wire(410, { code: 410, errno: 106 }, { "cache-control": "max-age=86400" }),
      GONE,
    ],
    ["Mozilla 413", MOZILLA, wire(413, { code: 413, errno: 104 }), MESSAGE],
    ["Mozilla 429", MOZILLA, wire(429, { code: 429, errno: 201 }, waiting("120")), throttled(120_000)],
    ["Mozilla 500", MOZILLA, wire(500, { code: 500, errno: 999 }), ambiguous],
    ["Mozilla 502", MOZILLA, wire(502, { code: 502, errno: 900 }), ambiguous],
    ["Mozilla 503", MOZILLA, wire(503, { code: 503, errno: 201 }, waiting("120")), transient(120_000)],
    ["Apple 400, key mismatch", APPLE, wire(400, { reason: "VapidPkHashMismatch" }), FOR_SOME],
    ["Apple 403, key mismatch", APPLE, wire(403, { reason: "VapidPkHashMismatch" }), FOR_SOME],
    ["Apple 403, token", APPLE, wire(403, { reason: "BadJwtToken" }), CONFIG],
    ["Apple 400, token", APPLE, wire(400, { reason: "BadJwtToken" }), CONFIG],
    ["Apple 410", APPLE, wire(410, { reason: "Unregistered" }), GONE],
    ["Windows 406", WINDOWS, wire(406, "", waiting("60")), throttled(60_000)],
    ["another's 406", FCM, wire(406), transient(null)],
    ["Windows 410", WINDOWS, wire(410), GONE],
    [
      "Windows 410, our domain",
      WINDOWS,
      wire(410, "", { "x-wns-error-description": "Domain Blocked" }),
      CONFIG,
    ],
    ["Windows 400", WINDOWS, wire(400, "", { "x-wns-error-description": "Ttl value conflicts" }), MESSAGE],
    ["408", FCM, wire(408), ambiguous],
    ["425", FCM, wire(425), ambiguous],
    ["504", FCM, wire(504), ambiguous],
    ["507", FCM, wire(507), ambiguous],
    ["418", FCM, wire(418), transient(null)],
    ["502 with HTML", FCM, wire(502, "<html>"), ambiguous],
  ])("%s", (_, host, answer, outcome) => {
    expect(classifyWebPush(answer, host).outcome).toEqual(outcome);
  });
});

test("code and message are the service's own", () => {
  const mozilla = wire(410, { code: 410, errno: 106, message: "Request did not validate" });
  expect(classifyWebPush(mozilla, MOZILLA)).toMatchObject({
    code: "106",
    message: "Request did not validate",
  });
  expect(classifyWebPush(wire(403, { reason: "BadJwtToken" }), APPLE)).toMatchObject({ code: "BadJwtToken" });
  const windows = wire(400, "", { "x-wns-error-description": "Ttl value conflicts" });
  expect(classifyWebPush(windows, WINDOWS)).toMatchObject({ message: "Ttl value conflicts" });
});
