import { type SQL, sql } from "drizzle-orm";
import { uuids } from "../connection";
import type { ClaimFacts } from "../rules/claim";
import type { Channel } from "../rules/outcome";

/** A delivery that is about to be claimed, with everything that may forbid it. */
export interface ClaimFactsRow extends Omit<ClaimFacts, "partitionOwner"> {
  id: string;
  key: string;
  reference: string;
  state: ClaimFacts["state"];
  channel: Channel;
  owner: number;
  cost: number;
  token: number;
  attemptCount: number;
  content: unknown;
  contentHash: string | null;
  address: string;
  p256dh: string | null;
  auth: string | null;
}

/** The statement that reads them, after the deliveries' locks, in the order in which they go. */
export function readingClaimFacts(ids: readonly string[]): SQL {
  return sql`select d.id, d.key, d.reference, d.state, d.channel, d.lane, d.cost, d.token, d.version, d.owner,
        d.attempt_count as "attemptCount", d.failure_count as "failureCount", d.content_hash as "contentHash",
        epoch_ms(d.next_eligible_at) as "nextEligibleAtMs", epoch_ms(d.expires_at) as "expiresAtMs",
        epoch_ms(d.unresolved_since) as "unresolvedSinceMs", d.admission_id is not null as admitted, d.kept_by as "keptBy",
        d.failure_budget as "failureBudget", d.acknowledged,
        o.state as "occurrenceState", o.version as "occurrenceVersion",
        coalesce(r.status in ('cancelled', 'paused'), false) as "sourceCancelled", o.answered_at is not null as answered, s.erased_at is not null as erased, d.notice_id is not null as "isNotice",
        dest.state as "destinationState", dest.verified_at is not null as "destinationVerified",
        dest.address, dest.p256dh, dest.auth,
        coalesce((select p.enabled from preferences p where p.subscriber_id = d.subscriber_id and p.channel = d.channel
          and p.topic = case when d.shipment_event_id is null then 'reminders' else 'shipments' end), true) or d.notice_id is not null as preferred,
        s.quiet_from as "quietFrom", s.quiet_until as "quietUntil", s.time_zone as "timeZone",
        coalesce(r.through_quiet, false) as "throughQuiet", s.sms_from as "smsFrom", s.sms_until as "smsUntil",
        epoch_ms(s.paused_until) as "awayUntilMs",
        pay.content is not null as "hasContent", pay.content,
        case when se.id is null then null when f.id is null then 'left' when not se.status = any(f.milestones) then 'not_chosen'
          when f.policy = 'latest' and exists (select 1 from shipment_events newer where newer.shipment_id = se.shipment_id
            and newer.version > se.version and newer.status = any(f.milestones)) then 'overtaken'
          else 'current' end as following,
        case when se.id is not null then (select epoch_ms(min(coalesce(older.next_eligible_at, ledger_now())))
          from deliveries older join shipment_events oe on oe.id = older.shipment_event_id
          where older.subscriber_id = d.subscriber_id and older.channel = d.channel
            and older.destination_id = d.destination_id and older.version < d.version
            and older.state in ('scheduled', 'ready', 'sending', 'deferred') and oe.shipment_id = se.shipment_id)
          end as "olderEligibleAtMs"
      from deliveries d
      join subscribers s on s.id = d.subscriber_id
      left join occurrences o on o.id = d.occurrence_id
      left join reminders r on r.id = o.reminder_id
      left join shipment_events se on se.id = d.shipment_event_id
      left join shipment_followers f on f.shipment_id = se.shipment_id and f.subscriber_id = d.subscriber_id
        and f.left_version is null
      left join destinations dest on dest.id = d.destination_id
      left join payloads pay on pay.id = d.payload_id
      where d.id = any(${uuids(ids)})
      order by d.pass nulls last, d.next_eligible_at nulls first, d.id`;
}
