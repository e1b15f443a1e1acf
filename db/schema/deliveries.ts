import { sql } from "drizzle-orm";
import {
  type AnyPgColumn,
  boolean,
  check,
  doublePrecision,
  index,
  integer,
  pgTable,
  text,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { instant } from "./columns";
import { destinations } from "./destinations";
import { notices } from "./notices";
import { occurrences } from "./occurrences";
import { partitions } from "./partitions";
import { payloads } from "./payloads";
import { shipmentEvents } from "./shipment-events";
import { subscribers } from "./subscribers";

/**
 * The ledger, which is also the queue: one row per (source, subscriber, channel[, device]) for ever (P1).
 *
 * The trigger `deliveries_guard` refuses every move that `db/rules/lifecycle.ts` does not name, any change of the key,
 * and any change of the payload once an attempt has begun. The CHECKs tie each state to its timestamps. Nothing personal
 * is here: addresses are in `destinations`, text in `payloads`.
 */
export const deliveries = pgTable(
  "deliveries",
  {
    id: uuid("id").primaryKey(),
    key: text("key").notNull(),
    /** base64url(sha256(key))[0:32]: the key's name at providers, in URLs, logs and traces. */
    reference: text("reference").notNull(),
    occurrenceId: uuid("occurrence_id").references(() => occurrences.id, { onDelete: "restrict" }),
    noticeId: uuid("notice_id").references(() => notices.id, { onDelete: "restrict" }),
    shipmentEventId: uuid("shipment_event_id").references(() => shipmentEvents.id, { onDelete: "restrict" }),
    subscriberId: uuid("subscriber_id")
      .notNull()
      .references(() => subscribers.id, { onDelete: "restrict" }),
    channel: text("channel", { enum: ["email", "sms", "push"] }).notNull(),
    destinationId: uuid("destination_id").references(() => destinations.id, { onDelete: "restrict" }),
    partition: text("partition").references(() => partitions.key, { onDelete: "restrict" }),
    lane: text("lane", { enum: ["urgent", "standard", "bulk", "redrive"] }).notNull(),
    /** Whose turn it is inside the lane: the subscriber, or the order a burst belongs to. */
    flow: text("flow").notNull(),
    pass: doublePrecision("pass"),
    cost: integer("cost").notNull(),
    state: text("state", {
      enum: ["scheduled", "ready", "sending", "deferred", "delivered", "dead", "expired"],
    }).notNull(),
    reason: text("reason"),
    /** What put the row where it waits, or what the last call said. */
    lastClass: text("last_class"),
    scheduledAt: instant("scheduled_at").notNull(),
    nextEligibleAt: instant("next_eligible_at"),
    expiresAt: instant("expires_at").notNull(),
    createdAt: instant("created_at").notNull(),
    firstAttemptAt: instant("first_attempt_at"),
    latestAttemptAt: instant("latest_attempt_at"),
    finishedAt: instant("finished_at"),
    admissionId: uuid("admission_id"),
    admittedUntil: instant("admitted_until"),
    admittedAt: instant("admitted_at"),
    keptBy: text("kept_by"),
    keptUntil: instant("kept_until"),
    leaseUntil: instant("lease_until"),
    /** Fencing token: counts claims; only its holder may settle. */
    token: integer("token").notNull().default(0),
    attemptCount: integer("attempt_count").notNull().default(0),
    failureCount: integer("failure_count").notNull().default(0),
    /** What `failure_count` may reach: `FAILURE_BUDGET`, and as much again beside what is spent with every redrive. */
    failureBudget: integer("failure_budget").notNull().default(5),
    throttleCount: integer("throttle_count").notNull().default(0),
    /** Set when a crash was survived: such a delivery is admitted in a parcel of its own. */
    alone: boolean("alone").notNull().default(false),
    payloadId: uuid("payload_id").references(() => payloads.id, { onDelete: "restrict" }),
    /** Version of the occurrence that this delivery carries. */
    version: integer("version").notNull(),
    contentHash: text("content_hash"),
    providerMessageId: text("provider_message_id"),
    unresolvedSince: instant("unresolved_since"),
    /** How it would have ended, had every outcome been known: recorded beside `dead/outcome_unknown`. */
    wish: text("wish"),
    owner: integer("owner").notNull(),
    /** For `dead/outcome_unknown`: before this a look-up at the provider proves nothing. */
    reconcileAt: instant("reconcile_at"),
    /** The last redrive that brought it back. */
    redriveId: uuid("redrive_id"),
    /** Named in a redrive although its outcome is unknown: it may be sent until the next unknown outcome. */
    acknowledged: boolean("acknowledged").notNull().default(false),
    /** The operator's action that said what had become of an unknown outcome. */
    resolutionId: uuid("resolution_id"),
    burialId: uuid("burial_id"),
    /** Dead, seen, and nobody's business any more: lists and redrives pass it over. */
    dismissedAt: instant("dismissed_at"),
    /** W3C trace context of the delivery's trace: ids only. */
    trace: text("trace"),
  },
  (table) => [
    uniqueIndex("deliveries_key").on(table.key),
    uniqueIndex("deliveries_reference").on(table.reference),
    index("deliveries_by_occurrence").on(table.occurrenceId),
    index("deliveries_by_notice").on(table.noticeId).where(sql`notice_id is not null`),
    index("deliveries_by_shipment_event").on(table.shipmentEventId).where(sql`shipment_event_id is not null`),
    index("deliveries_live_by_subscriber")
      .on(table.subscriberId, table.channel)
      .where(sql`state in ('scheduled', 'ready', 'sending', 'deferred')`),
    // admit: who goes next
    index("deliveries_ready")
      .on(table.partition, table.lane, table.pass, table.id)
      .where(sql`state = 'ready'`),
    // admit: highest pass among a flow's live ready rows
    index("deliveries_ready_by_flow")
      .on(table.partition, table.lane, table.flow, table.pass)
      .where(sql`state = 'ready'`),
    // promotion, early admission, and the pump's next wake-up
    index("deliveries_due")
      .on(table.partition, table.nextEligibleAt)
      .where(sql`state in ('scheduled', 'deferred')`),
    // promotion of flows that another crowds out
    index("deliveries_due_by_flow")
      .on(table.partition, table.flow, table.nextEligibleAt)
      .where(sql`state in ('scheduled', 'deferred')`),
    // what an admission has out
    index("deliveries_admitted")
      .on(table.partition, table.admittedUntil)
      .where(sql`admission_id is not null`),
    // lease recovery
    index("deliveries_leased").on(table.partition, table.leaseUntil).where(sql`state = 'sending'`),
    // expiry
    index("deliveries_expiring")
      .on(table.partition, table.expiresAt)
      .where(sql`state in ('scheduled', 'ready', 'deferred')`),
    // the health strip and the four questions: how many of a lane stand where, how old they are and what they cost
    index("deliveries_oldest")
      .on(table.partition, table.lane, table.state, table.scheduledAt, table.cost)
      .where(sql`state in ('scheduled', 'ready', 'deferred')`),
    // the console's list: what was opened last, whatever became of it
    index("deliveries_by_creation").on(table.createdAt, table.id),
    // dead letters counted and grouped, without a look at their rows
    index("deliveries_dead")
      .on(
        table.partition,
        table.finishedAt,
        table.reason,
        table.channel,
        table.dismissedAt,
        table.unresolvedSince,
        table.expiresAt,
      )
      .where(sql`state = 'dead'`),
    // dead letters, the latest first
    index("deliveries_dead_by_time").on(table.finishedAt, table.id).where(sql`state = 'dead'`),
    // cleanup, and what ended lately by channel and lane
    index("deliveries_finished")
      .on(table.state, table.finishedAt, table.channel, table.lane)
      .where(sql`state in ('delivered', 'dead', 'expired')`),
    // a payload goes when its last delivery has gone
    index("deliveries_by_payload").on(table.payloadId),
    check(
      "deliveries_state_known",
      sql`${table.state} in ('scheduled', 'ready', 'sending', 'deferred', 'delivered', 'dead', 'expired')`,
    ),
    check("deliveries_channel_known", sql`${table.channel} in ('email', 'sms', 'push')`),
    check("deliveries_lane_known", sql`${table.lane} in ('urgent', 'standard', 'bulk', 'redrive')`),
    check(
      "deliveries_one_source",
      sql`num_nonnulls(${table.occurrenceId}, ${table.noticeId}, ${table.shipmentEventId}) = 1`,
    ),
    check("deliveries_key_bounded", sql`char_length(${table.key}) between 10 and 250`),
    check("deliveries_cost_positive", sql`${table.cost} >= 1`),
    check(
      "deliveries_lease_while_sending",
      sql`(${table.state} = 'sending') = (${table.leaseUntil} is not null)`,
    ),
    check(
      "deliveries_finished_when_terminal",
      sql`(${table.state} in ('delivered', 'dead', 'expired')) = (${table.finishedAt} is not null)`,
    ),
    check(
      "deliveries_reason_when_ended",
      sql`(${table.state} in ('dead', 'expired')) = (${table.reason} is not null)`,
    ),
    check(
      "deliveries_reason_known",
      sql`${table.reason} is null
        or (${table.state} = 'dead' and ${table.reason} in ('attempts_exhausted', 'message_rejected', 'destination_rejected', 'outcome_unknown'))
        or (${table.state} = 'expired' and ${table.reason} in ('past_deadline', 'cancelled', 'superseded', 'answered', 'opted_out', 'no_destination', 'preference', 'consent', 'milestone_not_chosen', 'capped', 'shed', 'moved', 'erased'))`,
    ),
    check(
      "deliveries_time_while_waiting",
      sql`${table.state} not in ('scheduled', 'deferred') or ${table.nextEligibleAt} is not null`,
    ),
    check(
      "deliveries_class_while_deferred",
      sql`${table.state} <> 'deferred' or ${table.lastClass} is not null`,
    ),
    check("deliveries_pass_while_ready", sql`${table.state} <> 'ready' or ${table.pass} is not null`),
    check(
      "deliveries_destination_unless_expired",
      sql`${table.state} = 'expired' or (${table.destinationId} is not null and ${table.partition} is not null and ${table.payloadId} is not null)`,
    ),
    ...unknownOutcomeChecks(table),
    check(
      "deliveries_admission_has_end",
      sql`(${table.admissionId} is null) = (${table.admittedUntil} is null)`,
    ),
    check("deliveries_kept_has_end", sql`(${table.keptBy} is null) = (${table.keptUntil} is null)`),
    check(
      "deliveries_counts",
      sql`${table.attemptCount} >= 0 and ${table.failureCount} >= 0 and ${table.throttleCount} >= 0
        and (${table.attemptCount} = 0) = (${table.firstAttemptAt} is null)`,
    ),
    check("deliveries_trace_bounded", sql`char_length(${table.trace}) <= 55`),
    check("deliveries_burial", sql`${table.state} <> 'dead' or ${table.burialId} is not null`),
    check("deliveries_budget_positive", sql`${table.failureBudget} >= 1`),
  ],
);

/** An unknown outcome is never forgotten: which states carry one. */
function unknownOutcomeChecks(table: Record<"state" | "reason" | "unresolvedSince", AnyPgColumn>) {
  return [
    check(
      "deliveries_resolved_when_delivered",
      sql`${table.state} <> 'delivered' or ${table.unresolvedSince} is null`,
    ),
    check(
      "deliveries_unknown_is_unresolved",
      sql`${table.reason} <> 'outcome_unknown' or ${table.unresolvedSince} is not null`,
    ),
    check(
      "deliveries_expired_is_resolved",
      sql`${table.state} <> 'expired' or ${table.unresolvedSince} is null`,
    ),
  ];
}
