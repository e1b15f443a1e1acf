import { type SQL, sql } from "drizzle-orm";
import { type Executor, rows } from "../connection";
import type { Channel } from "../rules/outcome";
import type { RedriveFacts } from "../rules/redrive-verdict";
import { REPEAT_BY_CHANNEL } from "../rules/repeat-policy";

/** A dead letter with everything that decides whether it may be redriven. */
export interface DeadFacts extends RedriveFacts {
  id: string;
  key: string;
  channel: Channel;
  partition: string;
  burialId: string;
  reason: string;
  cost: number;
}

/**
 * Reads what a verdict asks, of the deliveries that satisfy `where`, soonest to expire first. A member of the redrive
 * `own` is not counted as being in another.
 */
export async function readDeadFacts(
  executor: Executor,
  where: SQL,
  options: { own: string | null; limit: number },
): Promise<DeadFacts[]> {
  const found = await rows<Omit<DeadFacts, "repeat">>(
    executor,
    sql`select d.id, d.key, d.channel, d.partition, d.burial_id as "burialId", d.state, d.reason, d.cost, d.version,
        epoch_ms(d.finished_at) as "finishedAtMs", epoch_ms(d.expires_at) as "expiresAtMs",
        epoch_ms(d.unresolved_since) as "unresolvedSinceMs", d.dismissed_at is not null as dismissed,
        exists (select from redrive_members m where m.burial_id = d.burial_id and m.active
          and m.redrive_id is distinct from ${options.own}::uuid) as "inOtherRedrive",
        o.state as "occurrenceState", o.version as "occurrenceVersion",
        coalesce(r.status in ('cancelled', 'paused'), false) as "sourceCancelled",
        coalesce(o.answered_at is not null, false) as answered, d.notice_id is not null as "isNotice",
        dest.state as "destinationState", dest.state_reason as "destinationReason",
        coalesce(dest.verified_at is not null, false) as "destinationVerified",
        coalesce((select p.enabled from preferences p where p.subscriber_id = d.subscriber_id and p.channel = d.channel
          and p.topic = case when d.shipment_event_id is null then 'reminders' else 'shipments' end), true) or d.notice_id is not null as preferred,
        coalesce(pay.content is not null, false) as "hasContent"
      from deliveries d
      left join occurrences o on o.id = d.occurrence_id
      left join reminders r on r.id = o.reminder_id
      left join destinations dest on dest.id = d.destination_id
      left join payloads pay on pay.id = d.payload_id
      where ${where}
      order by d.expires_at, d.id limit ${options.limit}`,
  );
  return found.map((row) => ({ ...row, repeat: REPEAT_BY_CHANNEL[row.channel] }));
}
