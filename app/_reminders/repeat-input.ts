import {
  type Recurrence,
  readRecurrence,
  WEEKDAYS,
  type Weekday,
  WORKDAYS,
  writeRecurrence,
} from "../../db/rules/recurrence-parts";
import type { Words } from "../../db/rules/speech";

/** How a reminder repeats, as its form has it. */
export interface RepeatInput {
  /** Empty: it does not. */
  repeat: "" | "DAILY" | "WEEKDAYS" | "WEEKLY" | "MONTHLY" | "YEARLY";
  interval: string;
  /** Days of a weekly one, as `MO,WE`; empty: the day of the date. */
  days: string;
  ends: "never" | "until" | "count";
  until: string;
  count: string;
}

export const NO_REPEAT: RepeatInput = {
  repeat: "",
  interval: "1",
  days: "",
  ends: "never",
  until: "",
  count: "10",
};

/** In the order in which they are offered. */
export const REPEATS: readonly RepeatInput["repeat"][] = [
  "",
  "DAILY",
  "WEEKDAYS",
  "WEEKLY",
  "MONTHLY",
  "YEARLY",
];

export type RepeatRead = { ok: true; recurrence: string | null } | { ok: false; error: string };

/** Reads how a reminder repeats, in words for the person who filled it in. The same in the browser and on the server. */
export function readRepeat(input: RepeatInput, words: Words["repeat"]): RepeatRead {
  if (input.repeat === "") return { ok: true, recurrence: null };
  const workdays = input.repeat === "WEEKDAYS";
  const frequency = input.repeat === "WEEKDAYS" ? "WEEKLY" : input.repeat;
  const days = workdays ? [...WORKDAYS] : frequency === "WEEKLY" ? daysOf(input.days) : [];
  const rule: Recurrence = {
    frequency,
    interval: workdays ? 1 : Number(input.interval || "1"),
    days,
    count: input.ends === "count" ? Number(input.count) : null,
    until: input.ends === "until" ? input.until : null,
  };
  if (rule.until === "") return { ok: false, error: words.chooseLastDay };
  const recurrence = writeRecurrence(rule);
  if (readRecurrence(recurrence) !== null) return { ok: true, recurrence };
  return input.ends === "count" && !/^[1-9]\d{0,2}$/.test(input.count)
    ? { ok: false, error: words.sayHowOften }
    : { ok: false, error: words.smaller };
}

/** The fields that show a rule. */
export function fieldsOfRepeat(recurrence: string | null): RepeatInput {
  const rule = recurrence === null ? null : readRecurrence(recurrence);
  if (rule === null) return NO_REPEAT;
  const workdays = rule.interval === 1 && rule.days.join() === WORKDAYS.join();
  return {
    repeat: workdays ? "WEEKDAYS" : rule.frequency,
    interval: String(rule.interval),
    days: workdays ? "" : rule.days.join(","),
    ends: rule.count !== null ? "count" : rule.until !== null ? "until" : "never",
    until: rule.until ?? "",
    count: String(rule.count ?? 10),
  };
}

function daysOf(text: string): Weekday[] {
  const named = text.split(",");
  return WEEKDAYS.filter((day) => named.includes(day));
}
