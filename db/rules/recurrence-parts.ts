import { Temporal } from "temporal-polyfill";
import { invalid, ok, type Result } from "./errors";

export const WEEKDAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"] as const;
export type Weekday = (typeof WEEKDAYS)[number];
export const FREQUENCIES = ["DAILY", "WEEKLY", "MONTHLY", "YEARLY"] as const;
export type Frequency = (typeof FREQUENCIES)[number];

/** How a reminder repeats: the subset of RFC 5545 that people mean. */
export interface Recurrence {
  frequency: Frequency;
  /** Every so many days, weeks, months or years. */
  interval: number;
  /** Only for weekly: the days; none means the day of the first. In the order of the week. */
  days: Weekday[];
  /** How often in all; null: no number. */
  count: number | null;
  /** The last day, `YYYY-MM-DD`; null: no last day. */
  until: string | null;
}

/** Monday to Friday. */
export const WORKDAYS: readonly Weekday[] = ["MO", "TU", "WE", "TH", "FR"];

/** Beyond two years of days nobody counts; a series without an end has no number. */
export const COUNT_MAX = 730;

/** The next of a series must stay within the five years of any due time. */
const INTERVAL_MAX: Record<Frequency, number> = { DAILY: 366, WEEKLY: 53, MONTHLY: 60, YEARLY: 5 };

const ACCEPTED =
  "a rule such as FREQ=WEEKLY;BYDAY=MO,WE;COUNT=10, of FREQ (DAILY, WEEKLY, MONTHLY or YEARLY), INTERVAL, BYDAY (with WEEKLY), and COUNT or UNTIL";

/** Checks a rule, with or without `RRULE:`, and returns it in its one spelling. Anything that would be ignored is refused. */
export function checkRecurrence(field: string, value: unknown): Result<string> {
  const read = typeof value === "string" && value.length <= 200 ? readRecurrence(value) : null;
  return read === null ? invalid(field, value, ACCEPTED) : ok(writeRecurrence(read));
}

/** The parts of a rule, or null for text that is not one of ours. */
export function readRecurrence(text: string): Recurrence | null {
  const parts = new Map<string, string>();
  for (const part of text
    .trim()
    .toUpperCase()
    .replace(/^RRULE:/, "")
    .replace(/;$/, "")
    .split(";")) {
    const [name = "", value = "", ...rest] = part.split("=");
    if (value === "" || rest.length > 0 || parts.has(name)) return null;
    parts.set(name, value);
  }
  const frequency = FREQUENCIES.find((known) => known === parts.get("FREQ"));
  const known = ["FREQ", "INTERVAL", "BYDAY", "COUNT", "UNTIL"];
  if (frequency === undefined || [...parts.keys()].some((name) => !known.includes(name))) return null;
  const interval = whole(parts.get("INTERVAL") ?? "1", INTERVAL_MAX[frequency]);
  const count = parts.has("COUNT") ? whole(parts.get("COUNT") ?? "", COUNT_MAX) : null;
  const until = parts.has("UNTIL") ? readUntil(parts.get("UNTIL") ?? "") : null;
  const named = parts.get("BYDAY")?.split(",") ?? [];
  const days = WEEKDAYS.filter((day) => named.includes(day));
  const wrongDays = days.length !== new Set(named).size || (named.length > 0 && frequency !== "WEEKLY");
  const broken =
    interval === null || (parts.has("COUNT") && count === null) || (parts.has("UNTIL") && until === null);
  if (broken || wrongDays || (count !== null && until !== null)) return null;
  return { frequency, interval, days, count, until };
}

/** The one spelling of a rule; the inverse of `readRecurrence`. */
export function writeRecurrence({ frequency, interval, days, count, until }: Recurrence): string {
  return [
    `FREQ=${frequency}`,
    ...(interval === 1 ? [] : [`INTERVAL=${interval}`]),
    ...(days.length === 0 ? [] : [`BYDAY=${days.join(",")}`]),
    ...(count === null ? [] : [`COUNT=${count}`]),
    ...(until === null ? [] : [`UNTIL=${until.replaceAll("-", "")}`]),
  ].join(";");
}

function whole(text: string, max: number): number | null {
  const value = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  return value >= 1 && value <= max ? value : null;
}

/** The day of `20271231`, `2027-12-31` or `20271231T235959Z`: the last day counts whole. */
function readUntil(text: string): string | null {
  const match = /^(\d{4})-?(\d{2})-?(\d{2})(T\d{6}Z?)?$/.exec(text);
  if (match === null) return null;
  try {
    const [, year, month, day] = match;
    return Temporal.PlainDate.from(
      { year: Number(year), month: Number(month), day: Number(day) },
      { overflow: "reject" },
    ).toString();
  } catch {
    return null;
  }
}
