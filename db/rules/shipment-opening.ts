import type { ExpiredReason } from "./lifecycle";
import { decideOpening, type Opening, type OpeningFacts } from "./opening";

/** What decides how an update is born for one follower on one channel. */
export interface UpdateFacts extends Omit<OpeningFacts, "stepped" | "capped" | "moot" | "throughQuiet"> {
  /** The follower chose to be told of this milestone. */
  chosen: boolean;
  policy: "every" | "latest";
  /** A newer announced version of the parcel that this follower also chose. */
  newerChosen: boolean;
}

export type UpdateOpening =
  | { state: "ready" }
  | Extract<Opening, { state: "scheduled" }>
  | { state: "expired"; reason: ExpiredReason };

/**
 * How an update is born: in its turn at once, held by quiet hours, or `expired` with the reason why this follower is
 * skipped. What the follower never wanted comes first, then whom nothing reaches, then what is overtaken: each row says
 * the first rule that it met.
 */
export function decideUpdate(facts: UpdateFacts, nowMs: number): UpdateOpening {
  if (!facts.chosen) return { state: "expired", reason: "milestone_not_chosen" };
  // What reminders may have beyond these: steps, a daily limit, an answer of the shop, a way through quiet hours.
  const plain = { stepped: false, capped: false, moot: false, throughQuiet: false };
  const opening = decideOpening({ ...facts, ...plain, dueAtMs: Math.max(facts.dueAtMs, nowMs) }, nowMs);
  if (opening.state === "expired") return opening;
  if (facts.policy === "latest" && facts.newerChosen) return { state: "expired", reason: "superseded" };
  return opening.heldBy === null ? { state: "ready" } : opening;
}
