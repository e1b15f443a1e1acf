import { type Recurrence, readRecurrence, WEEKDAYS, type Weekday, WORKDAYS } from "./recurrence-parts";
import { counted, fill, listOf, type Speech } from "./speech";

/** A rule in a few words: `Every weekday`, `Every 2 weeks on Monday and Friday, until 31 Dec 2027`. */
export function tellRecurrence(recurrence: string, { tag, words }: Speech<"recurrence">): string {
  const rule = readRecurrence(recurrence);
  if (rule === null) return words.recurrence.own;
  const { weekdays, every, onDays } = words.recurrence;
  if (rule.interval === 1 && rule.days.join() === WORKDAYS.join()) {
    return withEnding(weekdays, rule, { tag, words });
  }
  const each = counted(every[rule.frequency], rule.interval, tag);
  const names = WEEKDAYS.filter((day) => rule.days.includes(day)).map((day) => weekdayName(day, tag, "long"));
  const said = names.length === 0 ? each : fill(onDays, { every: each, days: listOf(names, tag) });
  return withEnding(said, rule, { tag, words });
}

function withEnding(
  said: string,
  { count, until }: Recurrence,
  { tag, words: { recurrence } }: Speech<"recurrence">,
): string {
  if (count !== null) return counted(recurrence.count, count, tag, { rule: said });
  if (until === null) return said;
  const day = new Intl.DateTimeFormat(tag, {
    day: "numeric",
    month: "short",
    year: "numeric",
    calendar: "gregory",
    timeZone: "UTC",
  }).format(Date.parse(`${until}T12:00:00Z`));
  return fill(recurrence.until, { rule: said, day });
}

/** A Monday at noon, from which the names of the days are counted. */
const MONDAY_MS = Date.parse("2026-11-30T12:00:00Z");

/** What a day of the week is called in a language. */
export function weekdayName(day: Weekday, tag: string, length: "long" | "short"): string {
  const atMs = MONDAY_MS + WEEKDAYS.indexOf(day) * 24 * 3_600_000;
  return new Intl.DateTimeFormat(tag, { weekday: length, timeZone: "UTC" }).format(atMs);
}
