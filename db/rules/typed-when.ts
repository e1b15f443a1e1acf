import { casual } from "chrono-node/en";
import { Temporal } from "temporal-polyfill";
import { resolveWallTime, wallTimeAt } from "./due-time";
import { seriesAfter } from "./recurrence";
import { readRecurrence, WEEKDAYS, type Weekday, WORKDAYS, writeRecurrence } from "./recurrence-parts";
import { offsetMsAt } from "./time-zone";

/** What a typed text comes to: a wall time in the zone it was asked for, and a rule when it says "every". */
export type TypedWhen = { ok: true; local: string; repeat: string | null } | { ok: false };

/** A day without a time is nine in the morning: early enough for the day, late enough to be read. */
const USUAL_TIME = "09:00:00";
/** Longer texts are not a time. */
const TYPED_CHARACTERS_MAX = 100;

const NAMES: Record<string, Weekday> = {
  mon: "MO",
  tue: "TU",
  wed: "WE",
  thu: "TH",
  fri: "FR",
  sat: "SA",
  sun: "SU",
};
const UNITS = { day: "DAILY", week: "WEEKLY", month: "MONTHLY", year: "YEARLY" } as const;

/**
 * Reads a time as people type it in English: "next tue 3pm", "in 2 days", "24 dec 9:00", "every weekday at 8", "every 2
 * weeks on friday until 31 dec". Our own grammar takes what repeats, because the library reads "every weekday at 8" as
 * one Tuesday; the library takes the rest. A text of which a part was not understood is refused, never half obeyed.
 */
export function readTypedWhen(typed: string, nowMs: number, timeZone: string): TypedWhen {
  const text = typed.trim().toLowerCase().replace(/\s+/g, " ");
  if (text === "" || text.length > TYPED_CHARACTERS_MAX) return { ok: false };
  const soon = /^in (?:an? |(\d{1,4}) ?)(min|mins|minutes?|h|hours?)$/.exec(text);
  if (soon !== null) {
    const size = soon[2]?.startsWith("h") ? 3_600_000 : 60_000;
    return {
      ok: true,
      local: wallTimeAt(ceilMinute(nowMs + Number(soon[1] ?? 1) * size), timeZone),
      repeat: null,
    };
  }
  return /^(every|daily|weekly|monthly|yearly|weekdays)\b/.test(text)
    ? readSeries(text, nowMs, timeZone)
    : readOnce(text, nowMs, timeZone);
}

function ceilMinute(atMs: number): number {
  return Math.ceil(atMs / 60_000) * 60_000;
}

function readOnce(text: string, nowMs: number, timeZone: string): TypedWhen {
  const local = wallOf(text, nowMs, timeZone);
  return local === null ? { ok: false } : { ok: true, local, repeat: null };
}

/** The wall time of a text without repetition; null when any part of it was not understood. */
function wallOf(text: string, nowMs: number, timeZone: string): string | null {
  // "tomorrow 9" and "fri 8" mean an hour; the library wants to be told.
  const spoken = text.replace(/^(.*[a-z]) (\d{1,2})$/, (all, day: string, hour: string) =>
    /(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*$/.test(day) || / at$/.test(day)
      ? all
      : `${day} at ${hour}`,
  );
  const reference = { instant: new Date(nowMs), timezone: offsetMsAt(nowMs, timeZone) / 60_000 };
  const [found, ...others] = casual.parse(spoken, reference, { forwardDate: true });
  const rest = spoken.replace(found?.text.toLowerCase() ?? "", "").replace(/\b(on|at|the)\b|[,.]/g, "");
  if (found === undefined || others.length > 0 || found.end !== null || rest.trim() !== "") return null;
  const get = (part: Parameters<typeof found.start.get>[0]) =>
    String(found.start.get(part) ?? 0).padStart(2, "0");
  const year = found.start.get("year") ?? 0;
  // Earlier and later years are written otherwise, and nobody means them.
  if (year < 1000 || year > 9999) return null;
  const date = `${year}-${get("month")}-${get("day")}`;
  const timed = found.start.isCertain("hour") || /night|evening|afternoon|noon|morning/.test(spoken);
  const local = `${date}T${timed ? `${get("hour")}:${get("minute")}:00` : USUAL_TIME}`;
  return named(spoken) && !timed ? aheadByWeek(local, nowMs, timeZone) : local;
}

function named(text: string): boolean {
  return Object.keys(NAMES).some((day) => text.startsWith(day));
}

/** A weekday without a time, typed on that day after nine, means the next one. */
function aheadByWeek(local: string, nowMs: number, timeZone: string): string {
  if (resolveWallTime(local, timeZone).dueAtMs > nowMs) return local;
  return Temporal.PlainDateTime.from(local).add({ days: 7 }).toString({ smallestUnit: "second" });
}

function readSeries(text: string, nowMs: number, timeZone: string): TypedWhen {
  const ends = /^(.*?)(?: until (.+)|,? (\d{1,3}) times)?$/.exec(text);
  const [, body = "", untilText, times] = ends ?? [];
  const parts = /^(.*?)(?: at (.+))?$/.exec(body);
  const [, head = "", timeText] = parts ?? [];
  const rule = ruleOf(head);
  const clock = timeText === undefined ? USUAL_TIME : timeOf(timeText, nowMs, timeZone);
  const until = untilText === undefined ? null : dayOf(untilText, nowMs, timeZone);
  if (rule === null || clock === null || (untilText !== undefined && until === null)) {
    return { ok: false };
  }
  const repeat = writeRecurrence({
    ...rule,
    count: times === undefined ? null : Number(times),
    until: until?.slice(0, 10) ?? null,
  });
  // What is further apart or more often than a series may be.
  if (readRecurrence(repeat) === null) return { ok: false };
  const today = wallTimeAt(nowMs, timeZone).slice(0, 10);
  const local = firstAhead(`${today}T${clock}`, rule, nowMs, timeZone);
  return { ok: true, local, repeat };
}

/** The first time of the rule that is still ahead. */
function firstAhead(
  start: string,
  rule: NonNullable<ReturnType<typeof ruleOf>>,
  nowMs: number,
  timeZone: string,
): string {
  const recurrence = writeRecurrence({ ...rule, interval: 1, count: null, until: null });
  const daily = rule.frequency === "WEEKLY" && rule.days.length > 0 ? recurrence : "FREQ=DAILY";
  const candidates = seriesAfter({ recurrence: daily, start, after: null, limit: 2 });
  return candidates.find((wall) => resolveWallTime(wall, timeZone).dueAtMs > nowMs) ?? start;
}

function ruleOf(text: string) {
  const none = { interval: 1, days: [] as Weekday[] };
  if (/^(weekdays|every weekday|every workday)$/.test(text))
    return { frequency: "WEEKLY" as const, interval: 1, days: [...WORKDAYS] };
  if (text === "every weekend")
    return { frequency: "WEEKLY" as const, interval: 1, days: ["SA", "SU"] as Weekday[] };
  const plain = /^(daily|weekly|monthly|yearly)$/.exec(text);
  if (plain !== null) return { ...none, frequency: plain[1]?.toUpperCase() as (typeof UNITS)["day"] };
  const unit = /^every (?:(other|\d{1,2}) )?(day|week|month|year)s?(?: on (.+))?$/.exec(text);
  if (unit !== null) {
    const [, step, name = "day", on] = unit;
    const interval = step === undefined ? 1 : step === "other" ? 2 : Number(step);
    const days = on === undefined ? [] : daysOf(on);
    if (interval < 1 || days === null || (on !== undefined && name !== "week")) return null;
    return { frequency: UNITS[name as keyof typeof UNITS], interval, days };
  }
  const list = /^every (.+)$/.exec(text);
  const days = list === null ? null : daysOf(list[1] ?? "");
  return days === null ? null : { frequency: "WEEKLY" as const, interval: 1, days };
}

function daysOf(text: string): Weekday[] | null {
  const found = text.split(/,| and | & |, and /).map((part) => dayName(part.trim()));
  return found.some((day) => day === null) ? null : WEEKDAYS.filter((day) => found.includes(day));
}

function dayName(text: string): Weekday | null {
  return /^(mon|tues?|wed(nes)?|thu(rs)?|fri|satur|sat|sun)(day)?s?$/.test(text)
    ? (NAMES[text.slice(0, 3)] ?? null)
    : null;
}

function timeOf(text: string, nowMs: number, timeZone: string): string | null {
  return wallOf(`at ${text}`, nowMs, timeZone)?.slice(11) ?? null;
}

function dayOf(text: string, nowMs: number, timeZone: string): string | null {
  return wallOf(text, nowMs, timeZone);
}
