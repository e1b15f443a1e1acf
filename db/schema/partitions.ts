import { sql } from "drizzle-orm";
import {
  type AnyPgColumn,
  bigint,
  check,
  doublePrecision,
  integer,
  jsonb,
  pgTable,
  text,
} from "drizzle-orm/pg-core";
import { instant } from "./columns";

/**
 * One budget at one provider: `email:resend:<account>`, `sms:twilio:<account>:<sender>`, `push:<host>`. Never a
 * subscriber attribute. Everything an operator can turn lives here and acts at once, without a deploy.
 *
 * `pump_generation` and `pump_until` own the partition's heartbeat: a run whose generation is not the row's ends.
 * `owner` is the consumer generation; a claim requires that the delivery's equals it, which is how a hand-over fences
 * the old consumer.
 *
 * A partition may name an `account`: a row of this table without deliveries, whose limits, pause and gate count for all
 * partitions that name it. A call then needs both meters.
 */
export const partitions = pgTable(
  "partitions",
  {
    key: text("key").primaryKey(),
    channel: text("channel", { enum: ["email", "sms", "push"] }).notNull(),
    provider: text("provider", { enum: ["resend", "twilio", "web-push"] }).notNull(),
    /** Calls (SMS: segments) per second that the operator allows at most; 0 is a pause. */
    ceiling: doublePrecision("ceiling").notNull(),
    burst: doublePrecision("burst").notNull(),
    concurrency: integer("concurrency").notNull(),
    /** Share of the rate that `bulk` and `redrive` leave to `urgent` and `standard`. */
    headroom: doublePrecision("headroom").notNull().default(0.1),
    owner: integer("owner").notNull(),
    account: text("account").references((): AnyPgColumn => partitions.key, { onDelete: "restrict" }),
    /** Where the promotion of crowded-out flows goes on; `db/admission/promote.ts`. */
    promotedFlow: text("promoted_flow"),
    /** When limits that were set for a while go back to `limits_before`; both or none. */
    limitsUntil: instant("limits_until"),
    limitsBefore: jsonb("limits_before"),
    pausedBy: text("paused_by"),
    pausedReason: text("paused_reason"),
    pausedAt: instant("paused_at"),
    pausedUntil: instant("paused_until"),
    circuit: text("circuit", { enum: ["closed", "open", "half_open"] }).notNull(),
    circuitReason: text("circuit_reason"),
    circuitProbeAt: instant("circuit_probe_at"),
    /** The stride scheduler's virtual time: an idle lane rejoins here. */
    laneClock: doublePrecision("lane_clock").notNull(),
    /** Set by a quota answer: nothing is admitted before it but one probe. */
    parkedUntil: instant("parked_until"),
    pumpGeneration: bigint("pump_generation", { mode: "number" }).notNull(),
    pumpUntil: instant("pump_until"),
    createdAt: instant("created_at").notNull(),
  },
  (table) => [
    check("partitions_account_is_another", sql`${table.account} <> ${table.key}`),
    check("partitions_channel_known", sql`${table.channel} in ('email', 'sms', 'push')`),
    check("partitions_ceiling_not_negative", sql`${table.ceiling} >= 0`),
    check("partitions_burst_positive", sql`${table.burst} >= 1`),
    check("partitions_concurrency_positive", sql`${table.concurrency} >= 1`),
    check("partitions_headroom_bounded", sql`${table.headroom} >= 0 and ${table.headroom} <= 0.9`),
    check(
      "partitions_limits_for_a_while",
      sql`(${table.limitsUntil} is null) = (${table.limitsBefore} is null)`,
    ),
    check("partitions_circuit_known", sql`${table.circuit} in ('closed', 'open', 'half_open')`),
    check("partitions_paused_by_someone", sql`(${table.pausedAt} is null) = (${table.pausedBy} is null)`),
    check(
      "partitions_circuit_probe",
      sql`${table.circuit} = 'closed' or ${table.circuitProbeAt} is not null`,
    ),
  ],
);
