import { sql } from "drizzle-orm";
import { rows, type Transaction, transact } from "../connection";
import { endWaiting } from "../ledger/expire";
import { type Operator, recordAction } from "../operator-actions";
import { fail, ok, type Result } from "../rules/errors";
import { eraseAccount, readAccount } from "./account";

/** What an erasure came to. */
export interface Erased {
  subscriberId: string;
  reminders: number;
  addresses: number;
  /** Deliveries that waited and end with the reason `erased`. */
  ended: number;
}

/**
 * Erases a person: what they wrote, where they were reached, what was sent to them, what providers said about it, their
 * account and sessions. What stays names nobody: the ledger with its keys and counts, so that every promise can still be
 * checked, and the hashes of addresses that said stop. What waits ends as `erased`; a call under way is the last one.
 * Again it changes nothing. An operator's role is to be taken away first: the audit log names operators.
 *
 * Lock order: reminders, parcels, subscriber, destinations, deliveries.
 */
export async function eraseSubscriber(subscriberId: string, by: Operator): Promise<Result<Erased>> {
  return transact(async (tx): Promise<Result<Erased>> => {
    const id = sql`${subscriberId}::uuid`;
    await rows(tx, sql`select id from reminders where subscriber_id = ${id} order by id for update`);
    await rows(
      tx,
      sql`select id from shipments where id in (select shipment_id from shipment_followers where subscriber_id = ${id})
        order by id for no key update`,
    );
    const [person] = await rows<{ erased: boolean }>(
      tx,
      sql`select erased_at is not null as erased from subscribers where id = ${id} for update`,
    );
    if (person === undefined) return fail({ code: "not_found", what: "subscriber" });
    if (person.erased) return ok({ subscriberId, reminders: 0, addresses: 0, ended: 0 });
    const account = await readAccount(tx, subscriberId);
    if (account !== null && account.role !== "shopper") {
      const why = "This is an operator. Take the role away first (`npm run ops -- role`).";
      return fail({ code: "conflict", why });
    }
    await eraseAccount(tx, subscriberId, account);
    const reminders = await eraseReminders(tx, subscriberId);
    await eraseParcels(tx, subscriberId);
    const addresses = await eraseAddresses(tx, subscriberId);
    const ended = await endDeliveries(tx, subscriberId);
    await eraseMessages(tx, subscriberId);
    await rows(
      tx,
      sql`update subscribers set external_id = null, user_id = null, time_zone = 'UTC', locale = 'en', quiet_from = null,
          quiet_until = null, sms_from = null, sms_until = null, paused_until = null, erased_at = ledger_now()
        where id = ${id}`,
    );
    const counts = { reminders, addresses, ended };
    await recordAction(tx, by, { action: "erase", target: subscriberId, details: counts });
    return ok({ subscriberId, ...counts });
  });
}

async function eraseReminders(tx: Transaction, subscriberId: string): Promise<number> {
  const mine = sql`(select id from reminders where subscriber_id = ${subscriberId}::uuid)`;
  await rows(
    tx,
    sql`delete from idempotency_keys where scope = ${`web:${subscriberId}`}
      or (response->>'id') in (select id::text from ${mine} as mine)`,
  );
  await rows(
    tx,
    sql`update occurrences set state = 'cancelled' where state = 'waiting' and reminder_id in ${mine}`,
  );
  const erased = await rows(
    tx,
    sql`update reminders set title = '(erased)', note = null, url = null, check_url = null, floating = false,
        status = 'cancelled', cancelled_at = coalesce(cancelled_at, ledger_now()), updated_at = ledger_now()
      where subscriber_id = ${subscriberId}::uuid returning 1`,
  );
  return erased.length;
}

/** Nothing is followed any more; a parcel that nobody else ever followed tells about this person alone. */
async function eraseParcels(tx: Transaction, subscriberId: string): Promise<void> {
  await rows(
    tx,
    sql`update shipment_followers f set left_version = greatest(f.joined_version, s.version), updated_at = ledger_now()
      from shipments s where s.id = f.shipment_id and f.subscriber_id = ${subscriberId}::uuid and f.left_version is null`,
  );
  const alone = await rows<{ id: string }>(
    tx,
    sql`update shipments s set order_ref = null, carrier = null, tracking_number = null, url = null
      where s.id in (select shipment_id from shipment_followers where subscriber_id = ${subscriberId}::uuid)
        and not exists (select 1 from shipment_followers f join subscribers x on x.id = f.subscriber_id
          where f.shipment_id = s.id and f.subscriber_id <> ${subscriberId}::uuid and x.erased_at is null)
      returning s.id`,
  );
  await rows(
    tx,
    sql`update shipment_events set detail = null, location = null, pick_up_code = null
      where shipment_id in (select w.id from jsonb_to_recordset(${JSON.stringify(alone)}::jsonb) as w(id uuid))`,
  );
}

async function eraseAddresses(tx: Transaction, subscriberId: string): Promise<number> {
  await rows(
    tx,
    sql`select id from destinations where subscriber_id = ${subscriberId}::uuid order by id for update`,
  );
  const erased = await rows(
    tx,
    sql`update destinations set state = 'retired', state_reason = 'erased', address = 'erased:' || id, label = null,
        daily_limit = null, p256dh = case when p256dh is not null then 'erased' end,
        auth = case when auth is not null then 'erased' end
      where subscriber_id = ${subscriberId}::uuid returning 1`,
  );
  await rows(tx, sql`delete from preferences where subscriber_id = ${subscriberId}::uuid`);
  return erased.length;
}

/** What waits ends; what is dead is nobody's business any more, and no redrive takes it up. */
async function endDeliveries(tx: Transaction, subscriberId: string): Promise<number> {
  const locked = await rows<{ id: string; state: string }>(
    tx,
    sql`select id, state from deliveries where subscriber_id = ${subscriberId}::uuid order by id for update`,
  );
  const waiting = locked.filter(({ state }) => ["scheduled", "ready", "deferred"].includes(state));
  const ended = await endWaiting(
    tx,
    waiting.map((row) => row.id),
    "erased",
  );
  // A parcel's messages stand under a hash of the order's number, which whoever knows the shop could guess.
  await rows(
    tx,
    sql`update deliveries set flow = 'erased:' || id,
        dismissed_at = case when state = 'dead' then coalesce(dismissed_at, ledger_now()) else dismissed_at end
      where subscriber_id = ${subscriberId}::uuid`,
  );
  return ended.length;
}

/**
 * Contents that nobody else was sent, and the providers' words. What an update says names nobody: it stays as long as
 * somebody else follows its parcel, who may be sent it on another channel yet.
 */
async function eraseMessages(tx: Transaction, subscriberId: string): Promise<void> {
  await rows(
    tx,
    sql`update payloads p set content = null, wiped_at = ledger_now() where p.wiped_at is null
      and (p.id in (select payload_id from deliveries where subscriber_id = ${subscriberId}::uuid)
        or p.source_id in (select o.id from occurrences o join reminders r on r.id = o.reminder_id
          where r.subscriber_id = ${subscriberId}::uuid)
        or p.source_id in (select id from notices where subscriber_id = ${subscriberId}::uuid))
      and not exists (select 1 from deliveries d where d.payload_id = p.id and d.subscriber_id <> ${subscriberId}::uuid)
      and not exists (select 1 from shipment_events e join shipment_followers f on f.shipment_id = e.shipment_id
        join subscribers x on x.id = f.subscriber_id where e.id = p.source_id
          and f.subscriber_id <> ${subscriberId}::uuid and x.erased_at is null)`,
  );
  await rows(
    tx,
    sql`update attempts set detail = null where detail is not null
      and delivery_id in (select id from deliveries where subscriber_id = ${subscriberId}::uuid)`,
  );
}
