import type { ClaimFacts } from "./claim";
import type { Gate } from "./gate";
import { holdAt } from "./holds";
import { mayAttempt, REPEAT_BY_CHANNEL } from "./repeat-policy";

export const EXPLAIN_STEPS = [
  "preference",
  "consent",
  "quiet hours",
  "cap",
  "lane",
  "gate",
  "provider",
] as const;

/** One link of the chain between a delivery and its call: the rule that applies, the value it met, what follows. */
export interface ExplainStep {
  step: (typeof EXPLAIN_STEPS)[number];
  rule: string;
  value: string;
  /** `passes`, `waits` (by itself, later), or `stops` (this is where it ended, or will). */
  effect: "passes" | "waits" | "stops";
}

/** What explaining needs beside what a claim knows. */
export interface ExplainFacts extends ClaimFacts {
  reason: string | null;
  lastClass: string | null;
  pass: number | null;
  /** Ready deliveries of the lane that go before this one. */
  ahead: number;
  laneWeight: number | null;
  rate: number | null;
  ceiling: number | null;
  partition: string | null;
  attempts: readonly { number: number; class: string | null; status: number | null; code: string | null }[];
  throttleCount: number;
}

const at = (ms: number) => new Date(ms).toISOString();

/** Explains one delivery, link by link; pure, so that the page and the command line print the same text. */
export function explainDelivery(facts: ExplainFacts, gate: Gate | null, nowMs: number): ExplainStep[] {
  const isOver = facts.state === "delivered" || facts.state === "dead" || facts.state === "expired";
  return [
    preferenceStep(facts),
    consentStep(facts),
    holdStep(facts, isOver ? null : nowMs),
    {
      step: "cap",
      rule: "a subscriber's own limit per day",
      value: facts.reason === "capped" ? "reached when it was opened" : "not reached",
      effect: facts.reason === "capped" ? "stops" : "passes",
    },
    laneStep(facts, isOver),
    gateStep(facts, gate, isOver),
    providerStep(facts, nowMs),
  ];
}

function preferenceStep(facts: ExplainFacts): ExplainStep {
  const rule = "the channel is on for this topic, and what it tells is still wanted";
  const over = ["cancelled", "superseded", "answered", "preference", "milestone_not_chosen", "erased"];
  if (facts.reason !== null && over.includes(facts.reason))
    return { step: "preference", rule, value: facts.reason, effect: "stops" };
  if (facts.isNotice) return { step: "preference", rule, value: "a notice asks nobody", effect: "passes" };
  const value = !facts.preferred ? "off" : facts.sourceCancelled ? "on, but its source is cancelled" : "on";
  return { step: "preference", rule, value, effect: value === "on" ? "passes" : "stops" };
}

function consentStep(facts: ExplainFacts): ExplainStep {
  const rule = facts.isNotice ? "the address is active" : "the address is active and verified";
  if (facts.reason === "opted_out" || facts.reason === "no_destination" || facts.reason === "consent")
    return { step: "consent", rule, value: facts.reason, effect: "stops" };
  const verified = facts.destinationVerified ? "verified" : "not verified";
  const fine = facts.destinationState === "active" && (facts.isNotice || facts.destinationVerified);
  return {
    step: "consent",
    rule,
    value: `${facts.destinationState ?? "no destination"}, ${verified}`,
    effect: fine ? "passes" : "stops",
  };
}

function holdStep(facts: ExplainFacts, nowMs: number | null): ExplainStep {
  const hours =
    facts.quietFrom === null ? "none" : `${facts.quietFrom} to ${facts.quietUntil} in ${facts.timeZone}`;
  const rule = facts.lane === "urgent" ? "urgent passes" : `quiet hours: ${hours}`;
  const hold = nowMs === null ? null : holdAt(facts, nowMs);
  if (hold === null) return { step: "quiet hours", rule, value: "nothing holds it", effect: "passes" };
  return { step: "quiet hours", rule, value: `${hold.reason} until ${at(hold.untilMs)}`, effect: "waits" };
}

function laneStep(facts: ExplainFacts, isOver: boolean): ExplainStep {
  const rule = `lane ${facts.lane}, weight ${facts.laneWeight ?? "unknown"}`;
  if (facts.reason === "shed" || facts.reason === "moved")
    return { step: "lane", rule, value: `degraded: ${facts.reason}`, effect: "stops" };
  if (isOver) return { step: "lane", rule, value: "it has left the lane", effect: "passes" };
  if (facts.state === "sending") return { step: "lane", rule, value: "claimed", effect: "passes" };
  if (facts.state !== "ready") {
    const when = facts.nextEligibleAtMs === null ? "" : ` until ${at(facts.nextEligibleAtMs)}`;
    return { step: "lane", rule, value: `${facts.lastClass ?? "not due"}${when}`, effect: "waits" };
  }
  const admitted = facts.admitted ? "admitted" : "not admitted";
  return {
    step: "lane",
    rule,
    value: `${facts.ahead} ahead, ${admitted}`,
    effect: facts.admitted ? "passes" : "waits",
  };
}

function gateStep(facts: ExplainFacts, gate: Gate | null, isOver: boolean): ExplainStep {
  const rate = facts.rate === null ? "" : `, ${facts.rate.toFixed(1)}/s of ${facts.ceiling ?? 0}/s`;
  const rule = `${facts.partition ?? "no partition"}${rate}`;
  if (gate === null || isOver)
    return { step: "gate", rule, value: gate === null ? "open" : gate.why, effect: "passes" };
  const until = gate.untilMs === null ? "until somebody acts" : `until ${at(gate.untilMs)}`;
  return { step: "gate", rule, value: `${gate.why} ${until}`, effect: "waits" };
}

function providerStep(facts: ExplainFacts, nowMs: number): ExplainStep {
  const repeat = REPEAT_BY_CHANNEL[facts.channel];
  const rule = `repeat is ${repeat}; ${facts.failureCount} of ${facts.failureBudget} failures, ${facts.throttleCount} times throttled`;
  const last = facts.attempts.at(-1);
  const said = last === undefined ? "not called" : `attempt ${last.number}: ${last.class ?? "under way"}`;
  const code = last === undefined ? "" : [last.status, last.code].filter((part) => part !== null).join(" ");
  const answer = code === "" ? said : `${said} (${code})`;
  switch (facts.state) {
    case "delivered":
      return { step: "provider", rule, value: `${answer}; accepted`, effect: "passes" };
    case "dead":
    case "expired":
      return { step: "provider", rule, value: `${answer}; ${facts.state}: ${facts.reason}`, effect: "stops" };
    case "scheduled":
    case "ready":
    case "deferred":
    case "sending": {
      const verdict = mayAttempt({ ...facts, nowMs, repeat });
      const unresolved =
        facts.unresolvedSinceMs === null ? "" : `; unknown since ${at(facts.unresolvedSinceMs)}`;
      return {
        step: "provider",
        rule,
        value: `${answer}${unresolved}`,
        effect: verdict.allowed ? "passes" : "stops",
      };
    }
  }
}
