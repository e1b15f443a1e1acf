import { sql } from "drizzle-orm";
import { alone, type Executor, rows, type Transaction, transact } from "./connection";
import { effects } from "./effects";
import { once } from "./idempotency";
import { moveFloating } from "./reminders/rederive";
import type { PutSubscriberBody } from "./rules/api-schemas";
import { fail, invalid, ok, type Result } from "./rules/errors";
import { isId } from "./rules/id";
import type { Channel } from "./rules/outcome";
import { standingSuppression } from "./suppressions";

export interface DestinationView {
  id: string;
  channel: Channel;
  /** Email address or number; for push the service's host, never the endpoint. */
  address: string;
  label: string | null;
  state: "active" | "suppressed";
  verified: boolean;
  /** The most messages a day that its owner wants there; null: no limit. */
  dailyLimit: number | null;
}

export interface SubscriberView {
  id: string;
  externalId: string | null;
  timeZone: string;
  locale: string;
  destinations: DestinationView[];
}

interface NewDestination {
  channel: Channel;
  address: string;
  p256dh?: string;
  auth?: string;
  label?: string | null;
  verified: boolean;
}

/** A person may not hold more devices than this: every reminder is one delivery per device. */
const DEVICES_MAX = 20;

/** What may be known about a subscriber; endpoints and keys stay inside. */
export async function readSubscriber(executor: Executor, id: string): Promise<SubscriberView | null> {
  const [subscriber] = await rows<Omit<SubscriberView, "destinations">>(
    executor,
    sql`select id, external_id as "externalId", time_zone as "timeZone", locale from subscribers where id = ${id}::uuid`,
  );
  if (subscriber === undefined) return null;
  const destinations = await rows<DestinationView>(
    executor,
    sql`select id, channel, case when channel = 'push' then split_part(split_part(address, '://', 2), '/', 1) else address end
        as address, label, state, verified_at is not null as verified,
        daily_limit as "dailyLimit"
      from destinations where subscriber_id = ${id}::uuid and state <> 'retired'
      order by array_position(array['email', 'sms', 'push'], channel), created_at, id`,
  );
  return { ...subscriber, destinations };
}

/** Finds a subscriber by the shop's own name for them. */
export async function findSubscriber(externalId: string): Promise<{ id: string; timeZone: string } | null> {
  const [row] = await alone<{ id: string; timeZone: string }>(
    sql`select id, time_zone as "timeZone" from subscribers where external_id = ${externalId}`,
  );
  return row ?? null;
}

/**
 * Creates or changes a subscriber as the shop describes them; the shop vouches for what it has verified. An address that
 * changes is a new row beside the retired one. Absent fields stay as they are, null removes.
 */
export async function putSubscriber(
  externalId: string,
  body: PutSubscriberBody,
): Promise<Result<SubscriberView>> {
  const stored = await once(null, async (tx) => {
    const [known] = await rows<{ id: string; timeZone: string }>(
      tx,
      sql`select id, time_zone as "timeZone" from subscribers where external_id = ${externalId}`,
    );
    if (known !== undefined && known.timeZone !== body.timeZone)
      await moveFloating(tx, known.id, body.timeZone);
    const [row] = await rows<{ id: string }>(
      tx,
      sql`insert into subscribers (id, external_id, time_zone, locale, created_at)
        values (${effects.newId()}::uuid, ${externalId}, ${body.timeZone}, ${body.locale ?? "en"}, ledger_now())
        on conflict (external_id) do update set time_zone = excluded.time_zone,
          locale = ${body.locale === undefined ? sql`subscribers.locale` : sql`excluded.locale`}
        returning id`,
    );
    if (row === undefined) throw new Error("Bug! a subscriber was neither inserted nor updated");
    await rows(tx, sql`select id from subscribers where id = ${row.id}::uuid for no key update`);
    const verified = body.verified ?? [];
    await replaceAddress(tx, row.id, "email", body.email, verified.includes("email"));
    await replaceAddress(tx, row.id, "sms", body.phone, verified.includes("phone"));
    // In one order for everybody: each endpoint is locked.
    const inOrder = (body.pushSubscriptions ?? []).toSorted((one, other) =>
      one.endpoint.localeCompare(other.endpoint),
    );
    for (const subscription of inOrder) {
      const added = await addDevice(tx, row.id, { ...subscription, label: null });
      if (!added.ok) return added;
    }
    const view = await readSubscriber(tx, row.id);
    return view === null ? fail({ code: "not_found", what: "subscriber" }) : ok(view);
  });
  return stored.ok ? ok(stored.value.value) : stored;
}

/** One live address per channel: the same one is kept (and verified if vouched for), another retires it. */
async function replaceAddress(
  tx: Transaction,
  subscriberId: string,
  channel: "email" | "sms",
  address: string | null | undefined,
  verified: boolean,
): Promise<string | null> {
  if (address === undefined) return null;
  await rows(
    tx,
    sql`update destinations set state = 'retired', state_reason = 'replaced'
      where subscriber_id = ${subscriberId}::uuid and channel = ${channel} and state <> 'retired'
        and (${address}::text is null or lower(address) <> lower(${address}))`,
  );
  return address === null ? null : addDestination(tx, subscriberId, { channel, address, verified });
}

/** Adds a destination, or finds the live row of the same address; verification is only ever added. */
export async function addDestination(
  tx: Transaction,
  subscriberId: string,
  destination: NewDestination,
): Promise<string> {
  const [found] = await rows<{ id: string }>(
    tx,
    sql`update destinations set
        verified_at = case when ${destination.verified} then coalesce(verified_at, ledger_now()) else verified_at end,
        label = coalesce(${destination.label ?? null}, label)
      where subscriber_id = ${subscriberId}::uuid and channel = ${destination.channel} and state <> 'retired'
        and lower(address) = lower(${destination.address}) returning id`,
  );
  if (found !== undefined) return found.id;
  const id = effects.newId();
  // Whoever told us to stop is not written to because the address came back as a new row.
  const suppressed =
    destination.channel === "push"
      ? null
      : await standingSuppression(tx, destination.channel, destination.address);
  await rows(
    tx,
    sql`insert into destinations (id, subscriber_id, channel, address, p256dh, auth, label, state, state_reason,
        verified_at, created_at)
      values (${id}::uuid, ${subscriberId}::uuid, ${destination.channel}, ${destination.address}, ${destination.p256dh ?? null},
        ${destination.auth ?? null}, ${destination.label ?? null}, ${suppressed === null ? "active" : "suppressed"},
        ${suppressed}, case when ${destination.verified} then ledger_now() end, ledger_now())`,
  );
  return id;
}

/**
 * Adds one browser's push subscription. An endpoint belongs to the browser that shows it: somebody else's row of the
 * same endpoint retires, so that a shared computer does not show one person's reminders to the next.
 */
export async function addDevice(
  tx: Transaction,
  subscriberId: string,
  device: { endpoint: string; keys: { p256dh: string; auth: string }; label: string | null },
): Promise<Result<string>> {
  const { endpoint, keys, label } = device;
  // Two people may bring one browser's endpoint at once: the second waits, then takes it over.
  await rows(tx, sql`select pg_advisory_xact_lock(hashtextextended(${endpoint}, 7446004))`);
  await rows(
    tx,
    sql`update destinations set state = 'retired', state_reason = 'taken over'
      where channel = 'push' and address = ${endpoint} and state <> 'retired'
        and (subscriber_id <> ${subscriberId}::uuid or p256dh <> ${keys.p256dh} or auth <> ${keys.auth} or state = 'suppressed')`,
  );
  const [count] = await rows<{ count: number }>(
    tx,
    sql`select count(*)::int as count from destinations
      where subscriber_id = ${subscriberId}::uuid and channel = 'push' and state = 'active' and address <> ${endpoint}`,
  );
  if ((count?.count ?? 0) >= DEVICES_MAX) {
    return invalid("pushSubscriptions", count?.count, `at most ${DEVICES_MAX} devices; remove one first`);
  }
  return ok(
    await addDestination(tx, subscriberId, {
      channel: "push",
      address: endpoint,
      ...keys,
      label,
      verified: true,
    }),
  );
}

/** Removes one of a subscriber's own destinations. Deliveries that wait for it end when they are claimed. */
export async function retireDestination(subscriberId: string, destinationId: string): Promise<Result<null>> {
  if (!isId(destinationId)) return fail({ code: "not_found", what: "address" });
  return transact(async (tx): Promise<Result<null>> => {
    const retired = await rows(
      tx,
      sql`update destinations set state = 'retired', state_reason = 'removed'
        where id = ${destinationId}::uuid and subscriber_id = ${subscriberId}::uuid and state <> 'retired' returning id`,
    );
    return retired.length > 0 ? ok(null) : fail({ code: "not_found", what: "address" });
  });
}

/** Sets the zone and locale in which a subscriber reads times; floating reminders follow the zone. */
export async function updateSubscriber(
  subscriberId: string,
  change: { timeZone?: string; locale?: string },
): Promise<void> {
  await transact(async (tx) => {
    if (change.timeZone !== undefined) await moveFloating(tx, subscriberId, change.timeZone);
    await rows(
      tx,
      sql`update subscribers set time_zone = coalesce(${change.timeZone ?? null}, time_zone),
          locale = coalesce(${change.locale ?? null}, locale) where id = ${subscriberId}::uuid`,
    );
  });
}
