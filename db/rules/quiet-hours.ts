import { invalid, ok, type Result } from "./errors";
import { checkTimeZone, offsetMsAt } from "./time-zone";

/** A daily window of wall times, in the subscriber's zone. `end` before `start` means across midnight. */
export interface QuietHours {
  /** First quiet minute, `HH:MM`. */
  start: string;
  /** First minute that is not quiet any more, `HH:MM`. */
  end: string;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const CLOCK_TIME = /^([01]\d|2[0-3]):([0-5]\d)(?::00)?$/;

/** Checks a time of day, `HH:MM` on a 24-hour clock. */
export function checkClockTime(field: string, value: unknown): Result<string> {
  if (typeof value !== "string" || !CLOCK_TIME.test(value)) {
    return invalid(field, value, 'a time of day from "00:00" to "23:59"');
  }
  return ok(value.slice(0, 5));
}

/**
 * When the quiet hours that hold at `nowMs` end, in epoch milliseconds; null when it is not quiet.
 *
 * The rule is what the clock on the wall shows: an instant is quiet when its local time is in [start, end). The
 * result is the first instant after `nowMs` that is not quiet, so it follows clock changes by itself: an end inside a
 * spring gap comes at the change, and an hour that repeats in autumn is quiet each time the clock shows it. Equal
 * times mean no quiet hours, and so do a malformed time and an unknown zone: values go through `checkClockTime` and
 * `checkTimeZone` before they are stored. Never throws.
 *
 * @param input.start first quiet minute, `22:00`
 * @param input.end first minute that is not quiet, `08:00`
 */
export function quietUntilMs(input: { nowMs: number; timeZone: string } & QuietHours): number | null {
  const startMs = clockTimeMs(input.start);
  const endMs = clockTimeMs(input.end);
  if (startMs === null || endMs === null || startMs === endMs) return null;
  const zone = checkTimeZone("timeZone", input.timeZone);
  if (!zone.ok || !Number.isFinite(input.nowMs)) return null;

  const nowMs = Math.floor(input.nowMs);
  let atMs = nowMs;
  // Between two clock changes the end is plain arithmetic. More than a few changes in one night do not exist.
  for (let changes = 0; changes < 4; changes += 1) {
    const offsetMs = offsetMsAt(atMs, zone.value);
    const localMs = modulo(atMs + offsetMs, DAY_MS);
    if (!isWithin(localMs, startMs, endMs)) return atMs === nowMs ? null : atMs;
    const endAtMs = atMs + modulo(endMs - localMs, DAY_MS);
    const changeAtMs = firstOffsetChange(atMs, endAtMs, offsetMs, zone.value);
    if (changeAtMs === null) return endAtMs;
    atMs = changeAtMs;
  }
  return atMs;
}

function isWithin(localMs: number, startMs: number, endMs: number): boolean {
  return startMs < endMs ? localMs >= startMs && localMs < endMs : localMs >= startMs || localMs < endMs;
}

/** The first instant in (fromMs, toMs] with another offset than at `fromMs`, by bisection; null when there is none. */
function firstOffsetChange(fromMs: number, toMs: number, offsetMs: number, timeZone: string): number | null {
  if (offsetMsAt(toMs, timeZone) === offsetMs) return null;
  let sameMs = fromMs;
  let otherMs = toMs;
  while (otherMs - sameMs > 1) {
    const middleMs = Math.floor((sameMs + otherMs) / 2);
    if (offsetMsAt(middleMs, timeZone) === offsetMs) sameMs = middleMs;
    else otherMs = middleMs;
  }
  return otherMs;
}

function clockTimeMs(text: string): number | null {
  const match = CLOCK_TIME.exec(text);
  return match === null ? null : (Number(match[1]) * 60 + Number(match[2])) * 60_000;
}

function modulo(value: number, by: number): number {
  return ((value % by) + by) % by;
}
