import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { at } from "../connection";
import { DEAD_REASONS } from "../rules/lifecycle";

/**
 * Which dead letters. All that are given must hold. `diedAfterMs` and `diedBeforeMs` bound when they died, the first
 * included, the second not: a group of `groupDeadLetters` is such a stretch.
 */
export const deadLetterFilter = z.strictObject({
  channel: z.enum(["email", "sms", "push"]).optional(),
  partition: z.string().min(1).max(200).optional(),
  reason: z.enum(DEAD_REASONS).optional(),
  diedAfterMs: z.number().int().optional(),
  diedBeforeMs: z.number().int().optional(),
  /** Exactly these deliveries. */
  deliveryIds: z.array(z.uuid()).min(1).max(500).optional(),
});
export type DeadLetterFilter = z.infer<typeof deadLetterFilter>;

/** The condition on `deliveries d`. */
export function deadLettersWhere(filter: DeadLetterFilter): SQL {
  const { channel, partition, reason, diedAfterMs, diedBeforeMs, deliveryIds } = filter;
  const conditions = [
    sql`d.state = 'dead'`,
    ...(channel === undefined ? [] : [sql`d.channel = ${channel}`]),
    ...(partition === undefined ? [] : [sql`d.partition = ${partition}`]),
    ...(reason === undefined ? [] : [sql`d.reason = ${reason}`]),
    ...(diedAfterMs === undefined ? [] : [sql`d.finished_at >= ${at(diedAfterMs)}`]),
    ...(diedBeforeMs === undefined ? [] : [sql`d.finished_at < ${at(diedBeforeMs)}`]),
    ...(deliveryIds === undefined
      ? []
      : [sql`d.id = any(string_to_array(${deliveryIds.join(",")}, ',')::uuid[])`]),
  ];
  return sql.join(conditions, sql` and `);
}
