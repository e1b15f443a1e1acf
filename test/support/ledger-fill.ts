import { randomUUID } from "node:crypto";
import type postgres from "postgres";

/** Many deliveries alike, with the whole chain above them, written by the database itself. */
export interface Fill {
  count: number;
  channel: "email" | "sms" | "push";
  partition: string;
  state: "ready" | "deferred" | "scheduled" | "delivered" | "dead" | "expired";
  reason?: string;
  lastClass?: string;
  lane?: "urgent" | "standard" | "bulk" | "redrive";
  /** Spread evenly over this long before now. */
  spreadMs?: number;
  /** How long after now the last of them is of use. */
  usefulMs?: number;
  /** Status and code of the one call that each that was called has. */
  status?: number;
  code?: string;
  unresolved?: boolean;
  /** What each would send; nothing that a provider would take by default. */
  content?: postgres.JSONValue;
}

const CALLED = ["deferred", "delivered", "dead"];

/** A partition with its meter and lanes, unless it exists. */
export async function fillPartition(
  sql: postgres.Sql,
  partition: { key: string; channel: Fill["channel"]; ceiling: number },
): Promise<string> {
  const { key, channel, ceiling } = partition;
  const provider = { email: "resend", sms: "twilio", push: "web-push" }[channel];
  await sql`insert into partitions (key, channel, provider, ceiling, burst, concurrency, owner, circuit, lane_clock, pump_generation, pump_until, created_at)
    values (${key}, ${channel}, ${provider}, ${ceiling}, 1, 10, 1, 'closed', 0, 1, ledger_now() + interval '1 hour', ledger_now()) on conflict do nothing`;
  await sql`insert into meters (key, rate, ready_at, blocked_until, epoch, call_ms, urgent_ready_at)
    values (${key}, ${ceiling}, ledger_now(), ledger_now(), 1, 120, ledger_now()) on conflict do nothing`;
  await sql`insert into lanes (partition, lane, weight, virtual_time, pass_floor)
    select ${key}, w.lane, w.weight, 0, 0 from (values ('urgent', 8), ('standard', 4), ('bulk', 2), ('redrive', 1)) w(lane, weight)
    on conflict do nothing`;
  return key;
}

/** Adds deliveries; returns the subscriber that they are for. Triggers and keys hold as for any other row. */
export async function fillDeliveries(sql: postgres.Sql, fill: Fill): Promise<string> {
  const { count, channel, partition, state, lane = "standard", spreadMs = 3_600_000 } = fill;
  const [subscriber, destination, reminder] = [randomUUID(), randomUUID(), randomUUID()];
  const called = CALLED.includes(state);
  const ended = ["delivered", "dead", "expired"].includes(state);
  const reason =
    fill.reason ??
    { dead: "attempts_exhausted", expired: "past_deadline" }[state as "dead" | "expired"] ??
    null;
  const lastClass =
    fill.lastClass ??
    { delivered: "accepted", deferred: "throttled", dead: "transient" }[state as "dead"] ??
    null;
  const address = {
    email: `${subscriber}@fill.example`,
    sms: `+1202555${String(Math.floor(Math.random() * 9999)).padStart(4, "0")}`,
    push: `https://fcm.googleapis.com/${destination}`,
  }[channel];
  await sql`insert into subscribers (id, time_zone, locale, created_at) values (${subscriber}, 'UTC', 'en', ledger_now())`;
  await sql`insert into destinations (id, subscriber_id, channel, address, p256dh, auth, state, verified_at, created_at)
    values (${destination}, ${subscriber}, ${channel}, ${address}, ${channel === "push" ? "k" : null}, ${channel === "push" ? "a" : null},
      'active', ledger_now(), ledger_now())`;
  await sql`insert into reminders (id, subscriber_id, title, wall_time, time_zone, due_at, channels, expires_after_seconds, version, status, created_at, updated_at)
    values (${reminder}, ${subscriber}, 'Water the plants', '2026-01-01T00:00', 'UTC', ledger_now(), array[${channel}], 86400, 1, 'active', ledger_now(), ledger_now())`;
  await sql`
    with made as materialized (
      select n, gen_random_uuid() as occurrence, gen_random_uuid() as delivery, gen_random_uuid() as payload,
        ledger_now() - (${spreadMs}::float8 * n / ${count}) * interval '1 millisecond' as at
      from generate_series(1, ${count}::int) n),
    opened as (
      insert into occurrences (id, reminder_id, number, origin, wall_time, time_zone, due_at, channels, version, state, opened_at, created_at)
      select occurrence, ${reminder}::uuid, n, 'schedule', '2026-01-01T00:00', 'UTC', at, array[${channel}], 1, 'opened', at, at from made),
    rendered as (
      insert into payloads (id, source_id, channel, version, content, cost, created_at)
      select payload, occurrence, ${channel}, 1, ${sql.json(fill.content ?? {})}, 1, at from made),
    keyed as materialized (
      select made.*, 'reminder:' || ${reminder}::text || ':' || occurrence || ':' || ${subscriber}::text || ':' || ${channel}::text
        || case when ${channel}::text = 'push' then ':' || ${destination}::text else '' end as key from made),
    delivered as (
      insert into deliveries (id, key, reference, occurrence_id, subscriber_id, channel, destination_id, partition, lane, flow, pass, cost,
        state, reason, last_class, scheduled_at, next_eligible_at, expires_at, created_at, first_attempt_at, latest_attempt_at, finished_at,
        token, attempt_count, failure_count, throttle_count, payload_id, version, provider_message_id, unresolved_since, owner, burial_id)
      select delivery, key, left(translate(encode(sha256(convert_to(key, 'UTF8')), 'base64'), '+/=', '-_'), 32), occurrence,
        ${subscriber}::uuid, ${channel}, ${destination}::uuid, ${partition}, ${lane}, ${subscriber}, case when ${state} = 'ready' then n end, 1,
        ${state}, ${reason}::text, ${lastClass}::text, at,
        case when ${state} in ('scheduled', 'deferred') then ledger_now() + interval '1 hour' end,
        ledger_now() + (${fill.usefulMs ?? 86_400_000}::float8) * interval '1 millisecond', at - interval '1 second',
        case when ${called} then at end, case when ${called} then at end, case when ${ended} then at + interval '1 second' end,
        ${called ? 1 : 0}::int, ${called ? 1 : 0}::int, ${lastClass === "transient" || lastClass === "ambiguous" ? 1 : 0}::int, ${lastClass === "throttled" ? 1 : 0}::int,
        payload, 1, case when ${state} = 'delivered' then 'msg-' || n end, case when ${fill.unresolved ?? false} then at end, 1,
        case when ${state} = 'dead' then gen_random_uuid() end
      from keyed)
    insert into attempts (id, delivery_id, number, token, run_id, epoch, slot_at, begun_at, settled_at, class, status, code, call_ms)
    select gen_random_uuid(), delivery, 1, 1, 'run-' || n, 1, at, at, at + interval '120 milliseconds', ${lastClass}::text,
      ${fill.status ?? null}::int, ${fill.code ?? null}::text, 120
    from keyed where ${called}`;
  return subscriber;
}
