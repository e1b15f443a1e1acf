import { sql } from "drizzle-orm";
import { rows, type Transaction } from "../connection";
import { once } from "../idempotency";
import { endWaiting } from "../ledger/expire";
import { fail, ok, type Result } from "../rules/errors";
import { isId } from "../rules/id";
import type { DeliveryState } from "../rules/lifecycle";
import type { Channel } from "../rules/outcome";
import { type Owner, type ReminderView, selectReminders, toView } from "./views";

/**
 * What a cancel came to on one channel: the truth, also when it came too late. `outcome_unknown`: nothing more will be
 * sent, but a call was made whose outcome nobody knows.
 */
export interface CancelledChannel {
  channel: Channel;
  outcome: "cancelled" | "too_late" | "already_sent" | "outcome_unknown" | "already_ended";
}

export interface CancelOutcome {
  reminder: ReminderView;
  channels: CancelledChannel[];
}

interface DeliveryRow {
  id: string;
  channel: Channel;
  state: DeliveryState;
  reason: string | null;
  unresolved: boolean;
  occurrenceId: string;
}

interface OccurrenceRow {
  id: string;
  channels: Channel[];
  state: "waiting" | "opened" | "missed" | "cancelled";
}

/**
 * Cancels a reminder, one that is paused or done too: what was confirmed as cancelled comes again only when the cancel is
 * taken back. Under the reminder's row lock every occurrence that waits and every delivery that waits ends; a
 * delivery that is being sent is never moved, its channel answers `too_late` (P6). Repeating it changes nothing.
 */
export async function cancelReminder(owner: Owner, id: string): Promise<Result<CancelOutcome>> {
  if (!isId(id)) return fail({ code: "not_found", what: "reminder" });
  const result = await once(null, async (tx) => {
    const [before] = await selectReminders(tx, owner, sql`r.id = ${id}::uuid`, sql`for no key update of r`);
    if (before === undefined) return fail({ code: "not_found", what: "reminder" });
    const occurrences = await rows<OccurrenceRow>(
      tx,
      sql`select id, channels, state from occurrences where reminder_id = ${id}::uuid order by number desc`,
    );
    await rows(
      tx,
      sql`update reminders set status = 'cancelled', cancelled_at = ledger_now(), updated_at = ledger_now()
        where id = ${id}::uuid and status <> 'cancelled'`,
    );
    await rows(
      tx,
      sql`update occurrences set state = 'cancelled' where reminder_id = ${id}::uuid and state = 'waiting'`,
    );
    const deliveries = await lockDeliveriesOf(tx, id);
    const waiting = deliveries.filter((row) => ["scheduled", "ready", "deferred"].includes(row.state));
    await endWaiting(
      tx,
      waiting.map((row) => row.id),
      "cancelled",
    );
    const [after] = await selectReminders(tx, owner, sql`r.id = ${id}::uuid`);
    if (after === undefined) throw new Error("Bug! a cancelled reminder is gone");
    return ok({
      reminder: toView(after),
      channels: before.channels.map((channel) => outcomeOf(channel, occurrences, deliveries)),
    });
  });
  return result.ok ? ok(result.value.value) : result;
}

/** All deliveries of a reminder, locked by id; the caller holds the reminder's row. */
export function lockDeliveriesOf(tx: Transaction, reminderId: string): Promise<DeliveryRow[]> {
  return rows<DeliveryRow>(
    tx,
    sql`select d.id, d.channel, d.state, d.reason, d.unresolved_since is not null as unresolved,
        d.occurrence_id as "occurrenceId" from deliveries d
      where d.occurrence_id in (select id from occurrences where reminder_id = ${reminderId}::uuid)
      order by d.id for update`,
  );
}

/** `occurrences`, newest first, and `deliveries` as they were before the cancel. */
function outcomeOf(
  channel: Channel,
  occurrences: readonly OccurrenceRow[],
  deliveries: readonly DeliveryRow[],
): CancelledChannel {
  const mine = deliveries.filter((row) => row.channel === channel);
  const waiting = mine.filter((row) => ["scheduled", "ready", "deferred"].includes(row.state));
  if (mine.some((row) => row.state === "sending")) return { channel, outcome: "too_late" };
  if (waiting.some((row) => row.unresolved)) return { channel, outcome: "outcome_unknown" };
  // What became of older occurrences is history: a snoozed reminder was sent, and its next time is cancelled.
  const latest = occurrences.find((occurrence) => occurrence.channels.includes(channel));
  if (
    waiting.length > 0 ||
    latest === undefined ||
    latest.state === "waiting" ||
    latest.state === "cancelled"
  ) {
    return { channel, outcome: "cancelled" };
  }
  const last = mine.filter((row) => row.occurrenceId === latest.id);
  if (last.some((row) => row.state === "delivered")) return { channel, outcome: "already_sent" };
  if (last.some((row) => row.reason === "outcome_unknown")) return { channel, outcome: "outcome_unknown" };
  const cancelledBefore = last.some((row) => row.reason === "cancelled");
  return { channel, outcome: cancelledBefore ? "cancelled" : "already_ended" };
}
