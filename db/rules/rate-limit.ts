/** A limit on what somebody may ask for: so many at once, and one more each so often. */
export interface RateLimit {
  /** Turns that may be taken at once. */
  burst: number;
  /** After so long one more turn is there. */
  everyMs: number;
}

/** What asking for turns came to; refused, nothing is taken. */
export type Turn = { allowed: true; takenUntilMs: number } | { allowed: false; retryAfterSeconds: number };

/**
 * Takes `turns` at once, or none: the generic cell rate algorithm with one instant of memory, as the meter has. A subject
 * is `takenUntilMs` ahead of now by one `everyMs` per turn, and never more than `burst` of them. Null: nobody has asked.
 */
export function takeTurns(
  limit: RateLimit,
  input: { takenUntilMs: number | null; nowMs: number; turns: number },
): Turn {
  const { nowMs, turns } = input;
  const next = Math.max(input.takenUntilMs ?? nowMs, nowMs) + turns * limit.everyMs;
  const waitMs = next - nowMs - limit.burst * limit.everyMs;
  if (waitMs <= 0) return { allowed: true, takenUntilMs: next };
  return { allowed: false, retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)) };
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/**
 * The limits of this app. Those of sign-in stand beside the five codes in ten minutes that one person may ask for; those of
 * phone codes are against SMS pumping, where somebody earns from each text that we pay for.
 */
export const RATE_LIMITS = {
  /** Codes to one address, whoever asks: a mailbox is not filled by strangers. */
  signInAddress: { burst: 10, everyMs: 6 * MINUTE_MS },
  /** Codes for one visitor: an office behind one address signs in on a Monday morning. */
  signInVisitor: { burst: 60, everyMs: 10 * SECOND_MS },
  /** Guesses by one visitor, over all addresses: a code alone allows five. */
  guessVisitor: { burst: 60, everyMs: 10 * SECOND_MS },
  /** Codes to one number, from whatever account: a person mistypes once or twice. */
  phoneNumber: { burst: 3, everyMs: 20 * MINUTE_MS },
  /** Codes that one account may ask for, to whatever numbers: nobody has ten new phones a day. */
  phoneAccount: { burst: 10, everyMs: DAY_MS / 10 },
  /** Codes by text for one visitor, from whatever accounts: so that a few of them do not use up a country's. */
  phoneVisitor: { burst: 20, everyMs: HOUR_MS / 4 },
  /** Codes to numbers of one country calling code, by everybody together. */
  phoneCountry: { burst: 100, everyMs: HOUR_MS / 100 },
  /** Requests of one API key: what two small processes of this app answer with ease (`npm run bench -- create`). */
  apiKey: { burst: 1_000, everyMs: SECOND_MS / 500 },
} as const satisfies Record<string, RateLimit>;

export type RateLimitName = keyof typeof RATE_LIMITS;

/** Groups of an IPv6 address that name a household or an office; the rest is chosen by the device. */
const IPV6_NETWORK_GROUPS = 4;

/**
 * Who asks, by the address that the last of `hops` trusted proxies saw (`X-Forwarded-For`, read from its end: what stands
 * before it is the visitor's own claim). An IPv6 visitor is a network of 64 bits. Without the header everybody is one.
 * Some proxies add the visitor's port, which is another one for each connection.
 */
export function visitorOf(forwardedFor: string | null, hops: number): string {
  const address = withoutPort((forwardedFor ?? "").split(",").at(-hops)?.trim().toLowerCase() ?? "");
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!address.includes(":")) return address.slice(0, 64);
  const [head = "", tail] = address.split("::");
  const groups = head.split(":").filter((group) => group !== "");
  const missing = tail === undefined ? 0 : 8 - groups.length - tail.split(":").length;
  return [...groups, ...Array<string>(Math.max(0, missing)).fill("0"), ...(tail ?? "").split(":")]
    .slice(0, IPV6_NETWORK_GROUPS)
    .map((group) => group.replace(/^0+(?=.)/, ""))
    .join(":");
}

/** `203.0.113.7:5000` and `[2001:db8::1]:5000` without brackets and port. */
function withoutPort(address: string): string {
  return (
    /^\[([^\]]*)\](:\d+)?$/.exec(address)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(address)?.[1] ?? address
  );
}
