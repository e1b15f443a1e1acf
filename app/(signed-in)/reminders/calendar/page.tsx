import { ChevronLeft, ChevronRight } from "lucide-react";
import type { Metadata } from "next";
import Link from "next/link";
import { type CalendarEntry, readCalendar } from "../../../../db/reminders/calendar";
import { wallTimeAt } from "../../../../db/rules/due-time";
import type { Language } from "../../../../db/rules/languages";
import { WEEKDAYS } from "../../../../db/rules/recurrence-parts";
import { weekdayName } from "../../../../db/rules/recurrence-words";
import { counted, fill } from "../../../../db/rules/speech";
import { readShopper } from "../../../../db/shoppers";
import { requireShopper } from "../../../_auth/session";
import { pageLanguage } from "../../../_language/language";
import { clockTime, zoneLabel } from "../../../_time/format";
import { ButtonLink } from "../../../_ui/button";
import { BackLink, PageHeading } from "../../../_ui/page-parts";
import { type Month, monthOf } from "./month";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await pageLanguage()).words.calendar.title };
}

/** A month of reminders: a grid where there is room, the days that hold something where there is not. */
export default async function CalendarPage({ searchParams }: PageProps<"/reminders/calendar">) {
  const { month: asked } = await searchParams;
  const { subscriberId } = await requireShopper("/reminders/calendar");
  const [language, shopper] = await Promise.all([pageLanguage(), readShopper(subscriberId)]);
  if (shopper === null) throw new Error("Bug! somebody is signed in who does not exist");
  const { timeZone, nowMs } = shopper;
  const { tag, words } = language;
  const month = monthOf(asked, nowMs, timeZone);
  const { entries } = await readCalendar(subscriberId, month.fromMs, month.untilMs);
  const byDay = daysOf(entries, timeZone);
  const today = wallTimeAt(nowMs, timeZone).slice(0, 10);
  const title = new Intl.DateTimeFormat(tag, {
    month: "long",
    year: "numeric",
    calendar: "gregory",
    timeZone: "UTC",
  }).format(Date.parse(`${month.name}-01T12:00:00Z`));
  const shown = { month, byDay, today, timeZone, language };
  return (
    <div className="space-y-6">
      <BackLink href="/reminders">{words.frame.reminders}</BackLink>
      <PageHeading
        title={title}
        actions={
          <nav aria-label={words.calendar.months} className="flex gap-2">
            <ButtonLink
              kind="secondary"
              className="px-3!"
              href={`/reminders/calendar?month=${month.previous}`}
            >
              <ChevronLeft aria-hidden className="size-4 rtl:-scale-x-100" />
              <span className="sr-only">{words.calendar.before}</span>
            </ButtonLink>
            <ButtonLink kind="secondary" href="/reminders/calendar">
              {words.calendar.today}
            </ButtonLink>
            <ButtonLink kind="secondary" className="px-3!" href={`/reminders/calendar?month=${month.next}`}>
              <ChevronRight aria-hidden className="size-4 rtl:-scale-x-100" />
              <span className="sr-only">{words.calendar.after}</span>
            </ButtonLink>
          </nav>
        }
      >
        <p className="text-ink-soft">{fill(words.calendar.timesIn, { zone: zoneLabel(timeZone) })}</p>
      </PageHeading>
      <Grid {...shown} />
      <Days {...shown} />
    </div>
  );
}

function daysOf(entries: readonly CalendarEntry[], timeZone: string): Map<string, CalendarEntry[]> {
  const byDay = new Map<string, CalendarEntry[]>();
  for (const entry of entries) {
    const day = wallTimeAt(entry.dueAtMs, timeZone).slice(0, 10);
    byDay.set(day, [...(byDay.get(day) ?? []), entry]);
  }
  return byDay;
}

interface MonthProps {
  month: Month;
  byDay: Map<string, CalendarEntry[]>;
  today: string;
  timeZone: string;
  language: Language;
}

/** So many fit into a day of the grid; the rest is counted. */
const SHOWN_PER_DAY = 3;

function Grid({ month, byDay, today, timeZone, language }: MonthProps) {
  const { tag, words } = language;
  const numbers = new Intl.NumberFormat(tag);
  return (
    <table className="hidden w-full table-fixed border-collapse overflow-hidden rounded-2xl border border-line bg-surface md:table">
      <caption className="sr-only">{words.calendar.byDay}</caption>
      <thead>
        <tr>
          {WEEKDAYS.map((day) => (
            <th
              key={day}
              scope="col"
              className="border-b border-line px-2 py-2 text-sm font-medium text-ink-soft"
            >
              <abbr title={weekdayName(day, tag, "long")} className="no-underline">
                {weekdayName(day, tag, "short")}
              </abbr>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {month.weeks.map((week) => (
          <tr key={week[0]?.date}>
            {week.map(({ date, day, inMonth }) => {
              const entries = byDay.get(date) ?? [];
              return (
                <td
                  key={date}
                  aria-current={date === today ? "date" : undefined}
                  className={`h-28 border border-line p-1.5 align-top ${inMonth ? "" : "bg-sunken/60"}`}
                >
                  <span
                    className={`inline-flex size-7 items-center justify-center rounded-full text-sm tabular-nums ${date === today ? "bg-accent font-medium text-on-accent" : "text-ink-soft"}`}
                  >
                    {numbers.format(day)}
                  </span>
                  <ul>
                    {entries.slice(0, SHOWN_PER_DAY).map((entry) => (
                      <li key={`${entry.reminderId}${entry.dueAtMs}`}>
                        <EntryLink
                          entry={entry}
                          timeZone={timeZone}
                          language={language}
                          className="px-1 py-0.5 text-[0.8125rem] leading-5 [&>bdi]:truncate"
                        />
                      </li>
                    ))}
                    {entries.length > SHOWN_PER_DAY && (
                      <li className="px-1 text-[0.8125rem] text-ink-soft">
                        {counted(words.calendar.more, entries.length - SHOWN_PER_DAY, tag)}
                      </li>
                    )}
                  </ul>
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Days({ month, byDay, today, timeZone, language }: MonthProps) {
  const { calendar } = language.words;
  const days = month.weeks.flat().filter(({ date, inMonth }) => inMonth && byDay.has(date));
  if (days.length === 0) {
    return <p className="text-ink-soft md:hidden">{calendar.nothing}</p>;
  }
  return (
    <ol className="divide-y divide-line rounded-2xl border border-line bg-surface md:hidden">
      {days.map(({ date }) => (
        <li key={date} className="px-4 py-3">
          <h2 className="text-sm font-medium text-ink-soft">
            {date === today
              ? fill(calendar.dayToday, { day: dayName(date, language.tag) })
              : dayName(date, language.tag)}
          </h2>
          <ul>
            {(byDay.get(date) ?? []).map((entry) => (
              <li key={`${entry.reminderId}${entry.dueAtMs}`}>
                <EntryLink entry={entry} timeZone={timeZone} language={language} className="min-h-11 py-2" />
              </li>
            ))}
          </ul>
        </li>
      ))}
    </ol>
  );
}

function dayName(date: string, tag: string): string {
  return new Intl.DateTimeFormat(tag, {
    weekday: "long",
    day: "numeric",
    month: "short",
    calendar: "gregory",
    timeZone: "UTC",
  }).format(Date.parse(`${date}T12:00:00Z`));
}

function EntryLink({
  entry,
  timeZone,
  language,
  className,
}: {
  entry: CalendarEntry;
  timeZone: string;
  language: Language;
  className: string;
}) {
  return (
    <Link
      href={`/reminders/${entry.reminderId}`}
      prefetch={false}
      className={`flex items-baseline rounded hover:bg-sunken ${entry.past ? "text-ink-soft" : "text-ink"} ${className}`}
    >
      <time dateTime={new Date(entry.dueAtMs).toISOString()} className="me-1.5 shrink-0 font-medium">
        {clockTime(entry.dueAtMs, timeZone, language.tag)}
      </time>
      <bdi className="align-parent min-w-0 break-words">{entry.title}</bdi>
      {entry.past && <span className="sr-only"> {language.words.calendar.past}</span>}
    </Link>
  );
}
