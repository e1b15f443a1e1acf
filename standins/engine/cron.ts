/** A cron expression this engine cannot read; the message names field, value and range. */
export class CronError extends Error {
  override name = "CronError";
}

export type Cron = {
  zone: string;
  minutes: Set<number>;
  hours: Set<number>;
  days: Set<number>;
  months: Set<number>;
  weekdays: Set<number>;
  anyDay: boolean;
  anyWeekday: boolean;
};

const MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
const WEEKDAYS = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];

const SHORTHANDS: Record<string, string> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};

const MINUTE_MS = 60_000;

/** No tick within five years means never (robfig's horizon, which the engine uses): 30 February and the like. */
const HORIZON_MS = 5 * 366 * 86_400_000;

/** Reads "m h dom mon dow", optionally after "TZ=Area/City " (default UTC). Throws {@link CronError}. */
export function parseCron(source: string): Cron {
  const zoned = /^(?:CRON_)?TZ=(\S+)\s+(.*)$/.exec(source.trim());
  const zone = zoned?.[1] ?? "UTC";
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
  } catch {
    throw new CronError(`Cron "${source}": ${zone} is not a time zone this machine knows.`);
  }
  const rest = zoned?.[2] ?? source.trim();
  const fields = (SHORTHANDS[rest] ?? rest).split(/\s+/);
  if (fields.length !== 5) {
    throw new CronError(
      `Cron "${source}": expected 5 fields (minute hour day month weekday), got ${fields.length}.`,
    );
  }
  const [minute, hour, day, month, weekday] = fields as [string, string, string, string, string];
  const weekdays = readField(source, "weekday", weekday, 0, 7, WEEKDAYS);
  if (weekdays.delete(7)) weekdays.add(0);
  return {
    zone,
    minutes: readField(source, "minute", minute, 0, 59),
    hours: readField(source, "hour", hour, 0, 23),
    days: readField(source, "day", day, 1, 31),
    months: readField(source, "month", month, 1, 12, MONTHS, 1),
    weekdays,
    anyDay: /^[*?]/.test(day),
    anyWeekday: /^[*?]/.test(weekday),
  };
}

/** The first tick after `afterMs`, or null if there is none within five years. Ticks fall on whole minutes. */
export function nextTickMs(cron: Cron, afterMs: number): number | null {
  let atMs = Math.floor(afterMs / MINUTE_MS) * MINUTE_MS + MINUTE_MS;
  const endMs = afterMs + HORIZON_MS;
  while (atMs <= endMs) {
    const local = localParts(cron.zone, atMs);
    if (!cron.months.has(local.month) || !dayMatches(cron, local))
      atMs += minutesToNextDay(local) * MINUTE_MS;
    else if (!cron.hours.has(local.hour)) atMs += (60 - local.minute) * MINUTE_MS;
    else if (!cron.minutes.has(local.minute)) atMs += MINUTE_MS;
    else return atMs;
  }
  return null;
}

/**
 * A safe step towards the next local midnight: an hour short of it when far, so that no clock change is jumped over,
 * then hour by hour.
 */
function minutesToNextDay(local: LocalParts): number {
  const remaining = 1440 - (local.hour * 60 + local.minute);
  return remaining > 120 ? remaining - 60 : 60 - local.minute;
}

/** Where both day fields are restricted either may match; an unrestricted one leaves it to the other. */
function dayMatches(cron: Cron, local: LocalParts): boolean {
  const day = cron.days.has(local.day);
  const weekday = cron.weekdays.has(local.weekday);
  return cron.anyDay || cron.anyWeekday ? day && weekday : day || weekday;
}

type LocalParts = { month: number; day: number; weekday: number; hour: number; minute: number };

const formatters = new Map<string, Intl.DateTimeFormat>();

function localParts(zone: string, atMs: number): LocalParts {
  if (zone === "UTC") {
    const date = new Date(atMs);
    return {
      month: date.getUTCMonth() + 1,
      day: date.getUTCDate(),
      weekday: date.getUTCDay(),
      hour: date.getUTCHours(),
      minute: date.getUTCMinutes(),
    };
  }
  let formatter = formatters.get(zone);
  if (!formatter) {
    formatter = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      hourCycle: "h23",
      month: "numeric",
      day: "numeric",
      weekday: "short",
      hour: "numeric",
      minute: "numeric",
    });
    formatters.set(zone, formatter);
  }
  const parts = Object.fromEntries(formatter.formatToParts(atMs).map(({ type, value }) => [type, value]));
  return {
    month: Number(parts.month),
    day: Number(parts.day),
    weekday: WEEKDAYS.indexOf(String(parts.weekday).toUpperCase()),
    hour: Number(parts.hour),
    minute: Number(parts.minute),
  };
}

function readField(
  source: string,
  field: string,
  text: string,
  least: number,
  most: number,
  names: readonly string[] = [],
  firstName = 0,
): Set<number> {
  const refuse = (part: string): never => {
    throw new CronError(
      `Cron "${source}": ${field} "${part}" is not a number, range or step in ${least}–${most}.`,
    );
  };
  const number = (word: string, part: string): number => {
    const named = names.indexOf(word.toUpperCase());
    const value = named >= 0 ? named + firstName : /^\d+$/.test(word) ? Number(word) : refuse(part);
    return value >= least && value <= most ? value : refuse(part);
  };
  const values = new Set<number>();
  for (const part of text.split(",")) {
    const [range = "", step, ...extra] = part.split("/");
    if (extra.length > 0 || (step !== undefined && !/^[1-9]\d*$/.test(step))) refuse(part);
    const [from = "", to, ...more] = range.split("-");
    if (more.length > 0) refuse(part);
    const all = from === "*" || from === "?";
    const first = all ? least : number(from, part);
    const last =
      to !== undefined ? number(to, part) : all ? (field === "weekday" ? 6 : most) : step ? most : first;
    if (first > last) refuse(part);
    for (let value = first; value <= last; value += Number(step ?? 1)) values.add(value);
  }
  return values;
}
