import { sql } from "drizzle-orm";
import { rows, type Transaction, uuids } from "../connection";
import { insertOccurrences } from "../reminders/occurrence";
import { resolveWallTime, wallTimeAt } from "../rules/due-time";
import type { Channel } from "../rules/outcome";
import { seriesAfter } from "../rules/recurrence";

/** A series as its reminder holds it. */
export interface Series {
  reminderId: string;
  recurrence: string;
  seriesStart: string;
  seriesLast: string;
  timeZone: string;
  channels: Channel[];
  version: number;
}

/** The columns of a series, of `reminders r`. */
export const SERIES = sql`r.id as "reminderId", r.recurrence, r.series_start as "seriesStart", r.series_last as "seriesLast",
    r.time_zone as "timeZone", r.channels, r.version`;

/**
 * Inserts the next element of each series whose element has just been opened, and moves its reminder on to it: in the
 * opening's own transaction, so that no series ever loses its next time. The caller holds the reminders' rows.
 *
 * A series that has an element waiting is left alone: what opened then was snoozed. After an outage every missed element
 * is opened in its turn, and the newer supersedes the older.
 */
export async function advanceSeries(
  tx: Transaction,
  opened: readonly { reminderId: string; dueAtMs: number; repeats: boolean }[],
): Promise<void> {
  const latest = new Map<string, number>();
  for (const row of opened.filter(({ repeats }) => repeats)) {
    latest.set(row.reminderId, Math.max(row.dueAtMs, latest.get(row.reminderId) ?? 0));
  }
  if (latest.size === 0) return;
  const series = await rows<Series>(
    tx,
    sql`select ${SERIES} from reminders r where r.id = any(${uuids([...latest.keys()])}) and r.status = 'active'
        and not exists (select from occurrences o where o.reminder_id = r.id and o.state = 'waiting' and o.origin <> 'snooze')
      order by r.id`,
  );
  await insertNext(
    tx,
    series.map((one) => {
      // An element that was put off beyond the next one takes its place.
      const openedWall = wallTimeAt(latest.get(one.reminderId) ?? 0, one.timeZone);
      const [, after = one.seriesLast] = [openedWall, one.seriesLast].sort();
      return { ...one, after };
    }),
  );
}

/**
 * Inserts the element of each series that follows `after`, where there is one, and stamps it on the reminder. The caller
 * holds the reminders' rows. Returns the reminders that have a next time.
 */
export async function insertNext(
  tx: Transaction,
  series: readonly (Series & { after: string })[],
): Promise<string[]> {
  const next = series.flatMap((one) => {
    const [wallTime] = seriesAfter({
      recurrence: one.recurrence,
      start: one.seriesStart,
      after: one.after,
      limit: 1,
    });
    if (wallTime === undefined) return [];
    const { dueAtMs } = resolveWallTime(wallTime, one.timeZone);
    return [{ ...one, due: { wallTime, timeZone: one.timeZone, dueAtMs } }];
  });
  if (next.length === 0) return [];
  await insertOccurrences(
    tx,
    next.map(({ reminderId, channels, version, due }) => ({
      reminderId,
      channels,
      version,
      due,
      origin: "series" as const,
    })),
  );
  const moved = next.map(({ reminderId, due }) => ({ id: reminderId, ...due }));
  await rows(
    tx,
    sql`update reminders r set wall_time = w."wallTime", series_last = w."wallTime", due_at = from_epoch_ms(w."dueAtMs")
      from jsonb_to_recordset(${JSON.stringify(moved)}::jsonb) as w(id uuid, "wallTime" text, "dueAtMs" float8)
      where r.id = w.id`,
  );
  return next.map(({ reminderId }) => reminderId);
}
