import { sql } from "drizzle-orm";
import { EARLY_MS } from "../admission/admit";
import { partitionFor } from "../admission/partition-defaults";
import { ledgerNowMs, rows, type Transaction, transact, uuids } from "../connection";
import { effects } from "../effects";
import { deliveryKey } from "../rules/delivery-key";
import { decideOpening } from "../rules/opening";
import { advanceSeries } from "./advance-series";
import { endWaiting } from "./expire";
import { insertDeliveries, type NewDelivery } from "./insert-deliveries";
import {
  type DestinationRow,
  lockSources,
  type OccurrenceRow,
  type PayloadRow,
  payloadName,
  readDestinations,
  readOptOuts,
  readPayloads,
  readUsedUp,
  readWaiting,
  targetsOf,
} from "./opening-facts";

export interface OpenOutcome {
  opened: number;
  /** Partitions that have new work. */
  partitions: string[];
  deliveries: number;
  /** Occurrences that were edited between rendering and opening: they want a new payload. */
  stale: number;
}

/**
 * Opens occurrences: inserts their deliveries and stamps `opened_at`, in one transaction, exactly once per occurrence
 * (P1, P5). Payloads must be stored before. An occurrence that is no longer waiting, is due later than
 * `earlyMs` from now, or has no payload of its present version is left alone.
 *
 * The next element of a series is inserted in the same transaction. Lock order: reminders and subscribers FOR SHARE (the
 * reminders of series FOR NO KEY UPDATE), occurrences, then older deliveries that the new ones supersede. A crash before
 * the commit leaves everything waiting; the sweep opens what is overdue.
 */
export async function openDeliveries(
  occurrenceIds: readonly string[],
  earlyMs = EARLY_MS,
): Promise<OpenOutcome> {
  if (occurrenceIds.length === 0) return { opened: 0, partitions: [], deliveries: 0, stale: 0 };
  return transact(async (tx) => {
    await lockSources(tx, occurrenceIds);
    const nowMs = await ledgerNowMs(tx);
    const waiting = await readWaiting(tx, occurrenceIds, nowMs + earlyMs);
    const payloads = await readPayloads(tx, waiting);
    const complete = waiting.filter((row) =>
      row.channels.every((channel) => payloads.has(payloadName(row, channel))),
    );
    const subscriberIds = complete.map((row) => row.subscriberId);
    const destinations = await readDestinations(tx, subscriberIds);
    const optedOut = await readOptOuts(tx, subscriberIds, "reminders");
    const usedUp = await readUsedUp(tx, destinations);
    const context = { destinations, payloads, optedOut, usedUp, nowMs };
    const born = complete.flatMap((row) => deliveriesOf(row, context));
    const partitions = await insertDeliveries(tx, born);
    const inserted = await rows<{ id: string }>(
      tx,
      sql`update occurrences set state = 'opened', opened_at = ledger_now()
        where id = any(${uuids(complete.map((row) => row.id))}) and state = 'waiting' returning id`,
    );
    await supersedeOlder(tx, complete);
    await advanceSeries(tx, complete);
    return {
      opened: inserted.length,
      partitions,
      deliveries: born.length,
      stale: waiting.length - complete.length,
    };
  });
}

interface OpeningContext {
  destinations: Map<string, DestinationRow[]>;
  payloads: Map<string, PayloadRow>;
  optedOut: Set<string>;
  usedUp: Set<string>;
  nowMs: number;
}

/**
 * One delivery per channel, for push one per device; a channel without a destination is one row born `expired`. With
 * steps, each channel that reaches somebody waits for the one before it.
 */
function deliveriesOf(row: OccurrenceRow, context: OpeningContext): NewDelivery[] {
  let steps = 0;
  return row.channels.flatMap((channel) => {
    const name = `${row.subscriberId}:${channel}`;
    const payload = context.payloads.get(payloadName(row, channel));
    if (payload === undefined) return [];
    const { targets, suppressed } = targetsOf(channel, context.destinations.get(name) ?? []);
    const preferred = !context.optedOut.has(name);
    const delayMs = steps * (row.stepMinutes ?? 0) * 60_000;
    if (preferred && targets[0] !== null) steps += 1;
    const times = { dueAtMs: row.dueAtMs + delayMs, expiresAtMs: row.expiresAtMs + delayMs };
    return targets.map((target): NewDelivery => {
      const device = channel === "push" && target !== null ? { deviceId: target.id } : {};
      const { id: occurrenceId, reminderId, subscriberId } = row;
      return {
        id: effects.newId(),
        key: deliveryKey({ source: "reminder", reminderId, occurrenceId, subscriberId, channel, ...device }),
        occurrenceId,
        subscriberId,
        channel,
        destinationId: target?.id ?? null,
        partition: target === null ? null : partitionFor(channel, target.address),
        lane: "standard",
        flow: subscriberId,
        cost: payload.cost,
        ...times,
        payloadId: payload.id,
        version: row.version,
        trace: row.trace,
        opening: decideOpening(
          {
            ...row,
            ...times,
            channel,
            stepped: delayMs > 0,
            address: target?.address ?? null,
            hasDestination: target !== null,
            suppressed,
            preferred,
            capped: target !== null && context.usedUp.has(target.id),
          },
          context.nowMs,
        ),
      };
    });
  });
}

/** After an outage a shopper gets one message, not ten: an older delivery that still waits untried gives way. */
async function supersedeOlder(tx: Transaction, opened: readonly OccurrenceRow[]): Promise<void> {
  const repeated = opened.filter((row) => row.number > 1);
  if (repeated.length === 0) return;
  const older = await rows<{ id: string }>(
    tx,
    sql`select d.id from deliveries d join occurrences old on old.id = d.occurrence_id
      join jsonb_to_recordset(${JSON.stringify(repeated.map((row) => ({ id: row.id, reminderId: row.reminderId, number: row.number, channels: row.channels })))}::jsonb)
        as w(id uuid, "reminderId" uuid, number int, channels jsonb)
        on old.reminder_id = w."reminderId" and old.number < w.number and w.channels ? d.channel
      where d.state in ('scheduled', 'ready', 'deferred') and d.attempt_count = 0
      order by d.id for update of d`,
  );
  await endWaiting(
    tx,
    older.map((row) => row.id),
    "superseded",
  );
}
