import { sql } from "drizzle-orm";
import {
  boolean,
  check,
  doublePrecision,
  index,
  integer,
  jsonb,
  pgTable,
  text,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { instant } from "./columns";

/**
 * A redrive: a frozen set of dead letters that goes back through admission, paced, by somebody's decision. A row without
 * `started_at` is a preview that nobody has confirmed yet; its set is stored, so what is confirmed is what was seen.
 *
 * `driver_generation` and `driver_until` own its driver as a partition's pump is owned: a run of another generation ends.
 */
export const redrives = pgTable(
  "redrives",
  {
    id: uuid("id").primaryKey(),
    /** `operator`: chosen and confirmed; `rerun`: collects reruns of dead-letter runs; `resolution`: one that did not arrive. */
    origin: text("origin", { enum: ["operator", "rerun", "resolution"] }).notNull(),
    state: text("state", { enum: ["previewed", "running", "paused", "stopped", "finished"] }).notNull(),
    /** What was asked for: channel, partition, reason, age. */
    filter: jsonb("filter").notNull(),
    /** Unknown outcomes were named explicitly: they may reach somebody twice. */
    includesAmbiguous: boolean("includes_ambiguous").notNull(),
    /** Per second and partition, at most; null leaves it to what the partition can spare. */
    askedPerSecond: doublePrecision("asked_per_second"),
    members: integer("members").notNull(),
    wouldSend: integer("would_send").notNull(),
    /** What was shown before it was confirmed. */
    preview: jsonb("preview").notNull(),
    previewedBy: text("previewed_by").notNull(),
    operator: text("operator"),
    reason: text("reason"),
    createdAt: instant("created_at").notNull(),
    startedAt: instant("started_at"),
    /** Since when this stretch runs: figures of the time before say nothing about it. */
    resumedAt: instant("resumed_at"),
    pausedAt: instant("paused_at"),
    /** `operator`, or the measure that stopped it. */
    pauseKind: text("pause_kind", {
      enum: ["operator", "throttled", "live_age", "refailed", "canary", "circuit"],
    }),
    pauseReason: text("pause_reason"),
    endedAt: instant("ended_at"),
    /** Counts at its end: they outlive its members. */
    result: jsonb("result"),
    /** What the gate found at its end: measures against the service levels. */
    gate: jsonb("gate"),
    driverGeneration: integer("driver_generation").notNull().default(0),
    driverUntil: instant("driver_until"),
  },
  (table) => [
    index("redrives_by_time").on(table.createdAt, table.id),
    // reruns of dead-letter runs are collected in one redrive while it lasts
    uniqueIndex("redrives_one_of_reruns")
      .on(table.origin)
      .where(sql`origin = 'rerun' and state in ('running', 'paused')`),
    index("redrives_unfinished").on(table.state).where(sql`state in ('running', 'paused')`),
    check("redrives_origin_known", sql`${table.origin} in ('operator', 'rerun', 'resolution')`),
    check(
      "redrives_state_known",
      sql`${table.state} in ('previewed', 'running', 'paused', 'stopped', 'finished')`,
    ),
    check(
      "redrives_started_by_someone",
      sql`(${table.startedAt} is null) = (${table.state} = 'previewed')
        and (${table.startedAt} is null or (${table.operator} is not null and ${table.resumedAt} is not null
          and char_length(trim(${table.reason})) between 1 and 1000))`,
    ),
    check("redrives_rate_positive", sql`${table.askedPerSecond} is null or ${table.askedPerSecond} > 0`),
    check(
      "redrives_paused_for_something",
      sql`(${table.state} = 'paused') = (${table.pausedAt} is not null)
        and (${table.pausedAt} is null) = (${table.pauseKind} is null)
        and (${table.pausedAt} is null) = (${table.pauseReason} is null)`,
    ),
    check(
      "redrives_ended",
      sql`(${table.state} in ('stopped', 'finished')) = (${table.endedAt} is not null)`,
    ),
    check("redrives_counts", sql`${table.members} >= ${table.wouldSend} and ${table.wouldSend} >= 0`),
  ],
);
