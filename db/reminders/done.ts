import { sql } from "drizzle-orm";
import { rows, type Transaction, uuids } from "../connection";
import { once } from "../idempotency";
import { insertNext, SERIES, type Series } from "../ledger/advance-series";
import { endWaiting } from "../ledger/expire";
import { fail, ok, type Result } from "../rules/errors";
import { isId } from "../rules/id";
import { lockDeliveriesOf } from "./cancel";
import { hasOpenElement } from "./snooze";
import { type Owner, type ReminderView, selectReminders, toView } from "./views";

const WAITING = ["scheduled", "ready", "deferred"];

/**
 * Its owner has dealt with it: whatever still waits ends as `answered`, on every channel, and what was snoozed does not
 * come again. Of a series only the element that has come is done, or, ahead of time, the next one is skipped; the series
 * goes on. A delivery that is being sent finishes as it began. Repeating it changes nothing.
 */
export async function finishReminder(owner: Owner, id: string): Promise<Result<ReminderView>> {
  if (!isId(id)) return fail({ code: "not_found", what: "reminder" });
  const result = await once(null, async (tx) => {
    const [before] = await selectReminders(tx, owner, sql`r.id = ${id}::uuid`, sql`for no key update of r`);
    if (before === undefined) return fail({ code: "not_found", what: "reminder" });
    if (before.status === "cancelled") {
      return fail({ code: "conflict", why: "This reminder is cancelled already." });
    }
    const once = before.recurrence === null;
    const came = await hasOpenElement(tx, id);
    await answerOpened(tx, id, "done");
    await rows(
      tx,
      sql`update occurrences set state = 'cancelled' where reminder_id = ${id}::uuid and state = 'waiting'
        and (origin = 'snooze' or ${once || !came})`,
    );
    if (!once && !came) await skipElement(tx, id);
    await rows(
      tx,
      sql`update reminders set status = ${once ? "done" : before.status}, updated_at = ledger_now() where id = ${id}::uuid`,
    );
    const [after] = await selectReminders(tx, owner, sql`r.id = ${id}::uuid`);
    if (after === undefined) throw new Error("Bug! a finished reminder is gone");
    return ok(toView(after));
  });
  return result.ok ? ok(result.value.value) : result;
}

/**
 * Its owner has opened it. That matters only to channels that wait for one another: the later ones end as `answered`.
 * What goes out on all channels at once goes on.
 */
export async function noteOpened(owner: Owner, id: string): Promise<Result<null>> {
  if (!isId(id)) return fail({ code: "not_found", what: "reminder" });
  const result = await once(null, async (tx) => {
    const [before] = await selectReminders(tx, owner, sql`r.id = ${id}::uuid`, sql`for no key update of r`);
    if (before === undefined) return fail({ code: "not_found", what: "reminder" });
    if (before.stepMinutes !== null) await answerOpened(tx, id, "opened");
    return ok(null);
  });
  return result.ok ? ok(null) : result;
}

/**
 * Stamps what has come as answered and ends what waits of it; the caller holds the reminder's row. Being opened speaks
 * only of what has arrived: a moment before its time an occurrence is open already, and nothing of it has been sent.
 */
async function answerOpened(tx: Transaction, reminderId: string, by: "opened" | "done"): Promise<void> {
  const deliveries = await lockDeliveriesOf(tx, reminderId);
  const arrived = deliveries.filter((row) => row.state === "delivered").map((row) => row.occurrenceId);
  const answered =
    by === "done" ? deliveries : deliveries.filter((row) => arrived.includes(row.occurrenceId));
  await rows(
    tx,
    sql`update occurrences set answered_at = ledger_now(), answered_by = ${by}
      where reminder_id = ${reminderId}::uuid and state = 'opened' and answered_at is null
        and (${by === "done"} or id = any(${uuids(arrived)}))`,
  );
  await endWaiting(
    tx,
    answered.filter((row) => WAITING.includes(row.state)).map((row) => row.id),
    "answered",
  );
}

/** Done ahead of its time: the element that waited is cancelled, the series goes on with the one after it. */
async function skipElement(tx: Transaction, reminderId: string): Promise<void> {
  const series = await rows<Series>(
    tx,
    sql`select ${SERIES} from reminders r where r.id = ${reminderId}::uuid`,
  );
  await insertNext(
    tx,
    series.map((one) => ({ ...one, after: one.seriesLast })),
  );
}
