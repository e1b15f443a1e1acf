import type { PartitionFacts } from "../admission/partitions";
import { decideClaim, type RefusalReason } from "../rules/claim";
import type { Gate } from "../rules/gate";
import type { HoldReason } from "../rules/holds";
import type { ExpiredReason } from "../rules/lifecycle";
import type { Channel } from "../rules/outcome";
import { REPEAT_BY_CHANNEL } from "../rules/repeat-policy";
import type { ClaimFactsRow } from "./claim-facts";

/** The rows of a claim by what may become of them. */
export interface Sorted {
  go: ClaimFactsRow[];
  laterAtMs: number | null;
  refused: { row: ClaimFactsRow; reason: RefusalReason }[];
  held: { row: ClaimFactsRow; reason: HoldReason | "not_before"; untilMs: number }[];
  ended: { row: ClaimFactsRow; reason: ExpiredReason }[];
}

/** Asks the one rule about every row, in the order in which they go. */
export function sortVerdicts(
  facts: readonly ClaimFactsRow[],
  partition: PartitionFacts,
  input: { nowMs: number; runId: string; channel: Channel; gate: Gate | null },
): Sorted {
  const sorted: Sorted = { go: [], laterAtMs: null, refused: [], held: [], ended: [] };
  const repeat = REPEAT_BY_CHANNEL[input.channel];
  for (const row of facts) {
    const verdict = decideClaim({ ...row, partitionOwner: partition.owner }, { ...input, repeat });
    switch (verdict.verdict) {
      case "go":
        sorted.go.push(row);
        break;
      case "later":
        sorted.laterAtMs = Math.min(sorted.laterAtMs ?? Number.POSITIVE_INFINITY, verdict.dueAtMs);
        break;
      case "refused":
        sorted.refused.push({ row, reason: verdict.reason });
        break;
      case "hold":
        sorted.held.push({ row, reason: verdict.reason, untilMs: verdict.untilMs });
        break;
      case "end":
        sorted.ended.push({ row, reason: verdict.reason });
        break;
    }
  }
  return sorted;
}

/** Refusals that leave the row to whoever holds it; every other one is written down. */
const NOT_OURS: readonly RefusalReason[] = ["duplicate", "not_admitted"];

/** Whether anything has to be written besides the attempts that begin. */
export function needsMore(sorted: Sorted): boolean {
  const writes = sorted.refused.some(({ reason }) => !NOT_OURS.includes(reason));
  return writes || sorted.held.length > 0 || sorted.ended.length > 0;
}
