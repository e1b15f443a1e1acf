import { sql } from "drizzle-orm";
import { at, ledgerNowMs, rows, transact } from "../connection";
import { resolveWallTime, wallTimeAt } from "../rules/due-time";
import { seriesAfter } from "../rules/recurrence";
import type { ReminderStatus } from "./views";

/** One time in a calendar: an occurrence, or one of a series that has no occurrence yet. */
export interface CalendarEntry {
  reminderId: string;
  title: string;
  dueAtMs: number;
  status: ReminderStatus;
  /** It has come. */
  past: boolean;
}

/** A month of one person holds so many; what is beyond is in the list. */
const ENTRIES_MAX = 500;
/** A series has at most one time a day. */
const DAYS_MAX = 31;

/** What a person's calendar holds in [fromMs, untilMs): occurrences as they are, and the times that series will have. */
export async function readCalendar(
  subscriberId: string,
  fromMs: number,
  untilMs: number,
): Promise<{ entries: CalendarEntry[]; nowMs: number }> {
  return transact(async (tx) => {
    const nowMs = await ledgerNowMs(tx);
    const entries = await rows<CalendarEntry>(
      tx,
      sql`select r.id as "reminderId", r.title, epoch_ms(o.due_at) as "dueAtMs", r.status, o.state <> 'waiting' as past
        from occurrences o join reminders r on r.id = o.reminder_id
        where r.subscriber_id = ${subscriberId}::uuid and o.state in ('waiting', 'opened', 'missed')
          and o.due_at >= ${at(fromMs)} and o.due_at < ${at(untilMs)}
        order by o.due_at limit ${ENTRIES_MAX}`,
    );
    const series = await rows<{
      reminderId: string;
      title: string;
      recurrence: string;
      seriesStart: string;
      seriesLast: string;
      timeZone: string;
    }>(
      tx,
      sql`select r.id as "reminderId", r.title, r.recurrence, r.series_start as "seriesStart", r.series_last as "seriesLast",
          r.time_zone as "timeZone"
        from reminders r where r.subscriber_id = ${subscriberId}::uuid and r.status = 'active' and r.recurrence is not null
        limit ${ENTRIES_MAX}`,
    );
    const ahead = series.flatMap(({ reminderId, title, recurrence, seriesStart, seriesLast, timeZone }) => {
      // A day before the month, so that a zone ahead of the reader's misses nothing.
      const [, after = seriesLast] = [wallTimeAt(fromMs - 86_400_000, timeZone), seriesLast].sort();
      return seriesAfter({ recurrence, start: seriesStart, after, limit: DAYS_MAX + 2 })
        .map((wall) => resolveWallTime(wall, timeZone).dueAtMs)
        .filter((dueAtMs) => dueAtMs >= fromMs && dueAtMs < untilMs)
        .map((dueAtMs) => ({ reminderId, title, dueAtMs, status: "active" as const, past: false }));
    });
    const all = [...entries, ...ahead].sort((one, other) => one.dueAtMs - other.dueAtMs);
    return { entries: all.slice(0, ENTRIES_MAX), nowMs };
  });
}
