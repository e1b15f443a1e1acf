import { sql } from "drizzle-orm";
import { partitionFor } from "../admission/partition-defaults";
import { ensurePartitions, type PartitionDefaults } from "../admission/partitions";
import { ledgerNowMs, rows, type Transaction, transact, uuids } from "../connection";
import { effects } from "../effects";
import { deliveryKey } from "../rules/delivery-key";
import { decideOpening, type Opening } from "../rules/opening";
import type { Channel, Lane } from "../rules/outcome";
import { advanceSeries } from "./advance-series";
import { endWaiting } from "./expire";
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
} from "./opening-facts";
import { deliveryReference } from "./reference";

export interface OpenOutcome {
  opened: number;
  /** Partitions that have new work. */
  partitions: string[];
  deliveries: number;
  /** Occurrences that were edited between rendering and opening: they want a new payload. */
  stale: number;
}

interface NewDelivery {
  id: string;
  key: string;
  reference: string;
  occurrenceId: string;
  subscriberId: string;
  channel: Channel;
  destinationId: string | null;
  partition: string | null;
  lane: Lane;
  cost: number;
  dueAtMs: number;
  expiresAtMs: number;
  payloadId: string;
  version: number;
  opening: Opening;
}

/**
 * Opens occurrences: inserts their deliveries and stamps `opened_at`, in one transaction, exactly once per occurrence
 * (P1, P5). Payloads must be stored before. An occurrence that is no longer waiting, is not due, or has no payload of
 * its present version is left alone.
 *
 * The next element of a series is inserted in the same transaction. Lock order: reminders and subscribers FOR SHARE (the
 * reminders of series FOR NO KEY UPDATE), occurrences, then older deliveries that the new ones supersede. A crash before
 * the commit leaves everything waiting; the sweep opens what is overdue.
 */
export async function openDeliveries(occurrenceIds: readonly string[]): Promise<OpenOutcome> {
  if (occurrenceIds.length === 0) return { opened: 0, partitions: [], deliveries: 0, stale: 0 };
  return transact(async (tx) => {
    await lockSources(tx, occurrenceIds);
    const nowMs = await ledgerNowMs(tx);
    const waiting = await readWaiting(tx, occurrenceIds, nowMs);
    const payloads = await readPayloads(tx, waiting);
    const complete = waiting.filter((row) =>
      row.channels.every((channel) => payloads.has(payloadName(row, channel))),
    );
    const destinations = await readDestinations(tx, complete);
    const optedOut = await readOptOuts(tx, complete);
    const usedUp = await readUsedUp(tx, destinations);
    const context = { destinations, payloads, optedOut, usedUp, nowMs };
    const born = complete.flatMap((row) => deliveriesOf(row, context));
    const partitions = await insertDeliveries(
      tx,
      born.map((entry) => entry.delivery),
      born.map((entry) => entry.partition),
    );
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
function deliveriesOf(
  row: OccurrenceRow,
  context: OpeningContext,
): { delivery: NewDelivery; partition: PartitionDefaults | null }[] {
  let steps = 0;
  return row.channels.flatMap((channel) => {
    const name = `${row.subscriberId}:${channel}`;
    const known = context.destinations.get(name) ?? [];
    const active = known.filter((destination) => destination.state === "active");
    const payload = context.payloads.get(payloadName(row, channel));
    if (payload === undefined) return [];
    // Every device has its own outcome; an email address or a number is one, the newest.
    const targets: (DestinationRow | null)[] = channel === "push" ? active : active.slice(0, 1);
    const preferred = !context.optedOut.has(name);
    const delayMs = steps * (row.stepMinutes ?? 0) * 60_000;
    if (preferred && active.length > 0) steps += 1;
    const times = { dueAtMs: row.dueAtMs + delayMs, expiresAtMs: row.expiresAtMs + delayMs };
    const opening = (target: DestinationRow | null) =>
      decideOpening(
        {
          ...row,
          ...times,
          channel,
          stepped: delayMs > 0,
          address: target?.address ?? null,
          hasDestination: target !== null,
          suppressed: target === null && known.length > 0,
          preferred,
          capped: target !== null && context.usedUp.has(target.id),
        },
        context.nowMs,
      );
    return (targets.length === 0 ? [null] : targets).map((target) => {
      const device = channel === "push" && target !== null ? { deviceId: target.id } : {};
      const { id: occurrenceId, reminderId, subscriberId } = row;
      const key = deliveryKey({
        source: "reminder",
        reminderId,
        occurrenceId,
        subscriberId,
        channel,
        ...device,
      });
      const partition = target === null ? null : partitionFor(channel, target.address);
      return {
        partition,
        delivery: {
          id: effects.newId(),
          key,
          reference: deliveryReference(key),
          occurrenceId,
          subscriberId,
          channel,
          destinationId: target?.id ?? null,
          partition: partition?.key ?? null,
          lane: "standard",
          cost: payload.cost,
          ...times,
          payloadId: payload.id,
          version: row.version,
          opening: opening(target),
        },
      };
    });
  });
}

async function insertDeliveries(
  tx: Transaction,
  born: readonly NewDelivery[],
  partitions: readonly (PartitionDefaults | null)[],
): Promise<string[]> {
  const wanted = new Map(
    partitions.flatMap((partition) => (partition === null ? [] : [[partition.key, partition]])),
  );
  await ensurePartitions(tx, [...wanted.values()]);
  if (born.length === 0) return [];
  const given = JSON.stringify(
    born.map(({ opening, ...delivery }) => ({
      ...delivery,
      state: opening.state,
      reason: opening.state === "expired" ? opening.reason : null,
      nextMs: opening.state === "scheduled" ? opening.nextEligibleAtMs : null,
      heldBy: opening.state === "scheduled" ? opening.heldBy : null,
    })),
  );
  await rows(
    tx,
    sql`insert into deliveries (id, key, reference, occurrence_id, subscriber_id, channel, destination_id, partition, lane,
        flow, cost, state, reason, last_class, scheduled_at, next_eligible_at, expires_at, created_at, finished_at,
        payload_id, version, owner)
      select w.id, w.key, w.reference, w."occurrenceId", w."subscriberId", w.channel, w."destinationId", w.partition, w.lane,
        w."subscriberId"::text, w.cost, w.state, w.reason, w."heldBy", from_epoch_ms(w."dueAtMs"), from_epoch_ms(w."nextMs"),
        from_epoch_ms(w."expiresAtMs"), ledger_now(), case when w.state = 'expired' then ledger_now() end,
        w."payloadId", w.version, coalesce(p.owner, 1)
      from jsonb_to_recordset(${given}::jsonb) as w(id uuid, key text, reference text, "occurrenceId" uuid,
        "subscriberId" uuid, channel text, "destinationId" uuid, partition text, lane text, cost int, state text, reason text,
        "heldBy" text, "dueAtMs" float8, "nextMs" float8, "expiresAtMs" float8, "payloadId" uuid, version int)
      left join partitions p on p.key = w.partition
      on conflict (key) do nothing`,
  );
  return [...wanted.keys()];
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
