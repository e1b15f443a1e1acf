import type { DeliveryFacts, Evidence, Report } from "./evidence";
import type { Told } from "./stage";

/** Answers after which a channel reaches nobody, for certain. */
const OVER = new Set(["message_rejected", "destination_rejected", "no_destination", "attempts_exhausted"]);

/** A claim is made a moment ahead of its instant. */
const AHEAD_MS = 100;

/** Longer than the transaction that ends the one and calls the other. */
const AT_ONCE_MS = 5_000;

/**
 * P6: of one channel after the other, none begins before its turn: a step after the first, or when whatever goes before
 * has ended for certain without reaching anybody. P5: then it does not wait for its turn.
 */
export function auditInOrder({ id, inOrder }: Told, evidence: Evidence, report: Report): void {
  if (inOrder === null) return;
  const { channels, stepMs } = inOrder;
  const rows = evidence.deliveries.filter((row) => row.reminderId === id);
  for (const row of rows) {
    const place = channels.indexOf(row.channel);
    const before = rows.filter(
      (other) => other.occurrenceId === row.occurrenceId && channels.indexOf(other.channel) < place,
    );
    if (before.length === 0 || before.some(({ redriven }) => redriven)) continue;
    const first = evidence.attempts.get(row.id)?.[0];
    const turnMs = (row.dueAtMs ?? 0) + stepMs - AHEAD_MS;
    if (first !== undefined && first.begunAtMs < turnMs && before.some(mayArriveAt(first.begunAtMs)))
      report("P6", "begun before its turn among the channels", row.key);
    if (waitsForItsTurn(row) && before.every(reachedNobody(evidence.nowMs - AT_ONCE_MS)))
      report("P5", "waits for its turn although nothing before it can arrive", row.key);
  }
}

const waitsForItsTurn = (row: DeliveryFacts) => row.state === "scheduled" && row.lastClass === "not_before";

const mayArriveAt = (atMs: number) => (row: DeliveryFacts) =>
  !["dead", "expired"].includes(row.state) ||
  row.reason === "outcome_unknown" ||
  (row.finishedAtMs ?? Number.POSITIVE_INFINITY) > atMs;

/** By an answer of its own provider, and not because somebody decided something meanwhile. */
const reachedNobody = (untilMs: number) => (row: DeliveryFacts) =>
  row.attemptCount > 0 && OVER.has(row.reason ?? "") && (row.finishedAtMs ?? untilMs) < untilMs;
