import { sql } from "drizzle-orm";
import { partitionFor } from "../admission/partition-defaults";
import { ledgerNowMs, rows, type Transaction, transact, uuids } from "../connection";
import { effects } from "../effects";
import { endWaiting } from "../ledger/expire";
import { insertDeliveries, type NewDelivery } from "../ledger/insert-deliveries";
import { type DestinationRow, readDestinations, readOptOuts, targetsOf } from "../ledger/opening-facts";
import { deliveryKey } from "../rules/delivery-key";
import { messageLocale } from "../rules/message-locale";
import type { Channel } from "../rules/outcome";
import { decideUpdate } from "../rules/shipment-opening";
import { laneOfMilestone, updateExpiresAtMs } from "../rules/shipment-status";
import {
  lockUpdates,
  type PageRow,
  readPage,
  readUpdatePayloads,
  type UpdatePayloads,
  type UpdateRow,
} from "./fan-out-facts";

export interface FanOutOutcome {
  /** Partitions that have new work. */
  partitions: string[];
  deliveries: number;
  /** Followers who have their rows now. */
  followers: number;
  /** Scans that are finished now. */
  finished: number;
}

/** Followers per transaction: with three channels and a few devices that stays under a thousand rows. */
const PAGE = 300;

/** Of each scan at least so many, so that fifty scans of four followers go in one page. */
const PER_EVENT_MIN = 6;

/** How many followers of each scan the next page takes. */
export function pageSizeFor(scans: number): number {
  return Math.max(PER_EVENT_MIN, Math.floor(PAGE / Math.max(1, scans)));
}

/**
 * Opens the next page of each of these scans: rows for its next followers and the moved cursor in one transaction, so
 * that a crash anywhere leaves neither a gap nor a double (P1, P5). Whoever is skipped gets a row born `expired` with the
 * reason; an update waiting for the same follower, who wants only the latest, ends `superseded`. A follower whose content
 * is not rendered yet ends the page before them.
 *
 * Lock order: scans by id, subscribers FOR SHARE, then the older deliveries by id.
 */
export async function openFanOutPage(eventIds: readonly string[]): Promise<FanOutOutcome> {
  return transact(async (tx) => {
    const updates = await lockUpdates(tx, eventIds);
    if (updates.length === 0) return { partitions: [], deliveries: 0, followers: 0, finished: 0 };
    const limit = pageSizeFor(updates.length);
    // One more than the page: whether there is a next one.
    const read = await readPage(
      tx,
      updates.map((update) => update.id),
      limit + 1,
    );
    const context = await readContext(tx, updates, read);
    const pages = updates.map((update) => pageOf(update, read, limit, context));
    const born = pages.flatMap((page) => page.born);
    const partitions = await insertDeliveries(tx, born);
    await supersedeOlder(
      tx,
      pages.flatMap((page) => page.overtaking),
    );
    await moveCursors(tx, pages);
    return {
      partitions,
      deliveries: born.length,
      followers: pages.reduce((sum, page) => sum + page.followers, 0),
      finished: pages.filter((page) => page.finished).length,
    };
  });
}

interface Context {
  nowMs: number;
  destinations: Map<string, DestinationRow[]>;
  optedOut: Set<string>;
  payloads: UpdatePayloads;
}

async function readContext(
  tx: Transaction,
  updates: readonly UpdateRow[],
  page: readonly PageRow[],
): Promise<Context> {
  const subscriberIds = [...new Set(page.map((row) => row.subscriberId))].sort();
  await rows(
    tx,
    sql`select id from subscribers where id = any(${uuids(subscriberIds)}) order by id for share`,
  );
  return {
    nowMs: await ledgerNowMs(tx),
    destinations: await readDestinations(tx, subscriberIds),
    optedOut: await readOptOuts(tx, subscriberIds, "shipments"),
    payloads: await readUpdatePayloads(
      tx,
      updates.map((update) => update.id),
    ),
  };
}

interface Overtaking {
  shipmentId: string;
  version: number;
  subscriberId: string;
  channel: Channel;
}

interface Page {
  eventId: string;
  born: NewDelivery[];
  overtaking: Overtaking[];
  followers: number;
  cursor: string | null;
  finished: boolean;
}

function pageOf(update: UpdateRow, read: readonly PageRow[], limit: number, context: Context): Page {
  const mine = read.filter((row) => row.eventId === update.id);
  const page: Page = {
    eventId: update.id,
    born: [],
    overtaking: [],
    followers: 0,
    cursor: update.cursor,
    finished: false,
  };
  for (const follower of mine.slice(0, limit)) {
    const born = deliveriesOf(update, follower, context);
    if (born === null) return page;
    page.born.push(...born);
    page.followers += 1;
    page.cursor = follower.subscriberId;
    const { shipmentId, version } = update;
    for (const channel of follower.policy === "latest" ? follower.channels : []) {
      const isLive = born.some((row) => row.channel === channel && row.opening.state !== "expired");
      if (isLive) page.overtaking.push({ shipmentId, version, subscriberId: follower.subscriberId, channel });
    }
  }
  page.finished = mine.length <= limit;
  return page;
}

/** The rows of one follower; null when content that they need is not rendered. */
function deliveriesOf(update: UpdateRow, follower: PageRow, context: Context): NewDelivery[] | null {
  const born: NewDelivery[] = [];
  for (const channel of follower.channels) {
    const payload = context.payloads.get(`${update.id}:${channel}:${messageLocale(follower.locale)}`);
    if (payload === undefined && follower.chosen) return null;
    const name = `${follower.subscriberId}:${channel}`;
    const { targets, suppressed } = targetsOf(channel, context.destinations.get(name) ?? []);
    const expiresAtMs = updateExpiresAtMs(update.occurredAtMs, update.recordedAtMs);
    for (const target of targets) {
      const device = channel === "push" && target !== null ? { deviceId: target.id } : {};
      const { shipmentId, version } = update;
      const { subscriberId } = follower;
      born.push({
        id: effects.newId(),
        key: deliveryKey({ source: "shipment", shipmentId, version, subscriberId, channel, ...device }),
        shipmentEventId: update.id,
        subscriberId,
        channel,
        destinationId: target?.id ?? null,
        partition: target === null ? null : partitionFor(channel, target.address),
        lane: laneOfMilestone(update.status),
        flow: update.flow,
        cost: payload?.cost ?? 1,
        dueAtMs: update.recordedAtMs,
        expiresAtMs,
        payloadId: payload?.id ?? null,
        version,
        opening: decideUpdate(
          {
            ...follower,
            channel,
            dueAtMs: update.recordedAtMs,
            expiresAtMs,
            address: target?.address ?? null,
            hasDestination: target !== null,
            suppressed,
            preferred: !context.optedOut.has(name),
          },
          context.nowMs,
        ),
      });
    }
  }
  return born;
}

/** A follower who wants the latest gets one message: older versions that still wait on the channel give way. */
async function supersedeOlder(tx: Transaction, overtaking: readonly Overtaking[]): Promise<void> {
  if (overtaking.length === 0) return;
  const older = await rows<{ id: string }>(
    tx,
    sql`select d.id from jsonb_to_recordset(${JSON.stringify(overtaking)}::jsonb)
          as w("shipmentId" uuid, version int, "subscriberId" uuid, channel text)
        join deliveries d on d.subscriber_id = w."subscriberId" and d.channel = w.channel and d.version < w.version
          and d.state in ('scheduled', 'ready', 'deferred') and d.unresolved_since is null
        join shipment_events e on e.id = d.shipment_event_id and e.shipment_id = w."shipmentId"
      order by d.id for update of d`,
  );
  await endWaiting(
    tx,
    older.map((row) => row.id),
    "superseded",
  );
}

async function moveCursors(tx: Transaction, pages: readonly Page[]): Promise<void> {
  const moved = pages.map(({ eventId, cursor, finished }) => ({ eventId, cursor, finished }));
  await rows(
    tx,
    sql`update shipment_events e set cursor = w.cursor, fanned_out_at = case when w.finished then ledger_now() end
      from jsonb_to_recordset(${JSON.stringify(moved)}::jsonb) as w("eventId" uuid, cursor uuid, finished boolean)
      where e.id = w."eventId"`,
  );
}
