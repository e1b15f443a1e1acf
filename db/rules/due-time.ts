import { Temporal } from "temporal-polyfill";
import { fieldPath, invalid, ok, type Result } from "./errors";
import { checkTimeZone } from "./time-zone";

export { checkTimeZone, formatWhen, sameTimeZone } from "./time-zone";

/** Accepted forms of a due time in a request: an instant with an offset, or a wall time with its zone. */
export type DueAtInput = string | { local: string; timeZone: string };

/** How a wall time met the clock changes of its zone. `exact` also when an offset decided. */
export type WallTimeResolution = "exact" | "gap_shifted" | "fold_earlier";

/** A due time: the instant, and the wall time and zone from which it is derived again when zone data changes. */
export interface DueTime {
  dueAtMs: number;
  /** Such as `2026-12-24T09:00:00`; with a fraction only when the milliseconds are not zero. */
  wallTime: string;
  /** IANA name, in the spelling that was given. */
  timeZone: string;
  resolution: WallTimeResolution;
}

/**
 * A due time this little in the past is due now: a shopper's clock that is two minutes slow, or a request that was
 * on its way for that long, is no reason to refuse. Anything older was meant for another day and is refused.
 */
export const CLOCK_SKEW_TOLERANCE_MS = 120_000;

/**
 * Farthest due time: five years of at most 366 days. Governments announce zone changes months ahead, so a wall time
 * beyond that is a guess, and a mistyped year (2206) is caught.
 */
export const FARTHEST_DUE_MS = 5 * 366 * 24 * 60 * 60 * 1000;

const DATE = String.raw`\d{4}-\d{2}-\d{2}`;
const TIME = String.raw`(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?`;
const WALL_TIME = new RegExp(`^${DATE}T${TIME}$`);
const INSTANT = new RegExp(`^(${DATE}[Tt]${TIME})(?:[Zz]|([+-])((?:[01]\\d|2[0-3])):([0-5]\\d))$`);
const WITHOUT_OFFSET = new RegExp(`^${DATE}(?:[Tt ]${TIME})?$`);

const ACCEPTED =
  'a date and time with an offset, such as "2026-12-24T09:00:00+01:00", or {"local": "2026-12-24T09:00", "timeZone": "Europe/Berlin"}';
const ACCEPTED_LOCAL = 'a date and time without offset, such as "2026-12-24T09:00"';

type ReadDueAt =
  | { kind: "instant"; atMs: number }
  | { kind: "wall"; wall: Temporal.PlainDateTime; timeZone: string };

/**
 * Checks everything about a due time that needs no clock: its form, that the date exists, the zone, and that the
 * wall time is not skipped by a clock change. Request schemas use it; `resolveDueAt` includes it.
 */
export function checkDueAtForm(field: string, input: unknown): Result<DueAtInput> {
  const read = readDueAt(field, input);
  return read.ok ? ok(input as DueAtInput) : read;
}

/**
 * Turns a due time of a request into an instant and a wall time.
 *
 * - With an offset or `Z` the instant is exact; its wall time is that of `defaultTimeZone` (the subscriber's zone),
 *   or of UTC when there is none.
 * - A wall time with zone: skipped by a clock change → refused, naming the gap and the nearest valid times; happening
 *   twice → the earlier of the two that has not passed.
 * - Without offset and zone → refused: the server's own zone never counts.
 * - Up to two minutes past → due at `nowMs`; earlier, or more than five years ahead → refused, naming the window.
 *
 * @param options.nowMs epoch milliseconds
 * @param options.field how the caller names the value; `dueAt` by default
 */
export function resolveDueAt(
  input: unknown,
  options: { defaultTimeZone?: string; nowMs: number; field?: string },
): Result<DueTime> {
  const field = options.field ?? "dueAt";
  const nowMs = Math.floor(options.nowMs);
  const read = readDueAt(field, input);
  if (!read.ok) return read;

  if (read.value.kind === "wall") {
    const { wall, timeZone } = read.value;
    const { earlierMs, laterMs } = readingsOf(wall, timeZone);
    const earlierHasPassed = earlierMs < nowMs - CLOCK_SKEW_TOLERANCE_MS;
    const dueAtMs = earlierHasPassed ? laterMs : earlierMs;
    const twice = earlierMs !== laterMs;
    return withinWindow(field, input, nowMs, {
      dueAtMs,
      timeZone,
      resolution: twice && !earlierHasPassed ? "fold_earlier" : "exact",
    });
  }

  const zone = checkTimeZone("timeZone", options.defaultTimeZone ?? "UTC");
  if (!zone.ok) return zone;
  return withinWindow(field, input, nowMs, {
    dueAtMs: read.value.atMs,
    timeZone: zone.value,
    resolution: "exact",
  });
}

function withinWindow(
  field: string,
  input: unknown,
  nowMs: number,
  due: Omit<DueTime, "wallTime">,
): Result<DueTime> {
  const latestMs = nowMs + FARTHEST_DUE_MS;
  if (due.dueAtMs < nowMs - CLOCK_SKEW_TOLERANCE_MS || due.dueAtMs > latestMs) {
    const accepted = `a time from now (${isoSecond(nowMs)}) to ${isoSecond(latestMs)}`;
    const why = due.dueAtMs > latestMs ? "is too far ahead" : "has already passed";
    return invalid(field, input, accepted, `${field} ${why}. Accepted: ${accepted}.`);
  }
  if (due.dueAtMs < nowMs) {
    return ok({
      dueAtMs: nowMs,
      wallTime: wallTimeAt(nowMs, due.timeZone),
      timeZone: due.timeZone,
      resolution: "exact",
    });
  }
  return ok({ ...due, wallTime: wallTimeAt(due.dueAtMs, due.timeZone) });
}

function readDueAt(field: string, input: unknown): Result<ReadDueAt> {
  if (typeof input === "string") return readInstant(field, input);
  if (typeof input !== "object" || input === null || Array.isArray(input))
    return invalid(field, input, ACCEPTED);

  const known: Record<string, unknown> = { ...input };
  for (const key of Object.keys(known)) {
    if (key !== "local" && key !== "timeZone")
      return invalid(`${field}.${fieldPath([key])}`, known[key], "left out");
  }
  const timeZone = checkTimeZone(`${field}.timeZone`, known.timeZone);
  if (!timeZone.ok) return timeZone;
  const local = known.local;
  if (typeof local !== "string" || !WALL_TIME.test(local))
    return invalid(`${field}.local`, local, ACCEPTED_LOCAL);
  const wall = wallTimeOf(local);
  if (wall === null) return invalid(`${field}.local`, local, "a date that exists");

  const gap = gapAround(wall, timeZone.value);
  if (gap !== null) {
    const accepted = `a time up to ${gap.lastBefore} or from ${gap.firstAfter}`;
    return invalid(
      `${field}.local`,
      local,
      accepted,
      `${field}.local: ${local} does not exist in ${timeZone.value}: the clocks go forward from ${gap.start} to ${gap.firstAfter}. Nearest times that exist: ${gap.lastBefore} and ${gap.firstAfter}.`,
    );
  }
  return ok({ kind: "wall", wall, timeZone: timeZone.value });
}

function readInstant(field: string, input: string): Result<ReadDueAt> {
  const match = INSTANT.exec(input);
  if (match === null) {
    return WITHOUT_OFFSET.test(input)
      ? invalid(field, input, ACCEPTED, `${field}: offset or zone required. Accepted: ${ACCEPTED}.`)
      : invalid(field, input, ACCEPTED);
  }
  const [, local = "", sign, hours = "0", minutes = "0"] = match;
  const wall = wallTimeOf(local.toUpperCase());
  if (wall === null) return invalid(field, input, "a date that exists");
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === "-" ? -1 : 1);
  return ok({ kind: "instant", atMs: wall.toZonedDateTime("UTC").epochMilliseconds - offsetMs });
}

/** A wall time, or null when no such date exists. Finer than a millisecond is rounded up: never early. */
function wallTimeOf(text: string): Temporal.PlainDateTime | null {
  try {
    return Temporal.PlainDateTime.from(text).round({ smallestUnit: "millisecond", roundingMode: "ceil" });
  } catch {
    return null;
  }
}

/** The instants at which a zone's clock shows a wall time. In a gap: before and after the gap's length was added. */
function readingsOf(wall: Temporal.PlainDateTime, timeZone: string): { earlierMs: number; laterMs: number } {
  return {
    earlierMs: wall.toZonedDateTime(timeZone, { disambiguation: "earlier" }).epochMilliseconds,
    laterMs: wall.toZonedDateTime(timeZone, { disambiguation: "later" }).epochMilliseconds,
  };
}

interface Gap {
  /** What the clock would show at the change, had it not gone forward. */
  start: string;
  lastBefore: string;
  firstAfter: string;
}

function gapAround(wall: Temporal.PlainDateTime, timeZone: string): Gap | null {
  const shifted = wall.toZonedDateTime(timeZone, { disambiguation: "later" });
  if (shifted.toPlainDateTime().equals(wall)) return null;
  // One millisecond on, so that a change at exactly this instant counts as the previous one.
  const change = shifted.add({ milliseconds: 1 }).getTimeZoneTransition("previous") ?? shifted;
  const beforeOffset = change.subtract({ milliseconds: 1 }).offsetNanoseconds;
  const start = change
    .toInstant()
    .toZonedDateTimeISO("UTC")
    .toPlainDateTime()
    .add({ nanoseconds: beforeOffset });
  return {
    start: start.toString({ smallestUnit: "minute" }),
    lastBefore: start.subtract({ minutes: 1 }).toString({ smallestUnit: "minute" }),
    firstAfter: change.toPlainDateTime().toString({ smallestUnit: "minute" }),
  };
}

/**
 * Resolves a stored wall time as calendars do (Temporal's `compatible`): in a gap later by the gap's length, in a
 * fold the earlier reading. For occurrences, whose day must not be lost; a shopper's own entry goes to `resolveDueAt`.
 *
 * @throws RangeError for a wall time or zone that did not come from this module
 */
export function resolveWallTime(
  wallTime: string,
  timeZone: string,
): { dueAtMs: number; resolution: WallTimeResolution } {
  const wall = Temporal.PlainDateTime.from(wallTime);
  const { earlierMs, laterMs } = readingsOf(wall, timeZone);
  const exists = wall.equals(wall.toZonedDateTime(timeZone).toPlainDateTime());
  if (!exists) return { dueAtMs: laterMs, resolution: "gap_shifted" };
  return { dueAtMs: earlierMs, resolution: earlierMs === laterMs ? "exact" : "fold_earlier" };
}

/**
 * The instant of a stored wall time, in epoch milliseconds, for derivation again after a change of zone data.
 * `keepMs`, the instant held until now, wins when the clock shows the wall time at that instant too: so the later
 * reading of a fold, once chosen by an offset, stays chosen.
 *
 * @throws RangeError for a wall time or zone that did not come from this module
 */
export function instantOfWallTime(wallTime: string, timeZone: string, keepMs?: number): number {
  if (keepMs !== undefined && wallTimeAt(keepMs, timeZone) === wallTime) return keepMs;
  return resolveWallTime(wallTime, timeZone).dueAtMs;
}

/** What the clock of a zone shows at an instant: `2026-12-24T09:00:00`, with a fraction only when there is one. */
export function wallTimeAt(atMs: number, timeZone: string): string {
  const wall = zoned(atMs, timeZone).toPlainDateTime();
  return wall.toString({ smallestUnit: wall.millisecond === 0 ? "second" : "millisecond" });
}

function zoned(atMs: number, timeZone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(Math.floor(atMs)).toZonedDateTimeISO(timeZone);
}

/** The epoch second whose wait run opens an occurrence due at `dueAtMs`. */
export function dueSecond(dueAtMs: number): number {
  return Math.floor(dueAtMs / 1000);
}

function isoSecond(atMs: number): string {
  return `${wallTimeAt(Math.floor(atMs / 1000) * 1000, "UTC")}Z`;
}
