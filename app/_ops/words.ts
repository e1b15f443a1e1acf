import { pathSegment } from "../_shell/path-segment";

/** Words of the console: short, the same on every page. */

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A length of time to two units: `850 ms`, `12.4 s`, `4 min 10 s`, `3 h 20 min`, `2 d 4 h`. */
export function duration(ms: number): string {
  const size = Math.max(0, ms);
  if (size < SECOND_MS) return `${Math.round(size)} ms`;
  if (size < MINUTE_MS) {
    const seconds = size / SECOND_MS;
    return `${seconds < 10 ? seconds.toFixed(1) : Math.floor(seconds)} s`;
  }
  if (size < HOUR_MS) return twoUnits(size, MINUTE_MS, "min", SECOND_MS, "s");
  if (size < DAY_MS) return twoUnits(size, HOUR_MS, "h", MINUTE_MS, "min");
  return twoUnits(size, DAY_MS, "d", HOUR_MS, "h");
}

function twoUnits(ms: number, bigMs: number, big: string, smallMs: number, small: string): string {
  const rest = Math.floor((ms % bigMs) / smallMs);
  return `${Math.floor(ms / bigMs)} ${big}${rest > 0 ? ` ${rest} ${small}` : ""}`;
}

const NUMBER = new Intl.NumberFormat("en");

/** `1,234`; a count that stopped at its limit reads `100,000 or more`. */
export function count(value: number, limit?: number): string {
  return limit !== undefined && value >= limit ? `${NUMBER.format(limit)} or more` : NUMBER.format(value);
}

/** `1 delivery`, `312 deliveries`. */
export function counted(value: number, one: string, many: string, limit?: number): string {
  return value === 1 ? `1 ${one}` : `${count(value, limit)} ${many}`;
}

/** `12.5/s`, without a digit that says nothing. */
export function perSecond(rate: number): string {
  const text = rate < 10 ? rate.toFixed(1).replace(/\.0$/, "") : NUMBER.format(Math.round(rate));
  return `${text}/s`;
}

/** `12 %`; what is there and rounds to nothing reads `under 1 %`. */
export function share(part: number): string {
  if (part > 0 && part < 0.01) return "under 1 %";
  return `${Math.round(part * 100)} %`;
}

/** A name of the ledger as words: `destination_rejected` reads `destination rejected`. */
export function plain(name: string): string {
  return name.replaceAll("_", " ");
}

/** The name of a partition as people say it: the channel, and what tells it from others of the channel. */
export function partitionName(key: string): string {
  const [channel = "", ...rest] = key.split(":");
  const name = { email: "Email", sms: "SMS", push: "Push" }[channel] ?? channel;
  // A Twilio account's id is long and its sender is unique without it.
  return `${name} · ${channel === "sms" ? (rest.at(-1) ?? "") : rest.join(":")}`;
}

/** The address of a partition's page, or of a page below it. */
export function partitionPath(key: string, below = ""): string {
  return `/ops/partitions/${pathSegment(key)}${below === "" ? "" : `/${below}`}`;
}

/** A part of an address as it was before it became one; text that is no such part stays as it is. */
export function fromPath(part: string): string {
  // No name of ours has a NUL in it, and no column takes one.
  return decoded(part).replaceAll("\0", "\ufffd");
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** A query of one page, without what is not asked. */
export function address(path: string, query: Record<string, string | undefined>): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => {
    const [, value] = entry;
    return value !== undefined && value !== "";
  });
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}

export type Query = Record<string, string | string[] | undefined>;

/** One value of a query; of several the first. Without NUL, which no column takes. */
export function one(query: Query, name: string): string | undefined {
  const value = query[name];
  const text = (Array.isArray(value) ? value[0] : value)?.replaceAll("\0", "");
  return text === undefined || text === "" ? undefined : text;
}
