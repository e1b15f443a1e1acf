import { createHash } from "node:crypto";
import { sql } from "drizzle-orm";
import { rows, transact } from "../../db/connection";
import type { Channel } from "../../db/rules/outcome";
import type { LedgerCall } from "../../standins/providers";
import type { Stage } from "./stage";

export interface Violation {
  promise: string;
  /** The rule that was broken, in words. */
  rule: string;
  key: string;
}

export type Report = (promise: string, rule: string, key: string) => void;

export interface DeliveryFacts {
  id: string;
  key: string;
  reference: string;
  reminderId: string | null;
  occurrenceId: string | null;
  /** The shop's name of the parcel. */
  parcel: string | null;
  subscriberId: string;
  channel: Channel;
  partition: string | null;
  lane: string;
  state: string;
  reason: string | null;
  lastClass: string | null;
  version: number;
  alone: boolean;
  scheduledAtMs: number;
  dueAtMs: number | null;
  nextEligibleAtMs: number | null;
  expiresAtMs: number;
  firstAttemptAtMs: number | null;
  finishedAtMs: number | null;
  unresolvedSinceMs: number | null;
  attemptCount: number;
  failureCount: number;
  throttleCount: number;
  /** It was dead and goes again: what had ended for certain had not. */
  redriven: boolean;
  /** What it says is still there. */
  hasContent: boolean;
}

export interface AttemptFacts {
  deliveryId: string;
  number: number;
  runId: string;
  epoch: number;
  slotAtMs: number;
  begunAtMs: number;
  settledAtMs: number | null;
  class: string | null;
  status: number | null;
  code: string | null;
  retryAfter: string | null;
}

/** Changes of a partition's limits as they were recorded, oldest first. */
export interface LimitChange {
  partition: string;
  atMs: number;
  ceiling: number | null;
  burst: number | null;
}

/** An event that the outbox says the engine has. */
export interface PublishedEvent {
  name: string;
  eventId: string;
}

/** What ledger, database and providers say, read at one instant. */
export interface Evidence {
  nowMs: number;
  deliveries: DeliveryFacts[];
  attempts: Map<string, AttemptFacts[]>;
  /** On the story's clock, whatever the provider's says. */
  calls: LedgerCall[];
  /** How far the providers' dates are ahead of the story. */
  providersAheadMs: number;
  limits: LimitChange[];
  published: PublishedEvent[];
  /** Wait events of the seconds at which something is due later. */
  waits: Set<string>;
  /** Every announced version of a parcel, and whether all its followers have their rows. */
  fanOuts: { parcel: string; version: number; finished: boolean }[];
  acknowledged: ReadonlySet<string>;
}

export async function readEvidence(stage: Stage): Promise<Evidence> {
  const [deliveries, attempts, limits, published, waits, fanOuts] = await transact((tx) =>
    Promise.all([
      rows<DeliveryFacts>(
        tx,
        sql`select d.id, d.key, d.reference, o.reminder_id as "reminderId", d.occurrence_id as "occurrenceId",
            s.external_id as parcel, d.subscriber_id as "subscriberId", d.channel, d.partition, d.lane, d.state, d.reason,
            d.last_class as "lastClass", d.version, d.alone, epoch_ms(d.scheduled_at) as "scheduledAtMs", epoch_ms(o.due_at) as "dueAtMs",
            epoch_ms(d.next_eligible_at) as "nextEligibleAtMs", epoch_ms(d.expires_at) as "expiresAtMs",
            epoch_ms(d.first_attempt_at) as "firstAttemptAtMs", epoch_ms(d.finished_at) as "finishedAtMs",
            epoch_ms(d.unresolved_since) as "unresolvedSinceMs", d.attempt_count as "attemptCount",
            d.failure_count as "failureCount", d.throttle_count as "throttleCount", d.redrive_id is not null as redriven,
            exists (select from payloads p where p.id = d.payload_id and p.content is not null
              and d.shipment_event_id is null) as "hasContent"
          from deliveries d left join occurrences o on o.id = d.occurrence_id
            left join shipment_events e on e.id = d.shipment_event_id left join shipments s on s.id = e.shipment_id
          order by d.key`,
      ),
      rows<AttemptFacts>(
        tx,
        sql`select a.delivery_id as "deliveryId", a.number, a.run_id as "runId", a.epoch::int as epoch, epoch_ms(a.slot_at) as "slotAtMs",
            epoch_ms(a.begun_at) as "begunAtMs", epoch_ms(a.settled_at) as "settledAtMs", a.class, a.status, a.code,
            a.retry_after as "retryAfter"
          from attempts a order by a.delivery_id, a.number`,
      ),
      rows<LimitChange>(
        tx,
        sql`select target as partition, epoch_ms(created_at) as "atMs", (details ->> 'ceiling')::float8 as ceiling,
            (details ->> 'burst')::float8 as burst from operator_actions where action = 'limits' order by created_at, id`,
      ),
      rows<PublishedEvent>(
        tx,
        sql`select event_name as name, event_id as "eventId" from outbox where published_at is not null order by event_id`,
      ),
      rows<{ eventId: string }>(
        tx,
        sql`select distinct 'due:' || floor(epoch_ms(due_at) / 1000)::bigint || ':g1' as "eventId" from occurrences
          where state = 'waiting' and due_at > ledger_now() + interval '5 seconds'`,
      ),
      rows<Evidence["fanOuts"][number]>(
        tx,
        sql`select s.external_id as parcel, e.version, e.fanned_out_at is not null as finished
          from shipment_events e join shipments s on s.id = e.shipment_id where e.version is not null
          order by parcel, e.version`,
      ),
    ]),
  );
  const byDelivery = new Map<string, AttemptFacts[]>();
  for (const attempt of attempts) {
    byDelivery.set(attempt.deliveryId, [...(byDelivery.get(attempt.deliveryId) ?? []), attempt]);
  }
  const { world } = stage;
  const { providersAheadMs } = world.clocks;
  return {
    nowMs: world.nowMs(),
    deliveries,
    attempts: byDelivery,
    calls: world.providers.ledger.calls().map((call) => ({ ...call, at: call.at - providersAheadMs })),
    providersAheadMs,
    limits,
    published,
    waits: new Set(waits.map((row) => row.eventId)),
    fanOuts,
    acknowledged: world.acknowledged,
  };
}

/** Two runs of one seed have the same: every row of the ledger and every call, to the millisecond. */
export function digestOf(evidence: Evidence): string {
  const told = [evidence.nowMs, evidence.deliveries, [...evidence.attempts.entries()], evidence.calls];
  return createHash("sha256").update(JSON.stringify(told)).digest("hex").slice(0, 16);
}

/** What there is to know about one key, for whoever reads a violation. */
export function factsAbout(evidence: Evidence, key: string): string[] {
  const delivery = evidence.deliveries.find((row) => row.key === key || row.reference === key);
  if (delivery === undefined) return [];
  return [
    JSON.stringify(delivery),
    ...(evidence.attempts.get(delivery.id) ?? []).map((attempt) => JSON.stringify(attempt)),
    ...evidence.calls
      .filter((call) => call.key === delivery.reference)
      .map((call) => `call ${JSON.stringify(call)}`),
  ];
}
