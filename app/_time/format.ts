import { checkTimeZone } from "../../db/rules/time-zone";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** How people call a zone beside a time: `Berlin` for `Europe/Berlin`. */
export function zoneLabel(timeZone: string): string {
  return timeZone.split("/").at(-1)?.replaceAll("_", " ") ?? timeZone;
}

/**
 * `Thu 24 Dec, 09:00`, as the language of the tag writes it; with the year where it is not that of `nowMs`. A zone that is
 * not known here reads as UTC.
 */
export function shortTime(
  atMs: number,
  timeZone: string,
  nowMs: number,
  tag: string,
  seconds = false,
): string {
  const zone = checkTimeZone("timeZone", timeZone);
  const options = { timeZone: zone.ok ? zone.value : "UTC", calendar: "gregory" };
  const year = (ms: number) => new Intl.DateTimeFormat("en-GB", { ...options, year: "numeric" }).format(ms);
  const text = new Intl.DateTimeFormat(tag, {
    ...options,
    weekday: "short",
    day: "numeric",
    month: "short",
    ...(year(atMs) === year(nowMs) ? {} : { year: "numeric" as const }),
    hour: "2-digit",
    minute: "2-digit",
    ...(seconds ? { second: "2-digit" as const } : {}),
    hourCycle: "h23",
  }).format(atMs);
  return text.replace(/^(\w+), /, "$1 ");
}

/** The time on the clock: `09:00`. */
export function clockTime(atMs: number, timeZone: string, tag: string): string {
  const options = { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone } as const;
  return new Intl.DateTimeFormat(tag, options).format(atMs);
}

/** `in 3 days`, `5 minutes ago`, `now`: rounded to the largest unit that fits. */
export function relativeTime(atMs: number, nowMs: number, tag: string): string {
  const aheadMs = atMs - nowMs;
  const size = Math.abs(aheadMs);
  const format = new Intl.RelativeTimeFormat(tag, { numeric: "auto" });
  if (size < MINUTE_MS) return format.format(0, "second");
  if (size < HOUR_MS) return format.format(Math.round(aheadMs / MINUTE_MS), "minute");
  // Up to two days in hours: 36 hours are tomorrow night, and "2 days" would read as the day after.
  if (size < 2 * DAY_MS) return format.format(Math.round(aheadMs / HOUR_MS), "hour");
  if (size < 60 * DAY_MS) {
    // Counted and never "the day after tomorrow", which is a day of the calendar.
    return new Intl.RelativeTimeFormat(tag, { numeric: "always" }).format(
      Math.round(aheadMs / DAY_MS),
      "day",
    );
  }
  return format.format(Math.round(aheadMs / (30.44 * DAY_MS)), "month");
}
