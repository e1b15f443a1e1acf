import { type Answer, empty, json, text } from "./answer";

/** The push services whose manners a device may have. */
export const PUSH_PROFILES = ["fcm", "mozilla", "apple", "wns"] as const;
export type PushProfile = (typeof PUSH_PROFILES)[number];

/** Everything a push service may object to. */
export type PushRefusal =
  | "ttl_missing"
  | "ttl_conflict"
  | "topic"
  | "urgency"
  | "encoding"
  | "vapid_missing"
  | "vapid_invalid"
  | "vapid_mismatch"
  | "unknown"
  | "gone"
  | "too_large"
  | "throttled"
  | "forbidden"
  | "unavailable"
  | "internal"
  | "bad_request";

/** Bytes of body a service takes: RFC 8030 asks for 4096 at least, WNS documents 5000. */
export function largestBody(profile: PushProfile): number {
  return profile === "wns" ? 5000 : 4096;
}

/** Seconds a service keeps a message at most: longer TTLs are cut without a word. */
export function effectiveTtl(profile: PushProfile, ttlSeconds: number): number {
  const days = profile === "mozilla" ? 30 : 28;
  return Math.min(ttlSeconds, days * 86_400);
}

type Wording = { status: number; errno: number; reason: string; detail: string };

/** Status as in RFC 8030; `errno` is Mozilla's, `reason` Apple's. */
const WORDINGS: Record<PushRefusal, Wording> = {
  ttl_missing: { status: 400, errno: 111, reason: "BadTtl", detail: "Missing or invalid TTL header" },
  ttl_conflict: {
    status: 400,
    errno: 111,
    reason: "BadTtl",
    detail: "Ttl value conflicts with X-WNS-Cache-Policy.",
  },
  topic: { status: 400, errno: 113, reason: "BadWebPushTopic", detail: "Invalid Topic header" },
  urgency: { status: 400, errno: 114, reason: "BadUrgency", detail: "Invalid Urgency header" },
  encoding: { status: 400, errno: 110, reason: "BadContentEncoding", detail: "Invalid encryption headers" },
  vapid_missing: { status: 401, errno: 109, reason: "BadJwtToken", detail: "Missing VAPID authorization" },
  vapid_invalid: { status: 401, errno: 109, reason: "BadJwtToken", detail: "Invalid VAPID authorization" },
  vapid_mismatch: {
    status: 403,
    errno: 109,
    reason: "VapidPkHashMismatch",
    detail:
      "the VAPID credentials in the authorization header do not correspond to the credentials used to create the subscriptions.",
  },
  unknown: { status: 404, errno: 102, reason: "BadPath", detail: "No such subscription" },
  gone: {
    status: 410,
    errno: 103,
    reason: "Unregistered",
    detail: "push subscription has unsubscribed or expired.",
  },
  too_large: { status: 413, errno: 104, reason: "PayloadTooLarge", detail: "Payload too large" },
  throttled: { status: 429, errno: 201, reason: "TooManyRequests", detail: "Too many requests" },
  forbidden: { status: 403, errno: 109, reason: "BadJwtToken", detail: "permission denied" },
  unavailable: { status: 503, errno: 201, reason: "ServiceUnavailable", detail: "Service unavailable" },
  internal: { status: 500, errno: 999, reason: "InternalServerError", detail: "Internal error" },
  bad_request: { status: 400, errno: 101, reason: "BadRequest", detail: "Bad request" },
};

const REFUSAL_BY_STATUS: Record<number, PushRefusal> = {
  401: "vapid_invalid",
  403: "forbidden",
  404: "unknown",
  406: "throttled",
  410: "gone",
  413: "too_large",
  429: "throttled",
  503: "unavailable",
};

/** The refusal a bare status stands for. */
export function refusalOfStatus(status: number): PushRefusal {
  return REFUSAL_BY_STATUS[status] ?? (status >= 500 ? "internal" : "bad_request");
}

/** A refusal in a service's own words. `status` overrides the usual one. */
export function wordPushRefusal(
  profile: PushProfile,
  refusal: PushRefusal,
  headers: Record<string, string> = {},
  status = statusFor(profile, refusal),
): Answer {
  const { errno, reason, detail } = WORDINGS[refusal];
  switch (profile) {
    case "fcm":
      return text(status, refusal === "vapid_invalid" ? "UnauthorizedRegistration" : detail, headers);
    case "mozilla": {
      const moreInfo = "http://autopush.readthedocs.io/en/latest/http.html#error-codes";
      const lasting: Record<string, string> = status === 410 ? { "cache-control": "max-age=86400" } : {};
      const body = {
        code: status,
        errno,
        error: ERROR_WORDS[status] ?? "Error",
        message: detail,
        more_info: moreInfo,
      };
      return json(status, body, { ...lasting, ...headers });
    }
    case "apple":
      return json(status, { reason }, headers);
    case "wns": {
      const own: Record<string, string> = { "x-wns-error-description": detail, "x-wns-status": "dropped" };
      if (refusal === "throttled") own["x-wns-status"] = "channelthrottled";
      return empty(status, { ...own, ...headers });
    }
  }
}

const ERROR_WORDS: Record<number, string> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  410: "Gone",
  413: "Payload Too Large",
  429: "Too Many Requests",
  500: "Internal Server Error",
  503: "Service Unavailable",
};

function statusFor(profile: PushProfile, refusal: PushRefusal): number {
  if (profile === "wns" && refusal === "throttled") return 406;
  if (profile === "apple" && (refusal === "vapid_missing" || refusal === "vapid_invalid")) return 403;
  if (profile === "apple" && refusal === "vapid_mismatch") return 400;
  if (profile === "fcm" && refusal === "vapid_invalid") return 403;
  return WORDINGS[refusal].status;
}

/** The acceptance in a service's own words. WNS may drop a message and still answer 2xx. */
export function wordPushAcceptance(
  profile: PushProfile,
  location: string,
  id: string,
  ttlSeconds: number,
  dropped: boolean,
): Answer {
  const common = { location };
  switch (profile) {
    case "fcm":
      return empty(201, common);
    case "mozilla":
      return empty(201, { ...common, ttl: String(ttlSeconds) });
    case "apple":
      return empty(201, { ...common, "apns-id": id });
    case "wns":
      return empty(201, { ...common, "x-wns-msg-id": id, "x-wns-status": dropped ? "dropped" : "received" });
  }
}
