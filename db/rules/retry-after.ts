/**
 * The longest duration that is passed on: 1000 years. A due time that far ahead is still a date with a four-digit
 * year, which JavaScript, JSON and Postgres all read; it is no policy (that is `RETRY_AFTER_NOTICE_MS`).
 */
export const RETRY_AFTER_MS_MAX = 1000 * 365.25 * 24 * 3600 * 1000;

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** `Sun, 06 Nov 1994 08:49:37 GMT`, the form that servers must send. */
const IMF_FIXDATE = /^[A-Z][a-z]{2}, (\d{2}) ([A-Z][a-z]{2}) (\d{4}) (\d{2}):(\d{2}):(\d{2}) GMT$/;
/** `Sunday, 06-Nov-94 08:49:37 GMT`, obsolete, with a two-digit year. */
const RFC_850_DATE = /^[A-Z][a-z]{5,8}, (\d{2})-([A-Z][a-z]{2})-(\d{2}) (\d{2}):(\d{2}):(\d{2}) GMT$/;
/** `Sun Nov  6 08:49:37 1994`, obsolete, from C. */
const ASCTIME_DATE = /^[A-Z][a-z]{2} ([A-Z][a-z]{2}) ([ \d]\d) (\d{2}):(\d{2}):(\d{2}) (\d{4})$/;

const WEEKDAY = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*$/;

/**
 * Reads an HTTP-date (RFC 9110 section 5.6.7) in any of its three forms, as epoch milliseconds; null for anything
 * else, impossible dates included. A two-digit year means the century that lies at most 50 years after `nearMs`.
 */
export function parseHttpDate(raw: string | null, nearMs: number): number | null {
  if (raw === null) return null;
  const text = raw.trim();
  const fixed = IMF_FIXDATE.exec(text);
  if (fixed) return instant(fixed[3], fixed[2], fixed[1], fixed[4], fixed[5], fixed[6]);
  const asctime = ASCTIME_DATE.exec(text);
  if (asctime) return instant(asctime[6], asctime[1], asctime[2], asctime[3], asctime[4], asctime[5]);
  const obsolete = RFC_850_DATE.exec(text);
  if (obsolete === null) return null;
  const nearYear = new Date(nearMs).getUTCFullYear();
  const sameCentury = nearYear - (nearYear % 100) + Number(obsolete[3]);
  const year = sameCentury > nearYear + 50 ? sameCentury - 100 : sameCentury;
  return instant(String(year), obsolete[2], obsolete[1], obsolete[4], obsolete[5], obsolete[6]);
}

/**
 * How long the provider asks to wait, in milliseconds (RFC 9110 section 10.2.3).
 *
 * Takes digits only as seconds, and an HTTP-date minus the answer's own `Date` (`responseDateMs`): our clock plays no
 * part, so without that header a date says nothing. A repeated header arrives joined by commas: the longest valid
 * member counts. Zero, negative seconds and a past date give 0, which callers treat like no time at all; anything else
 * (`soon`, `60s`, `1e3`, `0x10`, the empty string) gives null. Never shorter than what was asked.
 */
export function parseRetryAfter(raw: string | null, responseDateMs: number | null): number | null {
  if (raw === null) return null;
  let longestMs: number | null = null;
  for (const member of members(raw)) {
    const memberMs = memberToMs(member, responseDateMs);
    if (memberMs !== null && (longestMs === null || memberMs > longestMs)) longestMs = memberMs;
  }
  return longestMs;
}

/** Splits a joined header at its commas, except the one that follows the weekday inside a date. */
function members(raw: string): string[] {
  const parts = raw.split(",").map((part) => part.trim());
  const found: string[] = [];
  for (let index = 0; index < parts.length; index += 1) {
    const part = parts[index] ?? "";
    const next = parts[index + 1];
    if (WEEKDAY.test(part) && next !== undefined) {
      found.push(`${part}, ${next}`);
      index += 1;
    } else {
      found.push(part);
    }
  }
  return found;
}

function memberToMs(member: string, responseDateMs: number | null): number | null {
  if (/^\d+$/.test(member)) return Math.min(Number(member) * 1000, RETRY_AFTER_MS_MAX);
  if (/^-\d+$/.test(member)) return 0;
  if (responseDateMs === null || !Number.isFinite(responseDateMs)) return null;
  const atMs = parseHttpDate(member, responseDateMs);
  return atMs === null ? null : Math.min(Math.max(0, atMs - responseDateMs), RETRY_AFTER_MS_MAX);
}

type Digits = string | undefined;

function instant(
  year: Digits,
  month: Digits,
  day: Digits,
  hour: Digits,
  minute: Digits,
  second: Digits,
): number | null {
  const monthIndex = MONTHS.indexOf(month ?? "");
  const numbers = [year, day, hour, minute, second].map(Number);
  const [y = 0, d = 0, h = 0, m = 0, s = 0] = numbers;
  // The grammar allows 60 for a leap second; `Date` moves it to the next minute.
  if (monthIndex < 0 || h > 23 || m > 59 || s > 60) return null;
  const date = new Date(0);
  date.setUTCFullYear(y, monthIndex, d);
  if (date.getUTCMonth() !== monthIndex || date.getUTCDate() !== d) return null;
  return date.setUTCHours(h, m, s, 0);
}
