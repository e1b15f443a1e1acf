import { type Recurrence, readRecurrence, WEEKDAYS, type Weekday, WORKDAYS } from "./recurrence-parts";

const DAY_NAME: Record<Weekday, string> = {
  MO: "Monday",
  TU: "Tuesday",
  WE: "Wednesday",
  TH: "Thursday",
  FR: "Friday",
  SA: "Saturday",
  SU: "Sunday",
};

const UNIT: Record<Recurrence["frequency"], string> = {
  DAILY: "day",
  WEEKLY: "week",
  MONTHLY: "month",
  YEARLY: "year",
};

/** A rule in a few words: `Every weekday`, `Every 2 weeks on Monday and Friday, until 31 Dec 2027`. */
export function tellRecurrence(recurrence: string): string {
  const rule = readRecurrence(recurrence);
  if (rule === null) return "By a rule of its own";
  const unit = UNIT[rule.frequency];
  const every = rule.interval === 1 ? `Every ${unit}` : `Every ${rule.interval} ${unit}s`;
  return `${rule.interval === 1 && isWorkdays(rule.days) ? "Every weekday" : `${every}${onDays(rule.days)}`}${ending(rule)}`;
}

function isWorkdays(days: readonly Weekday[]): boolean {
  return days.join() === WORKDAYS.join();
}

function onDays(days: readonly Weekday[]): string {
  const names = WEEKDAYS.filter((day) => days.includes(day)).map((day) => DAY_NAME[day]);
  if (names.length === 0) return "";
  const last = names.at(-1) ?? "";
  return ` on ${names.length === 1 ? last : `${names.slice(0, -1).join(", ")} and ${last}`}`;
}

function ending({ count, until }: Recurrence): string {
  if (count !== null) return count === 1 ? ", once" : `, ${count} times`;
  if (until === null) return "";
  const day = new Intl.DateTimeFormat("en-GB", {
    day: "numeric",
    month: "short",
    year: "numeric",
    timeZone: "UTC",
  }).format(Date.parse(`${until}T12:00:00Z`));
  return `, until ${day}`;
}
