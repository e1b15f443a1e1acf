import type { EditReminderBody } from "../rules/api-schemas";
import { type DueAtInput, type DueTime, resolveDueAt, resolveWallTime, wallTimeAt } from "../rules/due-time";
import { invalid, ok, type Result } from "../rules/errors";
import { seriesAfter } from "../rules/recurrence";
import type { ReminderRow } from "./views";

/** A due time, and the series that begins with it; all null for a reminder that comes once. */
export interface SeriesDue extends Pick<DueTime, "dueAtMs" | "wallTime" | "timeZone"> {
  recurrence: string | null;
  seriesStart: string | null;
  seriesLast: string | null;
}

/**
 * The first element of a series at or after `due`: a rule for workdays, set on a Saturday, begins on Monday. A rule of
 * which nothing is left (its last day lies before) is refused.
 */
export function firstOfSeries(
  recurrence: string | null,
  due: Pick<DueTime, "dueAtMs" | "wallTime" | "timeZone">,
): Result<SeriesDue> {
  const { wallTime, timeZone, dueAtMs } = due;
  if (recurrence === null)
    return ok({ wallTime, timeZone, dueAtMs, recurrence, seriesStart: null, seriesLast: null });
  const start = wallTime.slice(0, 19);
  const [first] = seriesAfter({ recurrence, start, after: null, limit: 1 });
  if (first === undefined) return noneLeft(recurrence);
  const at = first === start ? dueAtMs : resolveWallTime(first, timeZone).dueAtMs;
  return ok({ wallTime: first, timeZone, dueAtMs: at, recurrence, seriesStart: start, seriesLast: first });
}

/** The same for a series of which some are over: the first after the wall time `after`. */
export function nextOfSeries(
  series: { recurrence: string; seriesStart: string; timeZone: string },
  after: string,
): Result<SeriesDue> {
  const { recurrence, seriesStart, timeZone } = series;
  const [wallTime] = seriesAfter({ recurrence, start: seriesStart, after, limit: 1 });
  if (wallTime === undefined) return noneLeft(recurrence);
  const { dueAtMs } = resolveWallTime(wallTime, timeZone);
  return ok({ wallTime, timeZone, dueAtMs, recurrence, seriesStart, seriesLast: wallTime });
}

function noneLeft(recurrence: string): Result<never> {
  return invalid("repeat", recurrence, "a rule with a time to come", "repeat: no time of this rule is left.");
}

/** A wall time in the subscriber's zone, whatever zone it came with; an instant stays what it is. */
export function inZone(dueAt: DueAtInput, timeZone: string): DueAtInput {
  return typeof dueAt === "string" ? dueAt : { local: dueAt.local, timeZone };
}

/**
 * When an edited reminder is due, and as which series. A new rule, or a new time for a series, begins the series anew; a
 * rule for a reminder that has come already begins with its first time to come.
 */
export function dueAfterEdit(before: ReminderRow, patch: EditReminderBody, nowMs: number): Result<SeriesDue> {
  const floating = patch.floating ?? before.floating;
  const zone = floating ? before.subscriberTimeZone : before.timeZone;
  const given = patch.dueAt !== undefined && floating ? inZone(patch.dueAt, zone) : patch.dueAt;
  const held = { dueAtMs: before.dueAtMs, wallTime: before.wallTime, timeZone: before.timeZone };
  const due: Result<Pick<DueTime, "dueAtMs" | "wallTime" | "timeZone">> =
    given === undefined ? ok(held) : resolveDueAt(given, { defaultTimeZone: zone, nowMs });
  if (!due.ok) return due;
  const recurrence = patch.repeat === undefined ? before.recurrence : patch.repeat;
  const { seriesStart, seriesLast } = before;
  const sameTime = due.value.dueAtMs === before.dueAtMs && due.value.timeZone === before.timeZone;
  if (recurrence === before.recurrence && sameTime) {
    return ok({ ...due.value, recurrence, seriesStart, seriesLast });
  }
  if (recurrence !== null && due.value.dueAtMs <= nowMs) {
    const { wallTime, timeZone } = due.value;
    const series = { recurrence, seriesStart: wallTime.slice(0, 19), timeZone };
    return nextOfSeries(series, wallTimeAt(nowMs, timeZone));
  }
  return firstOfSeries(recurrence, due.value);
}
