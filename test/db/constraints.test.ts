import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import { database, rows, transact } from "../../db/connection";
import { stageEvents } from "../../db/outbox";
import type { DeliveryState } from "../../db/rules/lifecycle";
import { beginSweep } from "../../db/sweeps";
import { makeDelivery, makeDestination } from "../support/factories";
import { follow, record } from "../support/shipments";

/**
 * Each CHECK with changes to a legal row that it alone refuses. A `table:state` names the row of that table, or the
 * delivery in that state.
 */
const CASES: Record<string, [row: string, ...changes: string[]]> = {
  attempts_class_known: ["attempts", "class = 'sent'"],
  attempts_detail_bounded: ["attempts", "detail = repeat('x', 401)"],
  attempts_retry_after_bounded: ["attempts", "retry_after = repeat('9', 201)"],
  attempts_settled_has_class: ["attempts", "class = null", "settled_at = null"],
  deliveries_admission_has_end: [
    "deliveries:ready",
    "admission_id = gen_random_uuid()",
    "admitted_until = ledger_now()",
  ],
  deliveries_budget_positive: ["deliveries:ready", "failure_budget = 0"],
  deliveries_burial: ["deliveries:dead", "burial_id = null"],
  deliveries_channel_known: ["deliveries:ready", "channel = 'fax'"],
  deliveries_class_while_deferred: ["deliveries:deferred", "last_class = null"],
  deliveries_cost_positive: ["deliveries:ready", "cost = 0"],
  deliveries_counts: [
    "deliveries:deferred",
    "attempt_count = -1",
    "failure_count = -1",
    "throttle_count = -1",
    "attempt_count = 0",
    "first_attempt_at = null",
  ],
  deliveries_destination_unless_expired: [
    "deliveries:ready",
    "destination_id = null",
    "partition = null",
    "payload_id = null",
  ],
  deliveries_expired_is_resolved: ["deliveries:expired", "unresolved_since = ledger_now()"],
  deliveries_finished_when_terminal: ["deliveries:delivered", "finished_at = null"],
  deliveries_kept_has_end: ["deliveries:deferred", "kept_by = 'run'", "kept_until = ledger_now()"],
  deliveries_key_bounded: ["deliveries:ready", "key = 'short'", "key = repeat('k', 251)"],
  deliveries_lane_known: ["deliveries:ready", "lane = 'fast'"],
  deliveries_lease_while_sending: ["deliveries:sending", "lease_until = null"],
  deliveries_one_source: [
    "deliveries:ready",
    "occurrence_id = null",
    "notice_id = gen_random_uuid()",
    "shipment_event_id = gen_random_uuid()",
  ],
  deliveries_pass_while_ready: ["deliveries:ready", "pass = null"],
  deliveries_reason_known: ["deliveries:dead", "reason = 'cancelled'", "reason = 'tired'"],
  deliveries_reason_when_ended: ["deliveries:dead", "reason = null"],
  deliveries_resolved_when_delivered: ["deliveries:delivered", "unresolved_since = ledger_now()"],
  deliveries_state_known: ["deliveries:delivered", "state = 'sent', finished_at = null"],
  deliveries_time_while_waiting: ["deliveries:scheduled", "next_eligible_at = null"],
  deliveries_trace_bounded: ["deliveries:ready", "trace = repeat('0', 56)"],
  deliveries_unknown_is_unresolved: ["deliveries:dead", "reason = 'outcome_unknown'"],
  destinations_address_bounded: ["destinations", "address = 'x'", "address = repeat('x', 2001)"],
  destinations_channel_known: ["destinations", "channel = 'fax'"],
  destinations_daily_limit_bounded: ["destinations", "daily_limit = 0", "daily_limit = 101"],
  destinations_label_bounded: ["destinations", "label = repeat('x', 81)"],
  destinations_push_has_keys: ["destinations", "channel = 'push'", "p256dh = 'k', auth = 'a'"],
  destinations_state_known: ["destinations", "state = 'sleeping'"],
  idempotency_keys_bounded: ["idempotency_keys", "key = ''", "key = repeat('k', 256)"],
  lanes_degradation_known: [
    "lanes",
    "degradation = 'drop', degradation_window_seconds = 60",
    "degradation = 'coalesce', degradation_window_seconds = 60, lane = 'urgent'",
  ],
  lanes_degradation_window: [
    "lanes",
    "degradation = 'coalesce', degradation_window_seconds = 59, lane = 'bulk'",
    "degradation = 'coalesce', degradation_window_seconds = null, lane = 'bulk'",
    "degradation = null, degradation_window_seconds = 60, lane = 'bulk'",
  ],
  lanes_degradation_written: ["lanes", "degradation_until = now()"],
  lanes_lane_known: ["lanes", "lane = 'fast'"],
  lanes_weight_positive: ["lanes", "weight = 0"],
  ledger_state_cleanup_off: [
    "ledger_state",
    "cleanup_off_at = ledger_now()",
    "cleanup_off_by = 'ada'",
    "cleanup_off_reason = 'why'",
  ],
  ledger_state_mode_known: ["ledger_state", "mode = 'asleep'"],
  ledger_state_one_row: ["ledger_state", "singleton = 2"],
  ledger_state_uncertain: [
    "ledger_state",
    "uncertain_since = ledger_now()",
    "uncertain_why = 'why'",
    "calm_since = ledger_now()",
  ],
  meters_rate_positive: ["meters", "rate = 0"],
  notices_code_names_its_address: ["notices", "destination_id = null"],
  notices_template_known: ["notices", "template = 'poem'"],
  occurrences_answered_both: ["occurrences", "answered_at = ledger_now()", "answered_by = 'done'"],
  occurrences_answered_by_known: ["occurrences", "answered_at = ledger_now(), answered_by = 'nobody'"],
  occurrences_channels_some: ["occurrences", "channels = '{}'", "channels = '{email,sms,push,email}'"],
  occurrences_opened_at: ["occurrences", "opened_at = null", "state = 'waiting'"],
  occurrences_origin_known: ["occurrences", "origin = 'magic'"],
  occurrences_state_known: ["occurrences", "state = 'lost', opened_at = null"],
  occurrences_trace_bounded: ["occurrences", "trace = repeat('0', 56)"],
  outbox_event_id_bounded: ["outbox", "event_id = ''", "event_id = repeat('x', 201)"],
  outbox_trace_bounded: ["outbox", "trace = repeat('0', 56)"],
  partitions_account_is_another: ["partitions", "account = key"],
  partitions_burst_positive: ["partitions", "burst = 0.5"],
  partitions_ceiling_not_negative: ["partitions", "ceiling = -1"],
  partitions_channel_known: ["partitions", "channel = 'fax'"],
  partitions_circuit_known: ["partitions", "circuit = 'ajar', circuit_probe_at = ledger_now()"],
  partitions_circuit_probe: ["partitions", "circuit = 'open'"],
  partitions_concurrency_positive: ["partitions", "concurrency = 0"],
  partitions_headroom_bounded: ["partitions", "headroom = -0.1", "headroom = 0.95"],
  partitions_limits_for_a_while: ["partitions", "limits_until = ledger_now()", "limits_before = '{}'"],
  partitions_paused_by_someone: ["partitions", "paused_at = ledger_now()", "paused_by = 'ops'"],
  payloads_channel_known: ["payloads", "channel = 'fax'"],
  payloads_cost_bounded: ["payloads", "cost = 0", "cost = 12"],
  payloads_wiped: ["payloads", "content = null", "wiped_at = ledger_now()"],
  preferences_channel_known: ["preferences", "channel = 'fax'"],
  preferences_topic_known: ["preferences", "topic = 'weather'"],
  reminders_cancelled_at: ["reminders", "status = 'cancelled'", "cancelled_at = ledger_now()"],
  reminders_channels_known: [
    "reminders",
    "channels = '{}'",
    "channels = '{fax}'",
    "channels = '{email,sms,push,email}'",
  ],
  reminders_check_url_bounded: ["reminders", "check_url = repeat('x', 2001)"],
  reminders_note_bounded: ["reminders", "note = repeat('x', 4001)"],
  reminders_recurrence_bounded: [
    "reminders",
    "recurrence = 'DAILY', series_start = 'x', series_last = 'x'",
    "recurrence = repeat('x', 201), series_start = 'x', series_last = 'x'",
  ],
  reminders_series_whole: ["reminders", "recurrence = 'FREQ=DAILY'", "series_start = 'x', series_last = 'x'"],
  reminders_status_known: ["reminders", "status = 'asleep'"],
  reminders_step_bounded: ["reminders", "step_minutes = 0", "step_minutes = 1441"],
  reminders_title_bounded: ["reminders", "title = ''", "title = repeat('x', 401)"],
  reminders_url_bounded: ["reminders", "url = repeat('x', 2001)"],
  reminders_usefulness_bounded: ["reminders", "expires_after_seconds = 59", "expires_after_seconds = 604801"],
  reminders_version_positive: ["reminders", "version = 0"],
  retention_covers_redrive: ["retention", "keep_days = 13", "keep_days = 4000"],
  retention_records_approval: ["retention", "records_owner = 'ada'", "records_approved_at = ledger_now()"],
  retention_slo_approval: ["retention", "slo_owner = 'ada'", "slo_approved_at = ledger_now()"],
  retention_state_known: ["retention", "state = 'sending'"],
  retention_two_people: [
    "retention",
    "slo_owner = 'ada', slo_approved_at = ledger_now(), records_owner = 'ada', records_approved_at = ledger_now()",
  ],
  slos_channel_known: ["slos", "channel = 'fax'"],
  slos_dead_per_thousand: ["slos", "dead_per_thousand = -1", "dead_per_thousand = 1001"],
  slos_lane_known: ["slos", "lane = 'fast'"],
  slos_throttled_share: ["slos", "throttled_share = -0.1", "throttled_share = 1.1"],
  slos_times_positive: ["slos", "p99_age_ms = 0", "p99_due_to_accepted_ms = 0"],
  subscribers_erased_names_nobody: ["subscribers", "erased_at = ledger_now()"],
  subscribers_external_id_bounded: ["subscribers", "external_id = ''", "external_id = repeat('x', 201)"],
  shipment_events_announced_version: ["shipment_events", "version = null", "outcome = 'repeated'"],
  shipment_events_fanned_out_once_announced: [
    "shipment_events",
    "version = null, outcome = 'repeated', fanned_out_at = ledger_now()",
  ],
  shipment_events_id_bounded: ["shipment_events", "carrier_event_id = ''"],
  shipment_events_outcome_known: ["shipment_events", "outcome = 'lost', version = null"],
  shipment_events_source_known: ["shipment_events", "source = 'rumour'"],
  shipment_events_trace_bounded: ["shipment_events", "trace = repeat('0', 56)"],
  shipment_followers_channels_known: ["shipment_followers", "channels = '{}'", "channels = '{fax}'"],
  shipment_followers_policy_known: ["shipment_followers", "policy = 'some'"],
  shipment_followers_versions_in_order: ["shipment_followers", "joined_version = -1", "left_version = -1"],
  shipments_announced_at: ["shipments", "status_at = null", "version = 0"],
  shipments_external_id_bounded: ["shipments", "external_id = ''"],
  shipments_status_known: ["shipments", "status = 'eaten'"],
  shipments_version_not_negative: ["shipments", "version = -1"],
  subscribers_quiet_hours_both_or_none: [
    "subscribers",
    "quiet_from = '22:00'",
    "quiet_until = '08:00'",
    "quiet_from = '24:00', quiet_until = '08:00'",
    "quiet_from = '8:00', quiet_until = '09:00'",
  ],
  subscribers_sms_hours_both_or_none: [
    "subscribers",
    "sms_from = '22:00'",
    "sms_until = '08:00'",
    "sms_from = '24:00', sms_until = '08:00'",
    "sms_from = '8:00', sms_until = '09:00'",
  ],
  sweeps_mover_known: ["sweeps", "mover = 'ghost'"],
};

const tableOf = (row: string) => row.split(":")[0] ?? row;

beforeAll(async () => {
  for (const state of [
    "scheduled",
    "ready",
    "sending",
    "deferred",
    "delivered",
    "dead",
    "expired",
  ] as const) {
    await makeDelivery({ state });
  }
  const notice = await makeDelivery({ source: "notice" });
  await makeDestination(notice.subscriberId);
  await follow(notice.subscriberId);
  await record({ status: "in_transit" });
  await beginSweep("command", 0);
  await transact((tx) =>
    stageEvents(tx, [{ name: "partition/pump.rung", data: { v: 1, partition: "p", generation: 1 } }]),
  );
  await rows(
    database(),
    sql`insert into idempotency_keys (scope, key, body_hash, status, response, created_at)
      values ('s', 'k', 'h', 201, '{}', ledger_now())`,
  );
  await rows(
    database(),
    sql`insert into preferences (subscriber_id, topic, channel, enabled, updated_at)
      values (${notice.subscriberId}::uuid, 'reminders', 'sms', false, ledger_now())`,
  );
});

/** Changes one row of the kind with every trigger and foreign key off; the name of the CHECK that refuses it. */
async function refusedBy(row: string, changes: string): Promise<string | null> {
  class RolledBack extends Error {}
  const state = row.split(":")[1] as DeliveryState | undefined;
  const table = sql.identifier(tableOf(row));
  try {
    await database().transaction(async (tx) => {
      await rows(tx, sql`set local session_replication_role = replica`);
      const where =
        state !== undefined
          ? sql`state = ${state} and notice_id is null`
          : tableOf(row) === "attempts"
            ? sql`settled_at is not null`
            : tableOf(row) === "occurrences"
              ? sql`state = 'opened'`
              : tableOf(row) === "destinations"
                ? sql`channel = 'email'`
                : sql`true`;
      const changed = await rows(
        tx,
        sql`update ${table} set ${sql.raw(changes)} where ctid = (select ctid from ${table} where ${where} limit 1) returning 1`,
      );
      expect(changed).toHaveLength(1);
      throw new RolledBack();
    });
  } catch (error) {
    if (error instanceof RolledBack) return null;
    const { code, constraint_name } =
      (error as { cause?: { code?: string; constraint_name?: string } }).cause ?? {};
    if (code !== "23514") throw error;
    return constraint_name ?? "";
  }
  return null;
}

test.each(Object.entries(CASES))("%s refuses what it is there for", async (name, [row, ...changes]) => {
  for (const change of changes) expect(await refusedBy(row, change), change).toBe(name);
});

test("every CHECK of these tables has a case that it refuses", async () => {
  const tables = new Set(Object.values(CASES).map(([row]) => tableOf(row)));
  const found = await rows<{ name: string }>(
    database(),
    sql`select conname as name from pg_constraint where contype = 'c'
      and conrelid::regclass::text = any(string_to_array(${[...tables].join(",")}, ',')) order by 1`,
  );
  expect(Object.keys(CASES).toSorted()).toEqual(found.map((row) => row.name).toSorted());
});

test("a key, a reference and an attempt number exist once", async () => {
  const row = await makeDelivery({ state: "delivered" });
  await expect(makeDelivery({ key: row.key })).rejects.toMatchObject({
    cause: { constraint_name: "deliveries_key" },
  });
  await expect(makeDelivery({ reference: row.reference })).rejects.toMatchObject({
    cause: { constraint_name: "deliveries_reference" },
  });
  const again = rows(
    database(),
    sql`insert into attempts (id, delivery_id, number, token, run_id, epoch, slot_at, begun_at)
      values (${randomUUID()}::uuid, ${row.id}::uuid, 1, 1, 'r', 1, ledger_now(), ledger_now())`,
  );
  await expect(again).rejects.toMatchObject({ cause: { constraint_name: "attempts_number" } });
});
