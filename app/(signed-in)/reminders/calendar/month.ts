import { Temporal } from "temporal-polyfill";

/** One month as a calendar shows it: whole weeks, from Monday on. */
export interface Month {
  /** `2026-12`. */
  name: string;
  previous: string;
  next: string;
  fromMs: number;
  untilMs: number;
  weeks: { date: string; day: number; inMonth: boolean }[][];
}

/** The month that an address names, or that of `nowMs`; days begin and end on the clock of the zone. */
export function monthOf(asked: unknown, nowMs: number, timeZone: string): Month {
  const today = Temporal.Instant.fromEpochMilliseconds(Math.floor(nowMs)).toZonedDateTimeISO(timeZone);
  const month = readMonth(asked) ?? today.toPlainDate().toPlainYearMonth();
  const first = month.toPlainDate({ day: 1 });
  const start = first.subtract({ days: first.dayOfWeek - 1 });
  const afterwards = month.add({ months: 1 }).toPlainDate({ day: 1 });
  const weeks: Month["weeks"] = [];
  for (
    let monday = start;
    Temporal.PlainDate.compare(monday, afterwards) < 0;
    monday = monday.add({ days: 7 })
  ) {
    weeks.push(
      Array.from({ length: 7 }, (_, index) => {
        const date = monday.add({ days: index });
        return { date: date.toString(), day: date.day, inMonth: date.month === month.month };
      }),
    );
  }
  const midnight = (date: Temporal.PlainDate) => date.toZonedDateTime(timeZone).epochMilliseconds;
  const end = start.add({ days: weeks.length * 7 });
  return {
    name: month.toString(),
    previous: month.subtract({ months: 1 }).toString(),
    next: month.add({ months: 1 }).toString(),
    fromMs: midnight(start),
    untilMs: midnight(end),
    weeks,
  };
}

/** Within a decade of reminders; an address may name any month. */
function readMonth(asked: unknown): Temporal.PlainYearMonth | null {
  return typeof asked === "string" && /^20\d\d-(0[1-9]|1[0-2])$/.test(asked)
    ? Temporal.PlainYearMonth.from(asked)
    : null;
}
