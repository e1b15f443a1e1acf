import { type SQL, sql } from "drizzle-orm";
import { ledgerNowMs, rows, type Transaction, transact, uuids } from "../connection";
import { NEXT_ELIGIBLE_MS } from "../ledger/next-eligible";
import { fail, ok, type Result } from "../rules/errors";
import type { DeliveryState } from "../rules/lifecycle";
import type { Channel, Lane } from "../rules/outcome";
import { microseconds, olderThan, type Place, readPlace, writePlace } from "./cursor";

/** What an operator may narrow the ledger down by; all that are given must hold. */
export interface DeliveryFilters {
  state?: DeliveryState;
  channel?: Channel;
  partition?: string;
  lane?: Lane;
  reason?: string;
  /** What the last call said, or what put the row where it waits. */
  lastClass?: string;
  /** Only what was opened within this many milliseconds. */
  withinMs?: number;
  subscriberId?: string;
  reminderId?: string;
}

/** One delivery in a list. Nothing personal: addresses and texts are not read here. */
export interface DeliveryLine {
  reference: string;
  key: string;
  channel: Channel;
  lane: Lane;
  partition: string | null;
  state: DeliveryState;
  reason: string | null;
  lastClass: string | null;
  scheduledAtMs: number;
  nextEligibleAtMs: number | null;
  latestAttemptAtMs: number | null;
  finishedAtMs: number | null;
  expiresAtMs: number;
  attempts: number;
}

export interface DeliveryPage {
  deliveries: DeliveryLine[];
  /** Where the list goes on; null at its end. */
  next: string | null;
  /** True when the look stopped at `SCAN_MAX` rows before the page was full: there may be more behind it. */
  partial: boolean;
  /** When the oldest row that was looked at was opened. */
  lookedBackToMs: number | null;
  nowMs: number;
}

/** Rows that one page looks at, at most: what reads in a tenth of a second when nothing fits the filters. */
export const SCAN_MAX = 25_000;

interface Found extends DeliveryLine {
  id: string;
  atUs: string;
}

const LINE = sql`d.id, ${microseconds(sql`d.created_at`)} as "atUs", d.reference, d.key, d.channel, d.lane, d.partition, d.state,
  d.reason, d.last_class as "lastClass", epoch_ms(d.scheduled_at) as "scheduledAtMs",
  ${NEXT_ELIGIBLE_MS} as "nextEligibleAtMs", epoch_ms(d.latest_attempt_at) as "latestAttemptAtMs",
  epoch_ms(d.finished_at) as "finishedAtMs", epoch_ms(d.expires_at) as "expiresAtMs", d.attempt_count as attempts`;

/**
 * A page of the ledger, what was opened last first. Whatever the filters, a page looks at `SCAN_MAX` rows at most and
 * then says how far it came; the next one goes on behind the last row that was looked at, so paging skips nothing and
 * repeats nothing.
 */
export async function listDeliveries(
  filters: DeliveryFilters,
  options: { after?: string; limit: number },
): Promise<Result<DeliveryPage>> {
  const after = options.after === undefined ? null : readPlace(options.after);
  if (options.after !== undefined && after === null) return fail({ code: "not_found", what: "page" });
  return transact(async (tx) => {
    const { subscriberId } = filters;
    const own = subscriberId === undefined ? null : await readOwn(tx, subscriberId);
    const window = windowOf(filters, after, own);
    const found = await rows<Found>(
      tx,
      sql`select ${LINE} from (${window}) d where ${conditions(filters)}
        order by d.created_at desc, d.id desc limit ${options.limit + 1}`,
    );
    const full = found.length > options.limit;
    const shown = found.slice(0, options.limit);
    const end = full ? placeOf(shown.at(-1)) : await endOfWindow(tx, window);
    return ok({
      deliveries: shown.map(({ id: _, atUs: __, ...line }) => line),
      next: end === null ? null : writePlace(end),
      partial: !full && end !== null,
      lookedBackToMs: end === null ? null : Number(end.atUs) / 1000,
      nowMs: await ledgerNowMs(tx),
    });
  });
}

function placeOf(row: Found | undefined): Place | null {
  return row === undefined ? null : { atUs: row.atUs, id: row.id };
}

/** The rows that one page may look at, in order; a person's or a reminder's own are found by their own indexes. */
function windowOf(filters: DeliveryFilters, after: Place | null, own: readonly string[] | null): SQL {
  const since =
    filters.withinMs === undefined
      ? sql`true`
      : sql`w.created_at >= ledger_now() - ${filters.withinMs} * interval '1 millisecond'`;
  return sql`select w.* from deliveries w where ${since} and ${own === null ? sql`true` : sql`w.id = any(${uuids(own)})`}
    and ${ofReminder(filters.reminderId)}
    and ${olderThan(after, sql`w.created_at`, sql`w.id`)} order by w.created_at desc, w.id desc limit ${SCAN_MAX}`;
}

/** A person's own rows are named one by one up to so many; whose are more, is found among the newest of everybody. */
export const OWN_MAX = 2_000;

/** Ids of a subscriber's deliveries; null when there are more than `OWN_MAX`. */
async function readOwn(tx: Transaction, subscriberId: string): Promise<string[] | null> {
  const own = await rows<{ id: string }>(
    tx,
    sql`select s.id from reminders r join occurrences o on o.reminder_id = r.id join deliveries s on s.occurrence_id = o.id
        where r.subscriber_id = ${subscriberId}::uuid
      union all select s.id from notices n join deliveries s on s.notice_id = n.id
        where n.subscriber_id = ${subscriberId}::uuid
      union all select s.id from shipment_followers f join shipment_events e on e.shipment_id = f.shipment_id
        join deliveries s on s.shipment_event_id = e.id and s.subscriber_id = f.subscriber_id
        where f.subscriber_id = ${subscriberId}::uuid
      limit ${OWN_MAX + 1}`,
  );
  return own.length > OWN_MAX ? null : own.map((row) => row.id);
}

function ofReminder(reminderId: string | undefined): SQL {
  return reminderId === undefined
    ? sql`true`
    : sql`w.occurrence_id = any(array(select o.id from occurrences o where o.reminder_id = ${reminderId}::uuid))`;
}

function conditions(filters: DeliveryFilters): SQL {
  const equal = (column: SQL, value: string | undefined) =>
    value === undefined ? sql`true` : sql`${column} = ${value}`;
  const { subscriberId } = filters;
  return sql`${subscriberId === undefined ? sql`true` : sql`d.subscriber_id = ${subscriberId}::uuid`}
    and ${equal(sql`d.state`, filters.state)} and ${equal(sql`d.channel`, filters.channel)}
    and ${equal(sql`d.partition`, filters.partition)} and ${equal(sql`d.lane`, filters.lane)}
    and ${equal(sql`d.reason`, filters.reason)} and ${equal(sql`d.last_class`, filters.lastClass)}`;
}

/** The last row of a full window; null when the window holds everything that is left. */
async function endOfWindow(tx: Transaction, window: SQL): Promise<Place | null> {
  const [row] = await rows<Place>(
    tx,
    sql`select ${microseconds(sql`d.created_at`)} as "atUs", d.id from (${window}) d
      order by d.created_at desc, d.id desc offset ${SCAN_MAX - 1} limit 1`,
  );
  return row ?? null;
}
