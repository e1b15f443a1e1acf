import {
  type Recurrence,
  readRecurrence,
  WEEKDAYS,
  type Weekday,
  WORKDAYS,
  writeRecurrence,
} from "../../db/rules/recurrence-parts";

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

export const REPEAT_NAMES: Record<RepeatInput["repeat"], string> = {
  "": "Does not repeat",
  DAILY: "Every day",
  WEEKDAYS: "Every weekday (Monday to Friday)",
  WEEKLY: "Every week",
  MONTHLY: "Every month",
  YEARLY: "Every year",
};

export type RepeatRead = { ok: true; recurrence: string | null } | { ok: false; error: string };

/** Reads how a reminder repeats, in words for the person who filled it in. The same in the browser and on the server. */
export function readRepeat(input: RepeatInput): RepeatRead {
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
  if (rule.until === "") return { ok: false, error: "Choose the last day, or let it go on." };
  const recurrence = writeRecurrence(rule);
  if (readRecurrence(recurrence) !== null) return { ok: true, recurrence };
  return input.ends === "count" && !/^[1-9]\d{0,2}$/.test(input.count)
    ? { ok: false, error: "Say how often: a number from 1 to 730." }
    : { ok: false, error: "Choose a smaller number, and a day that exists." };
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
