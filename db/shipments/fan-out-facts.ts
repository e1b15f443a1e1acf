import { type SQL, sql } from "drizzle-orm";
import { rows, type Transaction, transact, uuids } from "../connection";
import { type MessageLocale, messageLocale } from "../rules/message-locale";
import type { Channel } from "../rules/outcome";
import type { Milestone } from "../rules/shipment-status";

/** An announced scan that is being fanned out. */
export interface UpdateRow {
  id: string;
  shipmentId: string;
  version: number;
  status: Milestone;
  occurredAtMs: number;
  recordedAtMs: number;
  flow: string;
  cursor: string | null;
}

/** A follower of the page that an update is at. */
export interface PageRow {
  eventId: string;
  subscriberId: string;
  channels: Channel[];
  chosen: boolean;
  policy: "every" | "latest";
  newerChosen: boolean;
  locale: string;
  timeZone: string;
  quietFrom: string | null;
  quietUntil: string | null;
  smsFrom: string | null;
  smsUntil: string | null;
  awayUntilMs: number | null;
}

/** Content that the next pages need and nobody has rendered, with what a rendering says. */
export interface UpdateToRender {
  eventId: string;
  version: number;
  channel: Channel;
  language: MessageLocale;
  shipmentId: string;
  status: Milestone;
  order: string | null;
  carrier: string | null;
  trackingNumber: string | null;
  url: string | null;
  expectedOn: string | null;
  detail: string | null;
  location: string | null;
  pickUpCode: string | null;
}

/** Before every UUID. */
const FIRST = sql`'00000000-0000-0000-0000-000000000000'::uuid`;

/** Of the parcels of these scans, the earliest that still lacks rows: versions of one parcel are fanned out in order. */
const nextOf = (
  ids: readonly string[],
): SQL => sql`e.shipment_id in (select g.shipment_id from shipment_events g
    where g.id = any(${uuids(ids)})) and e.version is not null and e.fanned_out_at is null
  and e.version <= (select max(g.version) from shipment_events g where g.id = any(${uuids(ids)}) and g.shipment_id = e.shipment_id)
  and not exists (select 1 from shipment_events older where older.shipment_id = e.shipment_id
    and older.version < e.version and older.fanned_out_at is null)`;

/** Followers at the event, past its cursor: membership is counted in versions, so this never changes. */
const membersOf = (limit: number): SQL => sql`select f.* from shipment_followers f
  where f.shipment_id = e.shipment_id and f.subscriber_id > coalesce(e.cursor, ${FIRST})
    and f.joined_version < e.version and (f.left_version is null or f.left_version >= e.version)
  order by f.subscriber_id limit ${limit}`;

/** Locks the scans whose next page is to be opened; whoever else opens it waits here and finds the cursor moved. */
export function lockUpdates(tx: Transaction, ids: readonly string[]): Promise<UpdateRow[]> {
  return rows<UpdateRow>(
    tx,
    sql`select e.id, e.shipment_id as "shipmentId", e.version, e.status, epoch_ms(e.occurred_at) as "occurredAtMs",
        epoch_ms(e.recorded_at) as "recordedAtMs", e.cursor,
        (select case when s.order_ref is null then 'shipment:' || s.id else 'order:' || md5(s.order_ref) end
          from shipments s where s.id = e.shipment_id) as flow
      from shipment_events e where ${nextOf(ids)} order by e.id for no key update`,
  );
}

/** The next `limit` followers of each scan, by subscriber, read after the scans' locks. */
export function readPage(tx: Transaction, ids: readonly string[], limit: number): Promise<PageRow[]> {
  return rows<PageRow>(
    tx,
    sql`select e.id as "eventId", f.subscriber_id as "subscriberId", f.channels, e.status = any(f.milestones) as chosen,
        f.policy, exists (select 1 from shipment_events newer where newer.shipment_id = e.shipment_id
          and newer.version > e.version and newer.version <= coalesce(f.left_version, newer.version)
          and newer.status = any(f.milestones)) as "newerChosen",
        s.locale, s.time_zone as "timeZone", s.quiet_from as "quietFrom", s.quiet_until as "quietUntil",
        s.sms_from as "smsFrom", s.sms_until as "smsUntil", epoch_ms(s.paused_until) as "awayUntilMs"
      from shipment_events e, lateral (${membersOf(limit)}) f join subscribers s on s.id = f.subscriber_id
      where e.id = any(${uuids(ids)})
      order by e.id, f.subscriber_id`,
  );
}

/** Payload ids and costs by `<scan>:<channel>:<language>`. */
export type UpdatePayloads = Map<string, { id: string; cost: number }>;

/** What is rendered of these scans. */
export async function readUpdatePayloads(
  tx: Transaction,
  eventIds: readonly string[],
): Promise<UpdatePayloads> {
  const found = await rows<{ id: string; eventId: string; channel: Channel; variant: string; cost: number }>(
    tx,
    sql`select id, source_id as "eventId", channel, variant, cost from payloads
      where source_id = any(${uuids(eventIds)})`,
  );
  return new Map(
    found.map(({ eventId, channel, variant, ...row }) => [`${eventId}:${channel}:${variant}`, row]),
  );
}

/** What must be rendered before the next pages of these scans can open: each content once per language. */
export async function readUnrendered(ids: readonly string[], limit: number): Promise<UpdateToRender[]> {
  const found = await transact((tx) =>
    rows<Omit<UpdateToRender, "language"> & { locale: string; rendered: string[] | null }>(
      tx,
      sql`select distinct e.id as "eventId", e.version, c.channel, lower(split_part(s.locale, '-', 1)) as locale,
          e.shipment_id as "shipmentId", e.status, p.order_ref as "order", p.carrier, p.tracking_number as "trackingNumber",
          p.url, p.expected_on::text as "expectedOn", e.detail, e.location, e.pick_up_code as "pickUpCode",
          (select array_agg(pay.variant) from payloads pay where pay.source_id = e.id and pay.version = e.version
            and pay.channel = c.channel) as rendered
        from shipment_events e join shipments p on p.id = e.shipment_id, lateral (${membersOf(limit)}) f
          join subscribers s on s.id = f.subscriber_id, unnest(f.channels) as c(channel)
        where ${nextOf(ids)} and e.status = any(f.milestones)`,
    ),
  );
  const wanted = new Map<string, UpdateToRender>();
  for (const { locale, rendered, ...update } of found) {
    const language = messageLocale(locale);
    if (rendered?.includes(language)) continue;
    wanted.set(`${update.eventId}:${update.channel}:${language}`, { ...update, language });
  }
  return [...wanted.values()];
}
