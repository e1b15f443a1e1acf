import { sql } from "drizzle-orm";
import { rows, transact } from "../connection";
import { fail, ok, type Result } from "../rules/errors";

/** Everything that is kept about one person, as JSON: tables by name, instants in UTC. */
export type PersonalData = Record<string, unknown>;

/** What is read, each by the subscriber. Keys of devices and sessions open something: they are not told, to nobody. */
const PARTS = {
  person: sql`select external_id, time_zone, locale, quiet_from, quiet_until, sms_from, sms_until, paused_until, created_at
    from subscribers s where s.id = who.id`,
  account: sql`select u.email, u.role, u.created_at from auth_users u join subscribers s on s.user_id = u.id
    where s.id = who.id`,
  sessions: sql`select x.created_at, x.expires_at, x.ip_address, x.user_agent
    from auth_sessions x join subscribers s on s.user_id = x.user_id where s.id = who.id order by x.created_at`,
  addresses: sql`select channel, case when channel = 'push' then split_part(split_part(address, '://', 2), '/', 1)
      else address end as address, label, daily_limit, state, state_reason, verified_at, created_at
    from destinations d where d.subscriber_id = who.id order by created_at, id`,
  choices: sql`select topic, channel, enabled from preferences p where p.subscriber_id = who.id order by topic, channel`,
  reminders: sql`select id, title, note, url, check_url, wall_time, time_zone, due_at, channels, recurrence, status,
      created_at, updated_at from reminders r where r.subscriber_id = who.id order by created_at, id`,
  parcels: sql`select x.external_id, x.order_ref, x.carrier, x.tracking_number, x.url, x.status, f.channels, f.milestones,
      f.policy, f.created_at from shipment_followers f join shipments x on x.id = f.shipment_id
    where f.subscriber_id = who.id order by f.created_at, x.id`,
  messages: sql`select d.key, d.channel, d.state, d.reason, d.scheduled_at, d.first_attempt_at, d.finished_at,
      d.attempt_count, p.content - 'linkKey' as content from deliveries d left join payloads p on p.id = d.payload_id
    where d.subscriber_id = who.id order by d.created_at, d.id`,
};

/** Everything about a person, for them to have. */
export async function exportSubscriber(subscriberId: string): Promise<Result<PersonalData>> {
  return transact(async (tx): Promise<Result<PersonalData>> => {
    const data: PersonalData = {};
    for (const [name, part] of Object.entries(PARTS)) {
      const [found] = await rows<{ list: unknown[] }>(
        tx,
        sql`select coalesce((select jsonb_agg(to_jsonb(part)) from (${part}) as part), '[]') as list
          from (select ${subscriberId}::uuid as id) as who`,
      );
      data[name] = found?.list ?? [];
    }
    const [person] = data.person as object[];
    if (person === undefined) return fail({ code: "not_found", what: "subscriber" });
    const [account] = data.account as object[];
    return ok({ ...data, person, account: account ?? null });
  });
}
