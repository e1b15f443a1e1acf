import { sql } from "drizzle-orm";
import { alone, at } from "../connection";
import type { Channel } from "../rules/outcome";

/** An occurrence whose time has come, with what rendering needs. */
export interface DueOccurrence {
  occurrenceId: string;
  version: number;
  channels: Channel[];
  dueAtMs: number;
  timeZone: string;
  locale: string;
  title: string;
  note: string | null;
  url: string | null;
  reminderId: string;
  /** Where the shop says whether the thing still makes sense; null: nobody is asked. */
  checkUrl: string | null;
}

/**
 * Occurrences that wait and are due in [fromMs, untilMs), with what rendering needs, oldest first. The same read serves
 * one due second and the sweep's overdue ones.
 */
export async function readDue(input: {
  fromMs: number;
  untilMs: number;
  limit: number;
}): Promise<DueOccurrence[]> {
  return alone<DueOccurrence>(
    sql`select o.id as "occurrenceId", o.version, o.channels, epoch_ms(o.due_at) as "dueAtMs", o.time_zone as "timeZone",
          s.locale, r.title, r.note, r.url, r.id as "reminderId", r.check_url as "checkUrl"
        from occurrences o join reminders r on r.id = o.reminder_id join subscribers s on s.id = r.subscriber_id
        where o.state = 'waiting' and o.due_at >= ${at(input.fromMs)} and o.due_at < ${at(input.untilMs)}
        order by o.due_at, o.id limit ${input.limit}`,
  );
}
