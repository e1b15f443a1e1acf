import { sql } from "drizzle-orm";
import { at, ledgerNowMs, rows, type Transaction, transact } from "../connection";
import { once } from "../idempotency";
import { endWaiting } from "../ledger/expire";
import type { EditReminderBody } from "../rules/api-schemas";
import { type EditableDelivery, planEdit, planSeriesEdit } from "../rules/edit-plan";
import { fail, ok, type Result } from "../rules/errors";
import { isId } from "../rules/id";
import type { Channel } from "../rules/outcome";
import { armWaits, checkChannels, insertOccurrence } from "./occurrence";
import { repoint } from "./repoint";
import { dueAfterEdit } from "./series";
import { type Owner, type ReminderRow, type ReminderView, selectReminders, toView } from "./views";

/** What a reminder says after an edit: rendering's whole input. */
export interface EditedReminder {
  reminderId: string;
  title: string;
  note: string | null;
  url: string | null;
  dueAtMs: number;
  timeZone: string;
  locale: string;
  channels: Channel[];
}

/** Renders a reminder for its channels; handed in, because templates live above the database. */
export type RenderReminder = (
  reminder: EditedReminder,
) => Promise<{ channel: Channel; content: unknown; cost: number }[]>;

interface Edited extends EditedReminder {
  wallTime: string;
  expiresAfterSeconds: number;
  recurrence: string | null;
  seriesStart: string | null;
  seriesLast: string | null;
  floating: boolean;
  throughQuiet: boolean;
  stepMinutes: number | null;
  checkUrl: string | null;
  timeChanged: boolean;
  changed: boolean;
}

/** An edit that meets another edit starts over; three in a row are somebody's loop. */
const EDIT_TRIES = 3;

/**
 * Edits a reminder. Only the new version is delivered from here on, and once (DESIGN: edits):
 *
 * - an occurrence that waits is changed in place;
 * - deliveries on which no attempt has begun are re-pointed in place, same key: new version and payload, `scheduled` at
 *   the new time, admission dropped, so that a run which holds them finds nothing to send yet;
 * - waiting deliveries that were attempted are `superseded`, and a new occurrence opens for their channels, or for all
 *   channels if the time changed;
 * - what is being sent, or has an unknown outcome, finishes as it began;
 * - of a series what is to come changes; an element that has come keeps its time.
 *
 * Content is rendered before the transaction; the version is compared under the lock, so a lost race renders again.
 */
export async function editReminder(
  owner: Owner,
  id: string,
  patch: EditReminderBody,
  render: RenderReminder,
): Promise<Result<ReminderView>> {
  if (!isId(id)) return fail({ code: "not_found", what: "reminder" });
  for (let tries = 1; ; tries += 1) {
    const read = await readForEdit(owner, id, patch);
    if (!read.ok) return read;
    const { before, edited } = read.value;
    if (!edited.changed) return ok(toView(before));
    const contents = await render(edited);
    const result = await once(null, (tx) => applyEdit(tx, owner, before, edited, contents));
    if (result.ok) return ok(result.value.value);
    const lostRace = result.problem.code === "conflict" && result.problem.why === RACE;
    if (!lostRace || tries >= EDIT_TRIES) return result;
  }
}

const RACE = "The reminder was changed at the same moment; read it again and repeat the edit.";

async function readForEdit(
  owner: Owner,
  id: string,
  patch: EditReminderBody,
): Promise<Result<{ before: ReminderRow; edited: Edited }>> {
  return transact(async (tx): Promise<Result<{ before: ReminderRow; edited: Edited }>> => {
    const [before] = await selectReminders(tx, owner, sql`r.id = ${id}::uuid`);
    if (before === undefined) return fail({ code: "not_found", what: "reminder" });
    if (before.status === "cancelled" || before.status === "paused") {
      const why =
        before.status === "paused" ? "is paused; resume it first." : "is cancelled; set a new one instead.";
      return fail({ code: "conflict", why: `This reminder ${why}` });
    }
    const due = dueAfterEdit(before, patch, await ledgerNowMs(tx));
    if (!due.ok) return due;
    const edited = {
      reminderId: id,
      title: patch.title ?? before.title,
      note: patch.note === undefined ? before.note : patch.note,
      url: patch.url === undefined ? before.url : patch.url,
      ...due.value,
      locale: before.locale,
      channels: patch.channels ?? before.channels,
      expiresAfterSeconds: patch.expiresAfterSeconds ?? before.expiresAfterSeconds,
      floating: patch.floating ?? before.floating,
      throughQuiet: patch.throughQuietHours ?? before.throughQuiet,
      stepMinutes:
        patch.nextChannelAfterMinutes === undefined ? before.stepMinutes : patch.nextChannelAfterMinutes,
      checkUrl: patch.checkUrl === undefined ? before.checkUrl : patch.checkUrl,
      timeChanged: due.value.dueAtMs !== before.dueAtMs,
    };
    return ok({ before, edited: { ...edited, changed: differs(before, edited) } });
  });
}

function differs(before: ReminderRow, edited: Omit<Edited, "changed">): boolean {
  return (
    edited.timeChanged ||
    edited.recurrence !== before.recurrence ||
    edited.floating !== before.floating ||
    edited.throughQuiet !== before.throughQuiet ||
    edited.stepMinutes !== before.stepMinutes ||
    edited.checkUrl !== before.checkUrl ||
    edited.title !== before.title ||
    edited.note !== before.note ||
    edited.url !== before.url ||
    edited.timeZone !== before.timeZone ||
    edited.expiresAfterSeconds !== before.expiresAfterSeconds ||
    // In their order: with steps it says which comes first.
    edited.channels.join() !== before.channels.join()
  );
}

async function applyEdit(
  tx: Transaction,
  owner: Owner,
  before: ReminderRow,
  edited: Edited,
  contents: Awaited<ReturnType<RenderReminder>>,
): Promise<Result<ReminderView>> {
  const [locked] = await rows<{ version: number; status: string; dueAtMs: number }>(
    tx,
    sql`select version, status, epoch_ms(due_at) as "dueAtMs" from reminders where id = ${before.id}::uuid for no key update`,
  );
  const raced =
    locked?.version !== before.version ||
    locked.status !== before.status ||
    locked.dueAtMs !== before.dueAtMs;
  if (raced) return fail({ code: "conflict", why: RACE });
  const reachable = await checkChannels(tx, before.subscriberId, edited.channels);
  if (!reachable.ok) return reachable;
  const version = before.version + 1;
  const waiting = await lockWaiting(tx, before.id);
  const planned = {
    deliveries: await lockEditable(tx, before.id),
    channelsBefore: before.channels,
    channelsAfter: edited.channels,
    timeChanged: edited.timeChanged,
    inOrder: edited.stepMinutes !== null,
    waitingChannels: waiting?.channels ?? null,
  };
  const asSeries = before.recurrence !== null || (edited.recurrence !== null && waiting === null);
  const plan = asSeries ? planSeriesEdit(planned) : planEdit(planned);
  if (plan.tooLate) {
    return fail({
      code: "too_late",
      why: "This reminder was sent already; give it a new time to send it again.",
    });
  }
  await rows(
    tx,
    sql`update reminders set title = ${edited.title}, note = ${edited.note}, url = ${edited.url},
        wall_time = ${edited.wallTime}, time_zone = ${edited.timeZone}, due_at = ${at(edited.dueAtMs)},
        channels = string_to_array(${edited.channels.join(",")}, ','), expires_after_seconds = ${edited.expiresAfterSeconds},
        recurrence = ${edited.recurrence}, series_start = ${edited.seriesStart}, series_last = ${edited.seriesLast},
        floating = ${edited.floating}, through_quiet = ${edited.throughQuiet}, step_minutes = ${edited.stepMinutes},
        check_url = ${edited.checkUrl}, status = 'active', version = ${version}, updated_at = ledger_now()
      where id = ${before.id}::uuid`,
  );
  if (waiting !== null) await changeWaiting(tx, waiting.id, edited, plan.carried ?? [], version);
  if (before.recurrence !== null) {
    await rows(
      tx,
      sql`update occurrences set version = ${version}, channels = string_to_array(${edited.channels.join(",")}, ',')
        where reminder_id = ${before.id}::uuid and state = 'waiting' and id <> ${waiting?.id ?? before.id}::uuid`,
    );
  }
  await endWaiting(tx, plan.supersede, "superseded");
  await endWaiting(tx, plan.drop, "cancelled");
  await repoint(tx, plan, edited, version, contents);
  if (plan.newOccurrence.length > 0) {
    await insertOccurrence(tx, {
      reminderId: before.id,
      origin: "edit",
      due: edited,
      channels: plan.newOccurrence,
      version,
    });
  }
  const [after] = await selectReminders(tx, owner, sql`r.id = ${before.id}::uuid`);
  if (after === undefined) throw new Error("Bug! an edited reminder is gone");
  return ok(toView(after));
}

/** The occurrence that still waits, locked; besides it there is at most a snoozed element of a series, which keeps its time. */
async function lockWaiting(
  tx: Transaction,
  reminderId: string,
): Promise<{ id: string; channels: Channel[] } | null> {
  const [waiting] = await rows<{ id: string; channels: Channel[] }>(
    tx,
    sql`select id, channels from occurrences where reminder_id = ${reminderId}::uuid and state = 'waiting'
      order by origin = 'snooze', number desc for no key update`,
  );
  return waiting ?? null;
}

/** Changes the occurrence that still waits, in place; one whose channels are all removed is cancelled. */
async function changeWaiting(
  tx: Transaction,
  id: string,
  edited: Edited,
  channels: readonly Channel[],
  version: number,
): Promise<void> {
  if (channels.length === 0) {
    await rows(tx, sql`update occurrences set state = 'cancelled' where id = ${id}::uuid`);
    return;
  }
  await rows(
    tx,
    sql`update occurrences set version = ${version}, channels = string_to_array(${channels.join(",")}, ','),
        due_at = ${at(edited.dueAtMs)}, wall_time = ${edited.wallTime}, time_zone = ${edited.timeZone}
      where id = ${id}::uuid`,
  );
  if (edited.timeChanged) await armWaits(tx, [edited.dueAtMs]);
}

function lockEditable(tx: Transaction, reminderId: string): Promise<EditableDelivery[]> {
  return rows<EditableDelivery>(
    tx,
    sql`select d.id, d.channel, d.state, d.attempt_count as "attemptCount",
        d.unresolved_since is not null as unresolved, d.occurrence_id as "occurrenceId"
      from deliveries d where d.occurrence_id in (select id from occurrences where reminder_id = ${reminderId}::uuid)
      order by d.id for update`,
  );
}
