import { sql } from "drizzle-orm";
import { ledgerNowMs, rows, transact } from "../connection";
import { NEXT_ELIGIBLE_MS } from "../ledger/next-eligible";
import type { Forecast } from "../rules/forecast";
import type { DeliveryState } from "../rules/lifecycle";
import type { Channel, Lane } from "../rules/outcome";
import type { ActionLine } from "./actions";
import { forecastDeliveries } from "./forecast";

/** One call that was begun for a delivery, with what the provider said; its text has been cleaned of anything personal. */
export interface CallFacts {
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
  providerMessageId: string | null;
  detail: string | null;
  callMs: number | null;
}

/** Everything that the ledger knows of one delivery. The address and the text stay where they are; their ids are named. */
export interface DeliveryFacts {
  id: string;
  key: string;
  reference: string;
  channel: Channel;
  lane: Lane;
  partition: string | null;
  state: DeliveryState;
  reason: string | null;
  wish: string | null;
  lastClass: string | null;
  createdAtMs: number;
  scheduledAtMs: number;
  nextEligibleAtMs: number | null;
  admittedAtMs: number | null;
  admittedUntilMs: number | null;
  keptBy: string | null;
  keptUntilMs: number | null;
  leaseUntilMs: number | null;
  firstAttemptAtMs: number | null;
  latestAttemptAtMs: number | null;
  finishedAtMs: number | null;
  expiresAtMs: number;
  unresolvedSinceMs: number | null;
  reconcileAtMs: number | null;
  attempts: number;
  failures: number;
  throttles: number;
  alone: boolean;
  owner: number;
  version: number;
  cost: number;
  subscriberId: string;
  destinationId: string | null;
  payloadId: string | null;
  occurrenceId: string | null;
  reminderId: string | null;
  noticeId: string | null;
  redriveId: string | null;
  burialId: string | null;
  providerMessageId: string | null;
  contentHash: string | null;
}

export interface DeliveryStory {
  delivery: DeliveryFacts;
  calls: CallFacts[];
  actions: ActionLine[];
  /** When it is expected to leave; null when it does not wait or nobody can know. */
  forecast: Forecast | null;
  nowMs: number;
}

const FACTS = sql`d.id, d.key, d.reference, d.channel, d.lane, d.partition, d.state, d.reason, d.wish,
  d.last_class as "lastClass", epoch_ms(d.created_at) as "createdAtMs", epoch_ms(d.scheduled_at) as "scheduledAtMs",
  ${NEXT_ELIGIBLE_MS} as "nextEligibleAtMs", epoch_ms(d.admitted_at) as "admittedAtMs",
  epoch_ms(d.admitted_until) as "admittedUntilMs", d.kept_by as "keptBy", epoch_ms(d.kept_until) as "keptUntilMs",
  epoch_ms(d.lease_until) as "leaseUntilMs", epoch_ms(d.first_attempt_at) as "firstAttemptAtMs",
  epoch_ms(d.latest_attempt_at) as "latestAttemptAtMs", epoch_ms(d.finished_at) as "finishedAtMs",
  epoch_ms(d.expires_at) as "expiresAtMs", epoch_ms(d.unresolved_since) as "unresolvedSinceMs",
  epoch_ms(d.reconcile_at) as "reconcileAtMs", d.attempt_count as attempts, d.failure_count as failures,
  d.throttle_count as throttles, d.alone, d.owner, d.version, d.cost, d.subscriber_id as "subscriberId",
  d.destination_id as "destinationId", d.payload_id as "payloadId", d.occurrence_id as "occurrenceId",
  o.reminder_id as "reminderId", d.notice_id as "noticeId", d.redrive_id as "redriveId", d.burial_id as "burialId",
  d.provider_message_id as "providerMessageId", d.content_hash as "contentHash"`;

/** Calls that are read of one delivery: twice what a budget and a long throttling make. The rest is counted. */
const CALLS_MAX = 200;

const REFERENCE = /^[\w-]{32}$/;

/** Reads one delivery by its reference or its key; null for a name that is neither. */
export async function readDeliveryStory(name: string): Promise<DeliveryStory | null> {
  return transact(async (tx) => {
    const by = REFERENCE.test(name) ? sql`d.reference = ${name}` : sql`d.key = ${name}`;
    const [delivery] = await rows<DeliveryFacts>(
      tx,
      sql`select ${FACTS} from deliveries d left join occurrences o on o.id = d.occurrence_id where ${by}`,
    );
    if (delivery === undefined) return null;
    const calls = await rows<CallFacts>(
      tx,
      sql`select number, run_id as "runId", epoch::int as epoch, epoch_ms(slot_at) as "slotAtMs", epoch_ms(begun_at) as "begunAtMs",
          epoch_ms(settled_at) as "settledAtMs", class, status, code, retry_after as "retryAfter",
          provider_message_id as "providerMessageId", detail, call_ms as "callMs"
        from (select * from attempts where delivery_id = ${delivery.id}::uuid order by number desc limit ${CALLS_MAX}) a
        order by number`,
    );
    const actions = await rows<ActionLine>(
      tx,
      sql`select id, operator, action, target, reason, details, epoch_ms(created_at) as "atMs" from operator_actions
        where target = any(array[${delivery.key}, ${delivery.reference}, ${delivery.id}]) order by created_at, id limit 100`,
    );
    const forecasts = await forecastDeliveries(tx, [delivery.id]);
    return {
      delivery,
      calls,
      actions,
      forecast: forecasts.get(delivery.id) ?? null,
      nowMs: await ledgerNowMs(tx),
    };
  });
}
