import { type SQL, sql } from "drizzle-orm";
import { processGeneration } from "../admission/partitions";
import { rows, type Transaction, together } from "../connection";
import { effects } from "../effects";
import { type StagedEvent, stageEvents, stagingEvents } from "../outbox";
import { type DueTime, dueSecond } from "../rules/due-time";
import { fail, fieldError, ok, type Result } from "../rules/errors";
import { dueEventId } from "../rules/event-catalog";
import type { Channel } from "../rules/outcome";
import { currentTrace } from "../trace";

/**
 * A wait never starts earlier than this before its time: longer sleeps would outlive the plan limits of small accounts
 * (7 days), and every week of sleep is a week in which the event's shape must not change.
 */
export const MAX_WAIT_MS = 5 * 24 * 3600 * 1000;

export interface NewOccurrence {
  /** Where it is told before it is stored. */
  id?: string;
  reminderId: string;
  origin: "schedule" | "series" | "edit" | "snooze" | "resume" | "undo";
  due: Pick<DueTime, "dueAtMs" | "wallTime" | "timeZone">;
  channels: readonly Channel[];
  version: number;
}

/** Inserts the next occurrence of a reminder and arms its wait, in the caller's transaction. */
export function insertOccurrence(tx: Transaction, occurrence: NewOccurrence): Promise<void> {
  return insertOccurrences(tx, [occurrence]);
}

/** The same for several reminders, one occurrence each. */
export async function insertOccurrences(
  tx: Transaction,
  occurrences: readonly NewOccurrence[],
): Promise<void> {
  if (occurrences.length > 0) await together(tx, insertingOccurrences(occurrences));
}

/** The same as statements, for a caller that sends more with them. At least one occurrence. */
export function insertingOccurrences(occurrences: readonly NewOccurrence[]): [SQL, SQL] {
  const given = occurrences.map(({ due, ...occurrence }) => ({
    id: effects.newId(),
    ...occurrence,
    ...due,
    channels: occurrence.channels.join(","),
  }));
  return [
    sql`insert into occurrences (id, reminder_id, number, origin, wall_time, time_zone, due_at, channels, version, state, created_at, trace)
      select w.id, w."reminderId", 1 + coalesce((select max(o.number) from occurrences o where o.reminder_id = w."reminderId"), 0),
        w.origin, w."wallTime", w."timeZone", from_epoch_ms(w."dueAtMs"), string_to_array(w.channels, ','), w.version,
        'waiting', ledger_now(), ${currentTrace()}::text
      from jsonb_to_recordset(${JSON.stringify(given)}::jsonb) as w(id uuid, "reminderId" uuid, origin text, "wallTime" text,
        "timeZone" text, "dueAtMs" float8, channels text, version int)`,
    stagingEvents(waitsFor(occurrences.map(({ due }) => due.dueAtMs))),
  ];
}

/** Stages `reminder/scheduled` for due instants: all reminders of one second share one event id and one sleeping run. */
export function armWaits(tx: Transaction, dueAtMs: readonly number[]): Promise<void> {
  return stageEvents(tx, waitsFor(dueAtMs));
}

function waitsFor(dueAtMs: readonly number[]): StagedEvent[] {
  const generation = processGeneration();
  const earliest = new Map<number, number>();
  for (const atMs of dueAtMs) {
    const second = dueSecond(atMs);
    earliest.set(second, Math.min(atMs, earliest.get(second) ?? atMs));
  }
  return [...earliest].map(([second, atMs]) => ({
    name: "reminder/scheduled" as const,
    data: { v: 1 as const, dueSecond: second, generation },
    eventId: dueEventId(second, generation),
    notBeforeMs: atMs - MAX_WAIT_MS,
  }));
}

/** Refuses channels on which the subscriber has no verified, active destination: nobody is reminded where nothing arrives. */
export async function checkChannels(
  tx: Transaction,
  subscriberId: string,
  channels: readonly Channel[],
): Promise<Result<null>> {
  return judgeChannels(await rows<{ channel: Channel }>(tx, reachableChannels(subscriberId)), channels);
}

/** Reads what `judgeChannels` asks for. */
export function reachableChannels(subscriberId: string): SQL {
  return sql`select distinct channel from destinations
    where subscriber_id = ${subscriberId}::uuid and state = 'active' and verified_at is not null`;
}

/** `checkChannels` by what was read together with something else. */
export function judgeChannels(
  reachable: readonly { channel: Channel }[],
  channels: readonly Channel[],
): Result<null> {
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
        `No verified ${NOUN[channel]} that takes messages is known for this subscriber. Accepted: ${accepted}.`,
      ),
    ),
  });
}

const NOUN: Record<Channel, string> = { email: "email address", sms: "phone number", push: "device" };
