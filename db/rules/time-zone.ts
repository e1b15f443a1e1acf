import { Temporal } from "temporal-polyfill";
import { invalid, ok, type Result } from "./errors";

const ACCEPTED = 'an IANA time zone name, such as "Europe/Berlin"';
/** Twice the longest IANA name (32 characters): nothing longer needs to be looked up. */
const ZONE_NAME_MAX_CHARACTERS = 64;
/** A name starts with a letter: this leaves out offsets, and the ISO strings that Temporal would read a zone from. */
const ZONE_NAME = /^[A-Za-z][A-Za-z0-9_+-]*(?:\/[A-Za-z0-9_+-]+)*$/;
/** Names that ICU knows but the IANA database, and so Postgres, does not. */
const NOT_IANA = /^(?:SystemV\/.*|US\/Pacific-New)$/i;

/**
 * Checks an IANA time zone name and returns it in canonical upper and lower case (`europe/paris` → `Europe/Paris`).
 * Renamed and aliased zones keep the spelling that was given (`Europe/Kyiv` and `Europe/Kiev` are both accepted);
 * compare two of them with `sameTimeZone`. Offsets (`+05:45`) are refused: they have no summer time.
 */
export function checkTimeZone(field: string, value: unknown): Result<string> {
  if (typeof value !== "string" || value.length > ZONE_NAME_MAX_CHARACTERS)
    return invalid(field, value, ACCEPTED);
  if (!ZONE_NAME.test(value) || NOT_IANA.test(value)) return invalid(field, value, ACCEPTED);
  try {
    return ok(epoch.toZonedDateTimeISO(value).timeZoneId);
  } catch {
    return invalid(field, value, ACCEPTED);
  }
}

const epoch = Temporal.Instant.fromEpochMilliseconds(0);

/** Whether two accepted names mean one zone, whatever their spelling (`Asia/Katmandu`, `Asia/Kathmandu`). */
export function sameTimeZone(one: string, other: string): boolean {
  return epoch.toZonedDateTimeISO(one).equals(epoch.toZonedDateTimeISO(other));
}

/** How far ahead of UTC a zone's clock is at an instant, in milliseconds. Throws a RangeError for an unknown zone. */
export function offsetMsAt(atMs: number, timeZone: string): number {
  const at = Temporal.Instant.fromEpochMilliseconds(Math.floor(atMs));
  return at.toZonedDateTimeISO(timeZone).offsetNanoseconds / 1_000_000;
}

/**
 * An instant for people, with the zone it is told in: `Thu 24 Dec 2026, 09:00 (Europe/Berlin, GMT+1)`. The offset
 * tells the two readings of a fold apart. Plain spaces only, so that it does not turn an SMS into UCS-2.
 *
 * Never throws: an unknown locale reads as English, a zone this machine does not know as UTC, and says so.
 */
export function formatWhen(atMs: number, timeZone: string, locale: string): string {
  const zone = checkTimeZone("timeZone", timeZone);
  const zoneName = zone.ok ? zone.value : "UTC";
  const offset = offsetName(offsetMsAt(atMs, zoneName));
  return `${formatLocal(atMs, zoneName, locale)} (${zoneName}, ${offset})`;
}

function formatLocal(atMs: number, timeZone: string, locale: string): string {
  const [known = "en"] = supportedLocales(locale);
  const english = /^en\b/i.test(known);
  const text = new Intl.DateTimeFormat(english ? "en-GB" : known, {
    weekday: "short",
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    calendar: "gregory",
    timeZone,
  }).format(atMs);
  const plain = text.replace(/[\u00a0\u202f]/g, " ");
  return english ? plain.replace(",", "") : plain;
}

function supportedLocales(locale: string): string[] {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(locale);
  } catch {
    return [];
  }
}

/** `GMT`, `GMT+1`, `GMT-3:30`: the form of CLDR's short offset, with an ASCII minus for SMS. */
function offsetName(offsetMs: number): string {
  const minutes = Math.abs(Math.round(offsetMs / 60_000));
  if (minutes === 0) return "GMT";
  const rest = minutes % 60 === 0 ? "" : `:${String(minutes % 60).padStart(2, "0")}`;
  return `GMT${offsetMs < 0 ? "-" : "+"}${Math.floor(minutes / 60)}${rest}`;
}
