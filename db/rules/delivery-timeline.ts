import { callWords, saidBy, type TimelineCall } from "./call-words";
import type { DeliveryState } from "./lifecycle";
import type { Phrase, Tone } from "./story-line";

/** One thing that happened to a delivery, or will, with the reason why. */
export interface TimelineStep {
  /** Unique among the steps of one delivery. */
  key: string;
  atMs: number;
  title: string;
  tone: Tone;
  why: Phrase;
  /** What the provider said, as it said it; null where it was not asked. */
  said: string | null;
  /** Lies ahead. */
  ahead: boolean;
}

export interface TimelineFacts {
  state: DeliveryState;
  reason: string | null;
  wish: string | null;
  lastClass: string | null;
  lane: string;
  createdAtMs: number;
  scheduledAtMs: number;
  nextEligibleAtMs: number | null;
  admittedAtMs: number | null;
  keptUntilMs: number | null;
  leaseUntilMs: number | null;
  finishedAtMs: number | null;
  expiresAtMs: number;
  reconcileAtMs: number | null;
  unresolvedSinceMs: number | null;
  calls: readonly TimelineCall[];
  actions: readonly { id: string; operator: string; action: string; reason: string; atMs: number }[];
  forecast: { expectedMs: number; latestMs: number } | null;
}

/** Late enough to be told apart from the rounding of a timer. */
const ON_TIME_MS = 1_000;

/** Everything that happened to a delivery in its order, and what will happen next, each with the rule that made it so. */
export function tellTimeline(facts: TimelineFacts, nowMs: number): TimelineStep[] {
  const past = [
    openedStep(facts),
    ...admittedSteps(facts),
    ...facts.calls.map((call) => callStep(facts, call)),
    ...facts.actions.map(actionStep),
    ...endSteps(facts),
  ];
  past.sort((one, other) => one.atMs - other.atMs);
  return [...past, ...aheadSteps(facts, nowMs)];
}

function step(
  key: string,
  atMs: number,
  title: string,
  tone: Tone,
  why: Phrase,
  said: string | null = null,
): TimelineStep {
  return { key, atMs, title, tone, why, said, ahead: false };
}

function openedStep({ createdAtMs, scheduledAtMs, lane }: TimelineFacts): TimelineStep {
  const early = scheduledAtMs > createdAtMs;
  const why: Phrase = early
    ? [
        "Its time is ",
        { atMs: scheduledAtMs, seconds: true },
        `; it was opened ahead of it, in the lane ${lane}.`,
      ]
    : [`It was due already, and stood in the lane ${lane} from then on.`];
  return step("opened", createdAtMs, "Opened", "quiet", why);
}

function admittedSteps({ admittedAtMs, lane }: TimelineFacts): TimelineStep[] {
  if (admittedAtMs === null) return [];
  const why: Phrase = [
    `Admission let it go: the lane ${lane} had the turn, and the partition’s window had room.`,
  ];
  return [step("admitted", admittedAtMs, "Admitted", "quiet", why)];
}

function callStep(facts: TimelineFacts, call: TimelineCall): TimelineStep {
  const { title, tone, why } = callWords(call);
  const lateMs = call.begunAtMs - facts.scheduledAtMs;
  const first: Phrase =
    call.number === 1 && lateMs > ON_TIME_MS
      ? [` It left ${Math.round(lateMs / 1000)} s after its time.`]
      : [];
  return step(
    `call-${call.number}`,
    call.begunAtMs,
    `Call ${call.number}: ${title}`,
    tone,
    [...why, ...first],
    saidBy(call),
  );
}

function actionStep({ id, operator, action, reason, atMs }: TimelineFacts["actions"][number]): TimelineStep {
  return step(id, atMs, `${operator}: ${action.replaceAll("-", " ")}`, "working", [`“${reason}”`]);
}

function endSteps(facts: TimelineFacts): TimelineStep[] {
  const { state, finishedAtMs, reason, wish } = facts;
  if (finishedAtMs === null) return [];
  const words = reason?.replaceAll("_", " ") ?? "";
  switch (state) {
    case "delivered":
      return [step("end", finishedAtMs, "Delivered", "good", ["Positive evidence of acceptance ended it."])];
    case "dead":
      return [
        step("end", finishedAtMs, `Dead: ${words}`, reason === "outcome_unknown" ? "attention" : "bad", [
          deadWhy(reason),
          ...(wish === null ? [] : [` Otherwise it would have ended as ${wish.replaceAll("_", " ")}.`]),
        ]),
      ];
    case "expired":
      return [
        step("end", finishedAtMs, `Expired: ${words}`, "quiet", [
          "Nobody wants it any more, or nobody ever did; the reason says which.",
        ]),
      ];
    case "scheduled":
    case "ready":
    case "sending":
    case "deferred":
      return [];
  }
}

function deadWhy(reason: string | null): string {
  switch (reason) {
    case "attempts_exhausted":
      return "Its failure budget is spent. Throttling never counted.";
    case "message_rejected":
      return "The provider refuses this message.";
    case "destination_rejected":
      return "The provider refuses this address.";
    case "outcome_unknown":
      return "It may have arrived. It is not sent again blindly: a receipt, a look-up or a person decides.";
    default:
      return "It needs a decision.";
  }
}

function aheadSteps(facts: TimelineFacts, nowMs: number): TimelineStep[] {
  if (facts.finishedAtMs !== null) return unknownAhead(facts, nowMs);
  const ahead = (key: string, atMs: number, title: string, why: Phrase): TimelineStep => ({
    ...step(key, atMs, title, "waiting", why),
    ahead: true,
  });
  const steps: TimelineStep[] = [];
  if (facts.nextEligibleAtMs !== null && facts.nextEligibleAtMs > nowMs) {
    steps.push(ahead("eligible", facts.nextEligibleAtMs, "Eligible again", [whyWaits(facts.lastClass)]));
  }
  if (facts.leaseUntilMs !== null) {
    steps.push(
      ahead("lease", facts.leaseUntilMs, "Lease ends", [
        "Were its holder gone, the sweep would take it over then.",
      ]),
    );
  }
  if (facts.forecast !== null) {
    const { expectedMs, latestMs } = facts.forecast;
    steps.push(
      ahead("expected", expectedMs, "Expected to leave", [
        "By what stands before it and the present rate; at the latest about ",
        { atMs: latestMs },
        ".",
      ]),
    );
  }
  steps.push(
    ahead("expires", facts.expiresAtMs, "Of no use any more", [
      "Whatever still waits then expires with the reason past deadline.",
    ]),
  );
  return steps.sort((one, other) => one.atMs - other.atMs);
}

function unknownAhead({ reason, reconcileAtMs }: TimelineFacts, nowMs: number): TimelineStep[] {
  if (reason !== "outcome_unknown" || reconcileAtMs === null || reconcileAtMs <= nowMs) return [];
  const why: Phrase = ["Before this a look-up at the provider proves nothing."];
  return [{ ...step("reconcile", reconcileAtMs, "Can be looked up", "waiting", why), ahead: true }];
}

function whyWaits(lastClass: string | null): string {
  switch (lastClass) {
    case "throttled":
      return "The provider named this time, or it is the floor for a 429 without one.";
    case "quota":
      return "The quota is asked again then.";
    case "transient":
      return "Backoff after a failure, with jitter in its upper half.";
    case "ambiguous":
    case "crashed":
      return "Backoff after an unknown outcome, while a repeat cannot arrive twice.";
    case "config_rejected":
      return "The circuit probes then.";
    case "quiet_hours":
      return "The subscriber’s quiet hours end then.";
    case "sms_hours":
      return "The hours in which the subscriber takes text messages begin then.";
    case "paused":
      return "The subscriber has paused everything until then.";
    case "not_before":
      return "It goes only if another channel has not been opened by then.";
    case "local_rate_limit":
      return "It found no slot in time and keeps its place in the lane.";
    default:
      return "Its time has not come.";
  }
}
