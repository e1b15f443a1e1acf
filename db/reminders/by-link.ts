import { sql } from "drizzle-orm";
import { ledgerNowMs, rows, transact } from "../connection";
import { isId } from "../rules/id";
import { type ReminderView, selectReminders, toView } from "./views";

/** A reminder as the holder of its message sees it: no list, no addresses, nobody's name. */
export interface LinkedReminder {
  reminder: ReminderView;
  subscriberId: string;
  locale: string;
  nowMs: number;
}

/**
 * Reads a reminder for whoever holds its signed link; the caller has checked the signature. Null when it is gone, or its
 * owner was erased.
 */
export async function readLinked(reminderId: string): Promise<LinkedReminder | null> {
  if (!isId(reminderId)) return null;
  return transact(async (tx) => {
    const [owner] = await rows<{ subscriberId: string }>(
      tx,
      sql`select r.subscriber_id as "subscriberId" from reminders r join subscribers s on s.id = r.subscriber_id
        where r.id = ${reminderId}::uuid and s.erased_at is null`,
    );
    if (owner === undefined) return null;
    const [row] = await selectReminders(
      tx,
      { kind: "subscriber", subscriberId: owner.subscriberId },
      sql`r.id = ${reminderId}::uuid`,
    );
    if (row === undefined) return null;
    return { reminder: toView(row), ...owner, locale: row.locale, nowMs: await ledgerNowMs(tx) };
  });
}
