import { type SQL, sql } from "drizzle-orm";
import { at } from "../connection";
import { leaseMs } from "../rules/retry-policy";

import { REDRIVE_CHECKS } from "./redrive-checks";

/** From when on history is looked at, and how far apart two clocks' readings of one transaction may lie. */
export interface Scope {
  sinceMs: number;
  toleranceMs: number;
}

/** One promise of DESIGN section 2 as a question to the database: the rows are what breaks it. */
export interface Check {
  promise: "P1" | "P2" | "P3" | "P4" | "P5" | "P6" | "P7" | "P8" | "P9";
  name: string;
  /** Selects one text column, `key`: a delivery's key, an occurrence, a partition or an event. */
  find: (scope: Scope) => SQL;
  /** True for what operators should see although it breaks nothing. */
  listedOnly?: boolean;
}

/** Three sweeps: one that is missed is no loss, a third has seen everything. */
export const OVERDUE = sql`interval '3 minutes'`;

/** A pump that is not renewed is found by the next sweep, a lapsed lease by the next tick or sweep. */
const UNATTENDED = sql`interval '2 minutes'`;

const LIVE = sql`('scheduled', 'ready', 'sending', 'deferred')`;
const WAITING = sql`('scheduled', 'ready', 'deferred')`;

/** Attempts of the scope with their deliveries. */
const recent = ({ sinceMs }: Scope) =>
  sql`attempts a join deliveries d on d.id = a.delivery_id where a.begun_at >= ${at(sinceMs)}`;

/** Deliveries that were attempted in the scope. */
const attempted = (scope: Scope) =>
  sql`deliveries d where d.id in (select delivery_id from attempts where begun_at >= ${at(scope.sinceMs)})`;

export const tolerance = ({ toleranceMs }: Scope) => sql`${toleranceMs} * interval '1 millisecond'`;

/** The seconds of a Retry-After in digits; anything else is judged where the answer's date is known. */
const ASKED = sql`case when a.retry_after ~ '^\\s*\\d{1,6}\\s*$' then a.retry_after::int end`;

const UNKNOWN = sql`('ambiguous', 'crashed')`;

/** Every check, by promise. Each reads through an index or one table once, and stops at the runner's limit. */
export const CHECKS: readonly Check[] = [
  {
    promise: "P1",
    name: "one delivery per occurrence, channel and destination",
    find: (scope) => sql`select d.key from ${attempted(scope)} and exists (select 1 from deliveries other
      where other.id <> d.id and other.occurrence_id = d.occurrence_id and other.channel = d.channel
        and other.destination_id = d.destination_id)`,
  },
  {
    promise: "P1",
    name: "a key names its source, subscriber and channel",
    find: (scope) => sql`select d.key from ${attempted(scope)} and not (
        position(coalesce(d.occurrence_id, d.notice_id, (select e.shipment_id from shipment_events e
          where e.id = d.shipment_event_id))::text in d.key) > 0
        and position(d.subscriber_id::text in d.key) > 0 and split_part(d.key, ':', case when d.notice_id is null then 5 else 4 end) = d.channel)`,
  },
  {
    promise: "P1",
    name: "keys and references are unique, guards are on",
    find: () => sql`select w.name as key from (values ('deliveries_key'), ('deliveries_reference'), ('attempts_number'),
          ('occurrences_number'), ('payloads_one_per_version'), ('redrive_members_one_active')) as w(name)
        where not exists (select 1 from pg_class c join pg_index i on i.indexrelid = c.oid
          where c.relname = w.name and i.indisunique and i.indisvalid)
      union all select w.name from (values ('deliveries_guard'), ('attempts_guard'), ('occurrences_guard'),
          ('payloads_guard'), ('destinations_guard'), ('redrives_guard'), ('redrive_members_guard')) as w(name)
        where not exists (select 1 from pg_trigger t where t.tgname = w.name and t.tgenabled in ('O', 'A'))`,
  },
  {
    promise: "P2",
    name: "a partition serves one channel",
    find: () => sql`select d.key from deliveries d join partitions p on p.key = d.partition
      where d.state in ${LIVE} and p.channel <> d.channel`,
  },
  {
    promise: "P3",
    name: "no attempt before the time that a provider asked for",
    // A crashed attempt may learn its answer late: what had begun by then could not know it.
    find: (scope) => sql`select d.key from ${recent(scope)} and a.class in ('throttled', 'quota') and exists (
        select 1 from attempts later where later.delivery_id = a.delivery_id and later.number > a.number
          and later.begun_at >= a.settled_at and later.begun_at < a.settled_at + ${ASKED} * interval '1 second')`,
  },
  {
    promise: "P3",
    name: "throttling spends no failure budget",
    // A crash spends one, and its attempt may learn another class from a late answer: such rows say nothing here.
    find: (
      scope,
    ) => sql`select d.key from ${attempted(scope)} and not d.alone and d.failure_count > 0 and d.failure_count > (
        select count(*) from attempts a where a.delivery_id = d.id and a.class in ('transient', 'ambiguous', 'crashed'))`,
  },
  {
    promise: "P3",
    name: "no attempt in a partition after its gate closed",
    // Only email: every 429 of its provider concerns the account. The ledger's own time of the gate is the settlement.
    // Gates and attempts pass by once in the order of time: comparing each with each takes too long after an overload.
    find: (scope) => sql`select w.key from (
        select e.key, e.begun_at, max(e.until) over (partition by e.partition order by e.at, e.begun_at) as closed_until
        from (
          select d.partition, d.key, a.settled_at + ${tolerance(scope)} as at, null::timestamptz as begun_at,
            a.settled_at + least(${ASKED} * interval '1 second', interval '1 hour') as until
          from ${recent(scope)} and d.channel = 'email' and a.class = 'throttled' and ${ASKED} is not null
          union all
          select d.partition, d.key, a.begun_at, a.begun_at, null from ${recent(scope)} and d.channel = 'email'
        ) e
      ) w where w.begun_at < w.closed_until`,
  },
  {
    promise: "P4",
    name: "attempts are numbered without a gap",
    // Numbers of one delivery are unique, so that as many as the highest are all of them.
    find: (scope) => sql`select d.key from ${attempted(scope)} and d.attempt_count <> (
        select case when count(*) = max(a.number) then count(*) else -1 end from attempts a where a.delivery_id = d.id)`,
  },
  {
    promise: "P5",
    name: "a due occurrence is opened",
    find: () => sql`select o.id::text as key from occurrences o
      where o.state = 'waiting' and o.due_at < ledger_now() - ${OVERDUE}`,
  },
  {
    promise: "P5",
    name: "an opened occurrence accounts for every channel",
    find: ({
      sinceMs,
    }) => sql`select o.id::text || ':' || c.channel as key from occurrences o, unnest(o.channels) as c(channel)
      where o.state = 'opened' and o.opened_at >= ${at(sinceMs)} and not exists (
        select 1 from deliveries d where d.occurrence_id = o.id and d.channel = c.channel)`,
  },
  {
    promise: "P5",
    name: "an event is published",
    find: () => sql`select o.event_id as key from outbox o
      where o.published_at is null and greatest(o.not_before, o.created_at) < ledger_now() - ${OVERDUE}`,
  },
  {
    promise: "P5",
    name: "a partition with live rows has a pump",
    find: () => sql`select p.key from partitions p
      where (p.pump_until is null or p.pump_until < ledger_now() - ${UNATTENDED})
        and exists (select 1 from deliveries d where d.partition = p.key and d.state in ${LIVE}
          and d.created_at < ledger_now() - ${UNATTENDED})`,
  },
  {
    promise: "P5",
    name: "a lapsed lease is recovered",
    find: () => sql`select d.key from deliveries d
      where d.state = 'sending' and d.lease_until < ledger_now() - ${UNATTENDED}`,
  },
  {
    promise: "P5",
    name: "an attempt is settled or under a lease",
    // A later attempt may be under way when evidence for an earlier one ends the delivery; its lease is over by then.
    find: (scope) => sql`select d.key from ${recent(scope)} and a.settled_at is null and d.state <> 'sending'
      and a.begun_at < ledger_now() - ${OVERDUE}`,
  },
  {
    promise: "P5",
    name: "what is past its usefulness ends",
    find: () => sql`select d.key from deliveries d
      where d.state in ${WAITING} and d.expires_at < ledger_now() - ${OVERDUE}`,
  },
  {
    promise: "P5",
    name: "an eligible delivery of an open partition moves",
    find: () => sql`select d.key from deliveries d join partitions p on p.key = d.partition cross join ledger_state s
      where d.state in ('scheduled', 'deferred') and d.next_eligible_at < ledger_now() - ${OVERDUE}
        and coalesce(d.kept_until, '-infinity') < ledger_now() - ${OVERDUE}
        and s.mode = 'sending' and not exists (select 1 from partitions c join meters m on m.key = c.key
          where c.key in (p.key, p.account) and (c.ceiling <= 0 or c.paused_at is not null or c.circuit <> 'closed'
            or c.parked_until is not null or m.blocked_until >= ledger_now() - ${OVERDUE}))`,
  },
  {
    promise: "P5",
    name: "a pause without an end",
    listedOnly: true,
    find: () => sql`select p.key from partitions p
      where p.ceiling <= 0 or (p.paused_at is not null and p.paused_until is null)`,
  },
  {
    promise: "P6",
    name: "no first slot lies before its time",
    // A claim reaches ahead of the due time, its slot does not. Instants are kept to the microsecond.
    find: (scope) => sql`select d.key from ${recent(scope)} and a.number = 1
      and a.slot_at < d.scheduled_at - interval '1 millisecond'`,
  },
  {
    promise: "P6",
    name: "no attempt begins after expiry",
    find: (scope) => sql`select d.key from ${recent(scope)} and a.begun_at >= d.expires_at`,
  },
  {
    promise: "P6",
    name: "no attempt begins after the end",
    find: (scope) => sql`select d.key from ${recent(scope)} and d.state in ('delivered', 'expired', 'dead')
      and a.begun_at > d.finished_at + ${tolerance(scope)}`,
  },
  {
    promise: "P6",
    name: "no attempt begins after its reminder was cancelled",
    find: (scope) => sql`select d.key from attempts a join deliveries d on d.id = a.delivery_id
        join occurrences o on o.id = d.occurrence_id join reminders r on r.id = o.reminder_id
      where a.begun_at >= ${at(scope.sinceMs)} and r.cancelled_at + ${tolerance(scope)} < a.begun_at`,
  },
  {
    promise: "P6",
    name: "no attempt begins for a superseded version",
    find: (scope) => sql`select d.key from attempts a join deliveries d on d.id = a.delivery_id
        join occurrences o on o.id = d.occurrence_id join reminders r on r.id = o.reminder_id
      where a.begun_at >= ${at(scope.sinceMs)} and d.version < o.version and r.updated_at + ${tolerance(scope)} < a.begun_at`,
  },
  {
    promise: "P6",
    name: "no attempt begins on a channel that is off",
    find: (scope) => sql`select d.key from attempts a join deliveries d on d.id = a.delivery_id
        join preferences p on p.subscriber_id = d.subscriber_id and p.channel = d.channel
          and p.topic = case when d.shipment_event_id is null then 'reminders' else 'shipments' end
      where a.begun_at >= ${at(scope.sinceMs)} and d.notice_id is null and not p.enabled
        and p.updated_at + ${tolerance(scope)} < a.begun_at`,
  },
  {
    promise: "P7",
    name: "slots stay within rate and burst in any second",
    // Of each budget: the partition, and the account that its senders share. Judged since the account exists and the
    // operator last changed the limits; what one send costs beyond its slot is paid after it.
    find: (scope) => sql`select distinct w.budget as key from (
        select b.key as budget, d.cost, a.slot_at, b.ceiling + b.burst as limit_per_second,
          sum(d.cost) over second as sent, max(d.cost) over second as dearest
        from attempts a join deliveries d on d.id = a.delivery_id join partitions p on p.key = d.partition
          cross join lateral (values (p.key), (p.account)) as budgets(key) join partitions b on b.key = budgets.key
        where a.begun_at >= ${at(scope.sinceMs)} and a.class is distinct from 'not_made'
          and a.slot_at - interval '1 second' > coalesce((select max(l.created_at) from operator_actions l
            where l.target = b.key and l.action = 'limits'), '-infinity')
          and (b.key = p.key or a.slot_at - interval '1 second' > b.created_at)
        window second as (partition by b.key order by a.slot_at
          range between interval '999 milliseconds' preceding and current row)
      ) w where w.sent > w.limit_per_second + w.dearest - 1`,
  },
  {
    promise: "P8",
    name: "cleanup leaves no occurrence that could open again",
    find: () => sql`select o.id::text as key from occurrences o
      where o.state = 'waiting' and exists (select 1 from deliveries d where d.occurrence_id = o.id)`,
  },
  {
    promise: "P9",
    name: "one accepted send per key",
    // A keyed provider answers a repeat with the first one's id.
    find: (
      scope,
    ) => sql`select d.key from ${attempted(scope)} and d.channel in ('email', 'sms') and d.attempt_count > 1 and (
        select count(distinct coalesce(a.provider_message_id, a.id::text)) from attempts a
        where a.delivery_id = d.id and a.class = 'accepted') > 1`,
  },
  {
    promise: "P9",
    name: "an attempt begins when the one before is settled or its lease is over",
    find: (scope) => sql`select d.key from ${recent(scope)} and exists (select 1 from attempts later
      where later.delivery_id = a.delivery_id and later.number = a.number + 1
        and later.begun_at < coalesce(a.settled_at, 'infinity') and later.begun_at < a.slot_at
          + case d.channel when 'sms' then ${leaseMs("sms")}::float8 else ${leaseMs("email")}::float8 end * interval '1 millisecond')`,
  },
  {
    promise: "P9",
    name: "no SMS is tried again after an unknown outcome",
    find: (scope) => sql`select d.key from ${recent(scope)} and d.channel = 'sms' and d.redrive_id is null
      and a.class in ${UNKNOWN} and exists (select 1 from attempts later
        where later.delivery_id = a.delivery_id and later.number > a.number)`,
  },
  {
    promise: "P9",
    name: "an unknown outcome stays visible",
    find: (
      scope,
    ) => sql`select d.key from ${attempted(scope)} and d.unresolved_since is null and d.state <> 'delivered'
      and exists (select 1 from attempts a where a.delivery_id = d.id and a.class in ${UNKNOWN}
        and a.begun_at > coalesce((select r.created_at from operator_actions r where r.id = d.resolution_id), '-infinity'))`,
  },
  ...REDRIVE_CHECKS,
];
