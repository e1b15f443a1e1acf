import { httpDate, type ProviderName } from "./answer";
import { describeFaults, parseFault } from "./faults";

/** What a provider is told to be like. Times are milliseconds unless the name says seconds; null means no limit. */
export type Settings = {
  ratePerSecond: number;
  burst: number;
  /** Calls in flight at once; above it the provider throttles. */
  concurrency: number | null;
  /** Recipients (email) or messages in any 24 hours. */
  dailyQuota: number | null;
  /** The same in any 30 days. */
  monthlyQuota: number | null;
  /** `seconds`, `http-date`, `absent`, or any other text, sent as it stands. */
  retryAfter: string;
  /** Named by a throttle fault; a real throttle names its own wait. */
  retryAfterSeconds: number;
  latencyMs: number;
  fault: string | null;
  /** Before or after the message is recorded as accepted. */
  faultWhen: "before" | "after";
  /** Calls the fault still takes; null until changed. At 0 the fault is over. */
  faultCount: number | null;
  /** Limits the fault to one address, number, endpoint or device id. */
  faultTo: string | null;
  /** How receipts (webhooks, status callbacks) arrive. */
  receipts: "normal" | "twice" | "reversed" | "absent";
  /** Between acceptance and the first receipt, and between receipts. */
  receiptDelayMs: number;
};

export type SettingsProblem = { field: string; accepted: string };

/** Room for a person or a demo in development without meeting the limits; tests and benchmarks set their own. */
const COMMON: Omit<Settings, "ratePerSecond" | "burst"> = {
  concurrency: null,
  dailyQuota: null,
  monthlyQuota: null,
  retryAfter: "seconds",
  retryAfterSeconds: 5,
  latencyMs: 20,
  fault: null,
  faultWhen: "before",
  faultCount: null,
  faultTo: null,
  receipts: "normal",
  receiptDelayMs: 300,
};

/** A provider's settings as long as nobody changed them. */
export function defaultSettings(provider: ProviderName): Settings {
  switch (provider) {
    case "resend":
      return { ...COMMON, ratePerSecond: 50, burst: 10 };
    case "twilio":
      // Twilio publishes no number for its concurrency gate; 100 is what others report.
      return { ...COMMON, ratePerSecond: 50, burst: 10, concurrency: 100 };
    case "push":
      return { ...COMMON, ratePerSecond: 200, burst: 50 };
  }
}

type Rule = {
  accepted: (provider: ProviderName) => string;
  fits: (value: unknown, provider: ProviderName) => boolean;
};

const rule = (accepted: string, fits: Rule["fits"]): Rule => ({ accepted: () => accepted, fits });
const numberWithin = (least: number, most: number) => (value: unknown) =>
  typeof value === "number" && value >= least && value <= most;
const integerWithin = (least: number, most: number) => (value: unknown) =>
  Number.isInteger(value) && numberWithin(least, most)(value);
const orNull = (fits: (value: unknown) => boolean) => (value: unknown) => value === null || fits(value);
const oneOf = (...words: string[]) => rule(words.join(", "), (value) => words.includes(value as string));

/** What may stand in a header value: visible ASCII, Latin-1, space and tab. */
const HEADER_SAFE = /^[\t\x20-\x7e\x80-\xff]*$/;
/** Far above any real provider, far below where arithmetic suffers. */
const MOST = 1_000_000;
/** A day: longer waits are not a provider's latency any more. */
const LONGEST_WAIT_MS = 86_400_000;

const RULES: Record<keyof Settings, Rule> = {
  ratePerSecond: rule(`a number from 0.001 to ${MOST}`, numberWithin(0.001, MOST)),
  burst: rule(`an integer from 1 to ${MOST}`, integerWithin(1, MOST)),
  concurrency: rule(`null or an integer from 1 to ${MOST}`, orNull(integerWithin(1, MOST))),
  dailyQuota: rule("null or an integer from 0", orNull(integerWithin(0, Number.MAX_SAFE_INTEGER))),
  monthlyQuota: rule("null or an integer from 0", orNull(integerWithin(0, Number.MAX_SAFE_INTEGER))),
  retryAfter: rule(
    "seconds, http-date, absent, or a literal header value",
    (value) => typeof value === "string" && HEADER_SAFE.test(value),
  ),
  retryAfterSeconds: rule("an integer from 0 to 31536000", integerWithin(0, 31_536_000)),
  latencyMs: rule(`a number from 0 to ${LONGEST_WAIT_MS}`, numberWithin(0, LONGEST_WAIT_MS)),
  fault: {
    accepted: describeFaults,
    fits: (value, provider) =>
      value === null || (typeof value === "string" && parseFault(provider, value) !== null),
  },
  faultWhen: oneOf("before", "after"),
  faultCount: rule(`null or an integer from 0 to ${MOST}`, orNull(integerWithin(0, MOST))),
  faultTo: rule(
    "null or text",
    orNull((value) => typeof value === "string" && value.length > 0),
  ),
  receipts: oneOf("normal", "twice", "reversed", "absent"),
  receiptDelayMs: rule(`a number from 0 to ${LONGEST_WAIT_MS}`, numberWithin(0, LONGEST_WAIT_MS)),
};

/** The names a settings document may have, in the order of the form. */
export const SETTING_NAMES = Object.keys(RULES) as (keyof Settings)[];

/**
 * Applies a partial change. All of it or, if any field is bad, nothing: then every bad field is named with what it accepts.
 * A new fault without a count lasts until changed; a count of 0 ends the fault.
 */
export function changeSettings(
  provider: ProviderName,
  current: Settings,
  change: unknown,
): { settings: Settings } | { problems: SettingsProblem[] } {
  if (typeof change !== "object" || change === null || Array.isArray(change)) {
    return { problems: [{ field: "(body)", accepted: `an object with any of ${SETTING_NAMES.join(", ")}` }] };
  }
  const problems: SettingsProblem[] = [];
  for (const [field, value] of Object.entries(change)) {
    const known = Object.hasOwn(RULES, field) ? RULES[field as keyof Settings] : null;
    if (!known) problems.push({ field, accepted: `no such field; fields are ${SETTING_NAMES.join(", ")}` });
    else if (!known.fits(value, provider)) problems.push({ field, accepted: known.accepted(provider) });
  }
  if (problems.length > 0) return { problems };
  const settings: Settings = { ...current, ...change };
  if ("fault" in change && !("faultCount" in change)) settings.faultCount = null;
  if (settings.faultCount === 0) settings.fault = null;
  return { settings };
}

/**
 * The `Retry-After` header as the settings want it. A date is whole seconds after the answer's own `Date`, which is cut to
 * whole seconds as well, so that their difference is the wait.
 */
export function retryAfterHeader(settings: Settings, nowMs: number, seconds: number): Record<string, string> {
  switch (settings.retryAfter) {
    case "absent":
      return {};
    case "seconds":
      return { "retry-after": String(seconds) };
    case "http-date":
      return { "retry-after": httpDate(Math.floor(nowMs / 1000) * 1000 + seconds * 1000) };
    default:
      return { "retry-after": settings.retryAfter };
  }
}

/**
 * The `Retry-After` header of a quota refusal. Whether a real one names a wait is documented for neither Resend nor Twilio, so
 * this does only when told to with a literal text.
 */
export function quotaRetryAfterHeader({ retryAfter }: Settings): Record<string, string> {
  if (["seconds", "http-date", "absent"].includes(retryAfter)) return {};
  return { "retry-after": retryAfter };
}
