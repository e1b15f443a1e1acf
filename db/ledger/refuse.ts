import { sql } from "drizzle-orm";
import { at, rows, type Transaction } from "../connection";
import type { RefusalReason } from "../rules/claim";
import { endWaiting, giveBack } from "./expire";
import { pullForward } from "./pull-forward";
import type { Sorted } from "./verdicts";

/** A row that its run has nothing more to do with. */
export interface Refused {
  deliveryId: string;
  reason: RefusalReason | "ended" | "held";
}

/**
 * Writes down what refusals mean for their rows. Returns those that are held or ended, and the partitions in which
 * something became due because of it (`pullForward`).
 */
export async function refuse(
  tx: Transaction,
  sorted: Sorted,
  nowMs: number,
): Promise<{ refused: Refused[]; awakened: string[] }> {
  const refused: Refused[] = [];
  const refusedFor = (reasons: readonly RefusalReason[]) =>
    sorted.refused.filter(({ reason }) => reasons.includes(reason)).map(({ row }) => row.id);
  // A row that another run holds, or that has ended, is not ours to touch.
  await giveBack(tx, refusedFor(["gate", "stale_owner", "not_eligible"]));
  // Nothing may be repeated any more: the outcome stays unknown and needs a person or a receipt.
  await endWaiting(tx, refusedFor(["unresolved"]), "outcome_unknown");
  for (const { row, reason, untilMs } of sorted.held) {
    await rows(
      tx,
      sql`update deliveries set state = 'scheduled', next_eligible_at = ${at(Math.max(untilMs, nowMs + 1))},
          last_class = ${reason}, pass = null, admission_id = null, admitted_until = null, kept_by = null, kept_until = null
        where id = ${row.id}`,
    );
    refused.push({ deliveryId: row.id, reason: "held" });
  }
  for (const { row, reason } of sorted.ended) {
    await endWaiting(tx, [row.id], reason);
    refused.push({ deliveryId: row.id, reason: "ended" });
  }
  const ended = sorted.ended.map(({ row }) => row.id);
  return { refused, awakened: await pullForward(tx, ended) };
}
