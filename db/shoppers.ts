import { sql } from "drizzle-orm";
import { ledgerNowMs, rows, transact } from "./connection";
import { once } from "./idempotency";
import { moveFloating } from "./reminders/rederive";
import { ok, type Result } from "./rules/errors";
import type { Channel } from "./rules/outcome";
import type { QuietHours } from "./rules/quiet-hours";
import { checkTimeZone } from "./rules/time-zone";
import { releaseHeld } from "./shopper-choices";
import { addDevice, type DestinationView, readSubscriber } from "./subscribers";

/** What somebody may want on one channel and not on another. */
export const TOPICS = ["reminders", "shipments"] as const;
export type Topic = (typeof TOPICS)[number];

/** A shopper as their own pages show them, with the ledger's clock of the moment. */
export interface Shopper {
  timeZone: string;
  locale: string;
  quietHours: QuietHours | null;
  /** Text messages come only then; null: at any hour. */
  smsHours: { from: string; until: string } | null;
  /** Everything is held until then, in epoch milliseconds; null, or past: nothing is. */
  pausedUntilMs: number | null;
  /** By choice nothing of the topic comes on these channels. */
  off: Record<Topic, Channel[]>;
  destinations: DestinationView[];
  nowMs: number;
}

/** Reads what a shopper's pages need besides reminders; null for an id that names nobody. */
export async function readShopper(subscriberId: string): Promise<Shopper | null> {
  return transact(async (tx) => {
    const view = await readSubscriber(tx, subscriberId);
    const [settings] = await rows<{
      quietFrom: string | null;
      quietUntil: string | null;
      smsFrom: string | null;
      smsUntil: string | null;
      pausedUntilMs: number | null;
    }>(
      tx,
      sql`select quiet_from as "quietFrom", quiet_until as "quietUntil", sms_from as "smsFrom", sms_until as "smsUntil",
          epoch_ms(paused_until) as "pausedUntilMs"
        from subscribers where id = ${subscriberId}::uuid`,
    );
    if (view === null || settings === undefined) return null;
    const off = await rows<{ topic: Topic; channel: Channel }>(
      tx,
      sql`select topic, channel from preferences where subscriber_id = ${subscriberId}::uuid and not enabled`,
    );
    const offFor = (topic: Topic) => off.filter((row) => row.topic === topic).map(({ channel }) => channel);
    const { quietFrom, quietUntil, smsFrom, smsUntil, pausedUntilMs } = settings;
    const nowMs = await ledgerNowMs(tx);
    return {
      timeZone: view.timeZone,
      locale: view.locale,
      quietHours: quietFrom === null || quietUntil === null ? null : { start: quietFrom, end: quietUntil },
      smsHours: smsFrom === null || smsUntil === null ? null : { from: smsFrom, until: smsUntil },
      pausedUntilMs: pausedUntilMs !== null && pausedUntilMs > nowMs ? pausedUntilMs : null,
      off: { reminders: offFor("reminders"), shipments: offFor("shipments") },
      destinations: view.destinations,
      nowMs,
    };
  });
}

/** The language that a shopper has chosen; null for an id that names nobody. */
export async function readLocale(subscriberId: string): Promise<string | null> {
  const [found] = await transact((tx) =>
    rows<{ locale: string }>(tx, sql`select locale from subscribers where id = ${subscriberId}::uuid`),
  );
  return found?.locale ?? null;
}

/**
 * Sets the zone, quiet hours and language of a shopper; without `locale` the language stays. Reminders keep the zone they
 * were made with, unless they hold wherever their owner is; quiet hours hold from the next claim on, and what those of
 * before held is looked at anew at once. Waits for whoever opens or claims deliveries of this shopper. Returns the
 * partitions that have work again.
 */
export async function updateShopper(
  subscriberId: string,
  change: { timeZone: string; quietHours: QuietHours | null; locale?: string },
): Promise<Result<{ partitions: string[] }>> {
  const zone = checkTimeZone("timeZone", change.timeZone);
  if (!zone.ok) return zone;
  return transact(async (tx) => {
    await moveFloating(tx, subscriberId, zone.value);
    await rows(tx, sql`select id from subscribers where id = ${subscriberId}::uuid for no key update`);
    await rows(
      tx,
      sql`update subscribers set time_zone = ${zone.value}, quiet_from = ${change.quietHours?.start ?? null},
          quiet_until = ${change.quietHours?.end ?? null}, locale = coalesce(${change.locale ?? null}, locale)
        where id = ${subscriberId}::uuid`,
    );
    return ok({ partitions: await releaseHeld(tx, subscriberId, "quiet_hours") });
  });
}

/**
 * Turns a channel on or off for a topic. Off ends what waits on it when it is claimed; each such delivery says why.
 */
export async function setChannelWanted(
  subscriberId: string,
  topic: Topic,
  channel: Channel,
  wanted: boolean,
): Promise<void> {
  await transact(async (tx) => {
    await rows(tx, sql`select id from subscribers where id = ${subscriberId}::uuid for no key update`);
    await rows(
      tx,
      sql`insert into preferences (subscriber_id, topic, channel, enabled, updated_at)
        values (${subscriberId}::uuid, ${topic}, ${channel}, ${wanted}, ledger_now())
        on conflict (subscriber_id, topic, channel) do update set enabled = excluded.enabled, updated_at = ledger_now()`,
    );
  });
}

/**
 * Adds the browser that asks as a device of this shopper, in place of the subscription that it had before. The earlier
 * endpoint is proof enough of owning it: only the browser knows it.
 */
export async function registerDevice(
  subscriberId: string,
  device: {
    endpoint: string;
    keys: { p256dh: string; auth: string };
    label: string | null;
    replaces: string | null;
  },
): Promise<Result<{ deviceId: string }>> {
  // Refused, everything is taken back: the one before is retired by then, and perhaps somebody else's.
  const registered = await once(null, async (tx): Promise<Result<{ deviceId: string }>> => {
    await rows(tx, sql`select id from subscribers where id = ${subscriberId}::uuid for no key update`);
    const [replaced] =
      device.replaces === null || device.replaces === device.endpoint
        ? []
        : await rows<{ label: string | null }>(
            tx,
            sql`update destinations set state = 'retired', state_reason = 'replaced'
              where subscriber_id = ${subscriberId}::uuid and channel = 'push' and address = ${device.replaces}
                and state <> 'retired' returning label`,
          );
    const label = device.label ?? replaced?.label ?? null;
    const added = await addDevice(tx, subscriberId, { endpoint: device.endpoint, keys: device.keys, label });
    return added.ok ? ok({ deviceId: added.value }) : added;
  });
  return registered.ok ? ok(registered.value.value) : registered;
}
