import { sql } from "drizzle-orm";
import { partitionFor } from "../admission/partition-defaults";
import { ledgerNowMs, rows, type Transaction, transact, uuids } from "../connection";
import { effects } from "../effects";
import { endWaiting } from "../ledger/expire";
import { insertDeliveries, type NewDelivery } from "../ledger/insert-deliveries";
import { readDestinations, readOptOuts, targetsOf } from "../ledger/opening-facts";
import { deliveryKey } from "../rules/delivery-key";
import { messageLocale } from "../rules/message-locale";
import type { Channel } from "../rules/outcome";
import { decideUpdate } from "../rules/shipment-opening";
import { type LaneDegradation, lockingAffected, SIBLINGS } from "./degradation";
import { type PageRow, readUpdatePayloads, type UpdateToRender } from "./fan-out-facts";

/** The order in which other channels are asked: what costs least and is read soonest first. */
const CHANNELS: readonly Channel[] = ["push", "email", "sms"];

/** Rows per transaction. */
const BATCH = 300;

/** A waiting update with what its copy on another channel needs. */
interface MovableRow
  extends Omit<UpdateToRender, "channel" | "language">,
    Omit<PageRow, "channels" | "chosen" | "newerChosen"> {
  id: string;
  channel: Channel;
  lane: NewDelivery["lane"];
  flow: string;
  dueAtMs: number;
  expiresAtMs: number;
}

export interface Moved {
  moved: number;
  /** Partitions that have new work. */
  partitions: string[];
  /** Content that a move needs and nobody has rendered yet: render it and ask again. */
  unrendered: UpdateToRender[];
}

/**
 * Moves the oldest waiting updates of a lane to another verified channel of their readers: a delivery with that channel's
 * own key is born and the old one ends as `moved`, in one transaction, so that nobody gets both and nobody none (P1, P5).
 * Whoever already has that channel's delivery keeps it, as long as it lives: its row is locked, so that it is not moved away
 * at the same moment. Whoever has no other channel waits on, and so does a reader whose other row somebody else holds.
 *
 * Lock order: the waiting rows and their siblings with SKIP LOCKED; everything else is read after them.
 */
export async function moveToOtherChannel(policy: LaneDegradation): Promise<Moved> {
  return transact(async (tx) => {
    const locked = await rows<{ id: string }>(tx, lockingAffected(policy, BATCH));
    const waiting = await readMovable(
      tx,
      locked.map((row) => row.id),
    );
    const subscriberIds = waiting.map((row) => row.subscriberId);
    const destinations = await readDestinations(tx, subscriberIds);
    const optedOut = await readOptOuts(tx, subscriberIds, "shipments");
    const payloads = await readUpdatePayloads(tx, [...new Set(waiting.map((row) => row.eventId))]);
    const carriers = await lockCarriers(tx, waiting);
    const nowMs = await ledgerNowMs(tx);
    const born: NewDelivery[] = [];
    const gone: string[] = [];
    const unrendered = new Map<string, UpdateToRender>();
    for (const row of waiting) {
      const channel = CHANNELS.find((other) => {
        const name = `${row.subscriberId}:${other}`;
        const [first] = targetsOf(other, destinations.get(name) ?? []).targets;
        const isReached = !optedOut.has(name) && first !== null && first !== undefined;
        return other !== row.channel && isReached && carriers(row, other);
      });
      if (channel === undefined) continue;
      const language = messageLocale(row.locale);
      const name = `${row.eventId}:${channel}:${language}`;
      const payload = payloads.get(name);
      if (payload === undefined) {
        unrendered.set(name, { ...row, channel, language });
        continue;
      }
      const { targets } = targetsOf(channel, destinations.get(`${row.subscriberId}:${channel}`) ?? []);
      born.push(
        ...targets.flatMap((target) =>
          target === null ? [] : [copyOf(row, { channel, target, payload, nowMs })],
        ),
      );
      gone.push(row.id);
    }
    const partitions = await insertDeliveries(tx, born);
    const ended = await endWaiting(tx, gone, "moved");
    return { moved: ended.length, partitions, unrendered: [...unrendered.values()] };
  });
}

/**
 * Locks what other channels have of these updates, and tells whether one can carry an update: it has nothing of it yet, or
 * a row that lives and is ours to hold until the commit. A channel of a row that has ended since, or that somebody else
 * holds, carries nothing now.
 */
async function lockCarriers(
  tx: Transaction,
  waiting: readonly MovableRow[],
): Promise<(row: MovableRow, channel: Channel) => boolean> {
  const others = sql`(select s.id from deliveries d, lateral (select s.id from ${SIBLINGS} and s.channel <> d.channel) s
    where d.id = any(${uuids(waiting.map((row) => row.id))}))`;
  const locked = await rows<{ id: string }>(
    tx,
    sql`select id from deliveries where id in ${others} order by id for update skip locked`,
  );
  const found = await rows<{ id: string; name: string; lives: boolean }>(
    tx,
    sql`select id, shipment_event_id || ':' || subscriber_id || ':' || channel as name,
        state not in ('dead', 'expired') as lives from deliveries where id in ${others}`,
  );
  const mine = new Set(locked.map(({ id }) => id));
  const known = new Set(found.map(({ name }) => name));
  const carried = new Set(found.flatMap(({ id, name, lives }) => (lives && mine.has(id) ? [name] : [])));
  return ({ eventId, subscriberId }, channel) => {
    const name = `${eventId}:${subscriberId}:${channel}`;
    return !known.has(name) || carried.has(name);
  };
}

function readMovable(tx: Transaction, ids: readonly string[]): Promise<MovableRow[]> {
  return rows<MovableRow>(
    tx,
    sql`select d.id, d.channel, d.subscriber_id as "subscriberId", s.locale, d.lane, d.flow,
        epoch_ms(d.scheduled_at) as "dueAtMs", epoch_ms(d.expires_at) as "expiresAtMs",
        e.id as "eventId", e.version, e.shipment_id as "shipmentId", e.status, p.order_ref as "order", p.carrier,
        p.tracking_number as "trackingNumber", p.url, p.expected_on::text as "expectedOn", e.detail, e.location,
        e.pick_up_code as "pickUpCode", f.policy, s.time_zone as "timeZone", s.quiet_from as "quietFrom",
        s.quiet_until as "quietUntil", s.sms_from as "smsFrom", s.sms_until as "smsUntil",
        epoch_ms(s.paused_until) as "awayUntilMs"
      from deliveries d join shipment_events e on e.id = d.shipment_event_id join shipments p on p.id = e.shipment_id
        join subscribers s on s.id = d.subscriber_id
        join lateral (select policy from shipment_followers f where f.shipment_id = e.shipment_id
          and f.subscriber_id = d.subscriber_id order by f.joined_version desc limit 1) f on true
      where d.id = any(${uuids(ids)}) order by d.scheduled_at, d.id`,
  );
}

/** The delivery of the other channel: due and of use as long as the one that it stands for. */
function copyOf(
  row: MovableRow,
  to: {
    channel: Channel;
    target: { id: string; address: string };
    payload: { id: string; cost: number };
    nowMs: number;
  },
): NewDelivery {
  const { shipmentId, version, subscriberId, dueAtMs, expiresAtMs } = row;
  const { channel, target, payload, nowMs } = to;
  const device = channel === "push" ? { deviceId: target.id } : {};
  return {
    id: effects.newId(),
    key: deliveryKey({ source: "shipment", shipmentId, version, subscriberId, channel, ...device }),
    shipmentEventId: row.eventId,
    subscriberId,
    channel,
    destinationId: target.id,
    partition: partitionFor(channel, target.address),
    lane: row.lane,
    flow: row.flow,
    cost: payload.cost,
    dueAtMs,
    expiresAtMs,
    payloadId: payload.id,
    version,
    opening: decideUpdate(
      {
        ...row,
        channel,
        address: target.address,
        chosen: true,
        newerChosen: false,
        hasDestination: true,
        suppressed: false,
        preferred: true,
      },
      nowMs,
    ),
  };
}
