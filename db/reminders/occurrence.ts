import { sql } from "drizzle-orm";
import { processGeneration } from "../admission/partitions";
import { at, rows, type Transaction } from "../connection";
import { effects } from "../effects";
import { stageEvents } from "../outbox";
import { type DueTime, dueSecond } from "../rules/due-time";
import { fail, fieldError, ok, type Result } from "../rules/errors";
import { dueEventId } from "../rules/event-catalog";
import type { Channel } from "../rules/outcome";

/**
 * A wait never starts earlier than this before its time: longer sleeps would outlive the plan limits of small accounts
 * (7 days), and every week of sleep is a week in which the event's shape must not change.
 */
const MAX_WAIT_MS = 5 * 24 * 3600 * 1000;

/** Inserts the next occurrence of a reminder and arms its wait, in the caller's transaction. Returns its id. */
export async function insertOccurrence(
  tx: Transaction,
  input: {
    reminderId: string;
    origin: "schedule" | "edit" | "snooze";
    due: Pick<DueTime, "dueAtMs" | "wallTime" | "timeZone">;
    channels: readonly Channel[];
    version: number;
  },
): Promise<string> {
  const id = effects.newId();
  await rows(
    tx,
    sql`insert into occurrences (id, reminder_id, number, origin, wall_time, time_zone, due_at, channels, version, state, created_at)
      select ${id}::uuid, ${input.reminderId}::uuid, coalesce(max(number), 0) + 1, ${input.origin}, ${input.due.wallTime},
        ${input.due.timeZone}, ${at(input.due.dueAtMs)}, string_to_array(${input.channels.join(",")}, ','), ${input.version},
        'waiting', ledger_now()
      from occurrences where reminder_id = ${input.reminderId}::uuid`,
  );
  await armWait(tx, input.due.dueAtMs);
  return id;
}

/** Stages `reminder/scheduled` for a due instant: all reminders of one second share one event id and one sleeping run. */
export async function armWait(tx: Transaction, dueAtMs: number): Promise<void> {
  const second = dueSecond(dueAtMs);
  const generation = processGeneration();
  await stageEvents(tx, [
    {
      name: "reminder/scheduled",
      data: { v: 1, dueSecond: second, generation },
      eventId: dueEventId(second, generation),
      notBeforeMs: dueAtMs - MAX_WAIT_MS,
    },
  ]);
}

/** Refuses channels on which the subscriber has no verified, active destination: nobody is reminded where nothing arrives. */
export async function checkChannels(
  tx: Transaction,
  subscriberId: string,
  channels: readonly Channel[],
): Promise<Result<null>> {
  const reachable = await rows<{ channel: Channel }>(
    tx,
    sql`select distinct channel from destinations
      where subscriber_id = ${subscriberId}::uuid and state = 'active' and verified_at is not null`,
  );
  const known = reachable.map((row) => row.channel);
  const missing = channels.filter((channel) => !known.includes(channel));
  if (missing.length === 0) return ok(null);
  const accepted =
    known.length === 0 ? "no channel yet: verify an address first" : `any of ${known.join(", ")}`;
  return fail({
    code: "invalid_input",
    fields: missing.map((channel) =>
      fieldError(
        "channels",
        channel,
        accepted,
        `No verified ${NOUN[channel]} is known for this subscriber. Accepted: ${accepted}.`,
      ),
    ),
  });
}

const NOUN: Record<Channel, string> = { email: "email address", sms: "phone number", push: "device" };
