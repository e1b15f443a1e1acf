import { Temporal } from "temporal-polyfill";
import { invalid, ok, type Result } from "./errors";

/** RFC 3339 with an offset: one without would be read in somebody's zone, and nobody says whose. */
const INSTANT = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?([Zz]|[+-]\d{2}:\d{2})$/;

const ACCEPTED = 'a date and time with an offset, such as "2026-12-24T09:00:00+01:00"';

/** The years that both ends of a conversation can mean; the database and every format hold them. */
const FIRST_MS = Date.UTC(2000, 0, 1);
const LAST_MS = Date.UTC(2100, 0, 1);

/** Checks an instant with an offset and returns epoch milliseconds. Dates that do not exist are refused, not rolled over. */
export function checkInstant(field: string, value: unknown): Result<number> {
  if (typeof value !== "string" || !INSTANT.test(value)) return invalid(field, value, ACCEPTED);
  const ms = readInstantMs(value);
  return ms === null || ms < FIRST_MS || ms >= LAST_MS ? invalid(field, value, ACCEPTED) : ok(ms);
}

function readInstantMs(value: string): number | null {
  try {
    return Temporal.Instant.from(value.toUpperCase()).epochMilliseconds;
  } catch {
    return null;
  }
}

/** Checks a calendar date such as `2026-12-24` that exists. */
export function checkDate(field: string, value: unknown): Result<string> {
  const accepted = 'a date, such as "2026-12-24"';
  if (typeof value !== "string" || !/^20\d{2}-\d{2}-\d{2}$/.test(value))
    return invalid(field, value, accepted);
  try {
    return ok(Temporal.PlainDate.from(value, { overflow: "reject" }).toString());
  } catch {
    return invalid(field, value, accepted);
  }
}
