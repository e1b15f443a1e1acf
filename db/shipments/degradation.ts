import { type SQL, sql } from "drizzle-orm";
import { type ControlOutcome, control } from "../admission/controls";
import { rows, transact } from "../connection";
import { endWaiting } from "../ledger/expire";
import type { Operator } from "../operator-actions";
import { type Degradation, type DegradationPolicy, readDegradation } from "../rules/degradation";
import { invalid } from "../rules/errors";
import type { Lane } from "../rules/outcome";

/** A lane's policy, as written and, until `untilMs`, as acting. */
export interface LaneDegradation extends DegradationPolicy {
  partition: string;
  lane: Lane;
  untilMs: number | null;
}

/** Rows per transaction: an admission of the same partition waits for no longer than for one of its own batches. */
const BATCH = 500;

/** For how long at most: who still needs it then looks again and says so. */
const ON_MAX_MS = 24 * 3_600_000;

/** Writes a lane's policy down, without switching it on. Another one is replaced, and off. */
export async function writeDegradation(
  key: string,
  given: { lane: string; policy: string; windowMs: number | null },
  operator: Operator,
): Promise<ControlOutcome> {
  const read = readDegradation(given.lane, given.policy, given.windowMs);
  if (!read.ok) return read;
  const { lane, degradation, windowMs } = read.value;
  return control(key, operator, "degradation-written", async (tx) => {
    await rows(
      tx,
      sql`update lanes set degradation = ${degradation}, degradation_window_seconds = ${Math.round(windowMs / 1000)},
          degradation_until = null where partition = ${key} and lane = ${lane}`,
    );
    return { lane, degradation, windowMs };
  });
}

/** Lets a lane's written policy act for a while; `forMs` null ends it now. Refused where nothing is written. */
export async function switchDegradation(
  key: string,
  lane: string,
  forMs: number | null,
  operator: Operator,
): Promise<ControlOutcome> {
  if (forMs !== null && !(forMs > 0 && forMs <= ON_MAX_MS))
    return invalid("for", forMs, "a duration up to 24h");
  const action = forMs === null ? "degradation-off" : "degradation-on";
  return control(key, operator, action, async (tx, nowMs) => {
    const untilMs = forMs === null ? null : nowMs + forMs;
    const [switched] = await rows<{ degradation: Degradation }>(
      tx,
      sql`update lanes set degradation_until = from_epoch_ms(${untilMs}::float8)
        where partition = ${key} and lane = ${lane} and degradation is not null returning degradation`,
    );
    return switched === undefined ? null : { lane, ...switched, untilMs };
  });
}

/** Every written policy, of one partition or of all. */
export function readDegradations(key: string | null): Promise<LaneDegradation[]> {
  return transact((tx) =>
    rows<LaneDegradation>(
      tx,
      sql`select partition, lane, degradation, degradation_window_seconds * 1000.0::float8 as "windowMs",
          case when degradation_until > ledger_now() then epoch_ms(degradation_until) end as "untilMs"
        from lanes where degradation is not null and ${key === null ? sql`true` : sql`partition = ${key}`}
        order by partition, lane`,
    ),
  );
}

/**
 * The waiting updates that a policy acts on, of `deliveries d`. Reminders and notices are none, and neither is what may
 * have gone out already: its outcome is unknown, and whoever sends it again should be the one who finds out.
 */
export function affectedBy({
  partition,
  lane,
  degradation,
  windowMs,
}: Omit<LaneDegradation, "untilMs">): SQL {
  return sql`d.partition = ${partition} and d.lane = ${lane} and d.state in ${WAITING}
    and d.shipment_event_id is not null and d.unresolved_since is null and ${actsOn(degradation, windowMs)}`;
}

const WAITING = sql`('scheduled', 'ready', 'deferred')`;

/** Deliveries `s` of the same update for the same reader as `d`, on other channels and devices. */
export const SIBLINGS = sql`deliveries s where s.shipment_event_id = d.shipment_event_id
  and s.subscriber_id = d.subscriber_id and s.id <> d.id`;

function actsOn(degradation: Degradation, windowMs: number): SQL {
  const isOld = sql`d.scheduled_at < ledger_now() - ${windowMs} * interval '1 millisecond'`;
  switch (degradation) {
    case "coalesce":
      return sql`exists (select from shipment_events e join shipment_events newer on newer.shipment_id = e.shipment_id
        and newer.version > e.version join shipment_followers f on f.shipment_id = e.shipment_id
        and f.subscriber_id = d.subscriber_id and newer.status = any(f.milestones) and f.joined_version < newer.version
        and (f.left_version is null or f.left_version >= newer.version) where e.id = d.shipment_event_id)`;
    case "expire_oldest":
      return isOld;
    case "other_channel":
      // A channel on which this update has ended unsent carries it no more; a reader who has it on one device has it.
      return sql`${isOld}
        and exists (select from destinations x where x.subscriber_id = d.subscriber_id and x.channel <> d.channel
          and x.state = 'active' and x.verified_at is not null and not exists (select from preferences p
            where p.subscriber_id = d.subscriber_id and p.channel = x.channel and p.topic = 'shipments' and not p.enabled)
          and coalesce((select bool_or(s.state not in ('dead', 'expired')) from ${SIBLINGS} and s.channel = x.channel), true))
        and not exists (select from ${SIBLINGS} and s.channel = d.channel and (s.state in ('sending', 'delivered')
          or s.unresolved_since is not null or s.state in ${WAITING} and s.partition <> d.partition))`;
  }
}

/**
 * The next updates that a policy acts on, locked, the oldest first: nobody else is kept waiting for one. None when it has
 * been switched off since it was read.
 */
export function lockingAffected(policy: Omit<LaneDegradation, "untilMs">, limit: number): SQL {
  return sql`select d.id from deliveries d where ${affectedBy(policy)} and exists (select from lanes l
      where l.partition = ${policy.partition} and l.lane = ${policy.lane} and l.degradation = ${policy.degradation}
        and l.degradation_until > ledger_now())
    order by d.scheduled_at, d.id limit ${limit} for update skip locked`;
}

/**
 * Ends the next batch that an acting policy gives up: `shed` what is too old, `superseded` what a newer update of the same
 * parcel overtakes. Returns how many; under `BATCH` nothing is left. A crash between batches leaves the rest to the sweep.
 */
export async function giveUpBatch(
  policy: LaneDegradation & { degradation: "expire_oldest" | "coalesce" },
): Promise<{ ended: number; more: boolean }> {
  return transact(async (tx) => {
    const affected = await rows<{ id: string }>(tx, lockingAffected(policy, BATCH));
    const reason = policy.degradation === "coalesce" ? "superseded" : "shed";
    const ended = await endWaiting(
      tx,
      affected.map((row) => row.id),
      reason,
    );
    return { ended: ended.length, more: affected.length === BATCH };
  });
}
