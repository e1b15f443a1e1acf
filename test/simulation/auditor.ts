import type { LedgerCall } from "../../standins/providers";
import { auditChoices, type Choices } from "./audit-choices";
import { auditOverload, type Policies } from "./audit-overload";
import { auditRate } from "./audit-rate";
import { auditShipments } from "./audit-shipments";
import type { AttemptFacts, DeliveryFacts, Evidence, Report, Violation } from "./evidence";
import { type Announced, type Stall, type Told, wallTime } from "./stage";

/** What the people of the story were told, as far as the auditor needs it. */
export interface Promised extends Choices, Policies {
  announced: readonly Announced[];
  /** A process that stood still is forgiven some lateness. */
  stalls: readonly Stall[];
}

/** A late call may still use its slot for so long (DESIGN: slots lapse); one more for rounding. */
const SLOT_TOLERANCE_MS = 101;

/**
 * After a process stood still, a call may leave in a slot that it took anew, as long as its lease covers it to the end:
 * the lease is 5 s longer than a call may take. The calls of a second are counted all the same.
 */
const LEASE_ALLOWANCE_MS = 5_000;

/** Instants cross the database as microseconds. */
const ROUNDING_MS = 0.01;

const UNKNOWN = new Set(["ambiguous", "crashed"]);

/** Compares what providers saw with what the ledger says and people were told. Knows none of the product's rules. */
export function audit(evidence: Evidence, promised: Promised): Violation[] {
  const found: Violation[] = [];
  const byReference = new Map(evidence.deliveries.map((row) => [row.reference, row]));
  const report = (promise: string, rule: string, key: string) => found.push({ promise, rule, key });
  for (const [reference, calls] of groupCalls(evidence.calls)) {
    const delivery = byReference.get(reference);
    if (delivery === undefined) {
      report("P1", "a call for a key that the ledger does not know", reference);
      continue;
    }
    const attempts = evidence.attempts.get(delivery.id) ?? [];
    auditCalls(delivery, attempts, calls, report);
    auditSlots(delivery, attempts, calls, promised.stalls, report);
    auditRetryAfter(delivery, attempts, calls, evidence, report);
  }
  for (const told of promised.told) auditTold(told, evidence, report);
  auditChoices(promised, evidence, report);
  auditShipments(promised.followings, promised.announced, evidence, report);
  auditOverload(promised, evidence, report);
  auditOutbox(evidence, report);
  auditGate(evidence, report);
  auditRate(evidence, report);
  return found;
}

function groupCalls(calls: readonly LedgerCall[]): Map<string, LedgerCall[]> {
  const groups = new Map<string, LedgerCall[]>();
  for (const call of calls) {
    const reference = call.key ?? `no key: ${call.provider} ${call.id}`;
    groups.set(reference, [...(groups.get(reference) ?? []), call]);
  }
  return groups;
}

/** P9: how often a key may be accepted, by provider. */
function auditCalls(
  delivery: DeliveryFacts,
  attempts: readonly AttemptFacts[],
  calls: readonly LedgerCall[],
  report: Report,
): void {
  const accepted = calls.filter((call) => call.accepted).length;
  if (calls.length > delivery.attemptCount) report("P9", "a call without an attempt", delivery.key);
  if (new Set(calls.map((call) => call.destination)).size > 1) {
    report("P1", "one key went to two destinations", delivery.key);
  }
  if (accepted <= 1) return;
  if (delivery.channel !== "push") report("P9", `accepted ${accepted} times`, delivery.key);
  else {
    // An answer that came after its lease was over turns an unknown outcome into a known one.
    const known = attempts.filter((attempt) => attempt.class === "accepted").length;
    const unknown = attempts.filter((attempt) => attempt.class === null || UNKNOWN.has(attempt.class)).length;
    const repeats = unknown + (delivery.alone ? Math.max(0, known - 1) : 0);
    if (accepted > 1 + repeats) report("P9", "push repeated after a known outcome", delivery.key);
  }
}

/** P6: a call follows its begin within its slot or is not made. */
function auditSlots(
  delivery: DeliveryFacts,
  attempts: readonly AttemptFacts[],
  calls: readonly LedgerCall[],
  stalls: readonly Stall[],
  report: Report,
): void {
  for (const call of calls) {
    const slot = attempts.findLast((attempt) => attempt.slotAtMs <= call.at + ROUNDING_MS);
    if (slot === undefined) report("P6", "a call before any slot", delivery.key);
    else if (call.at - slot.slotAtMs > toleranceOf(call.at, stalls)) {
      report("P6", `a call ${Math.round(call.at - slot.slotAtMs)} ms after its slot`, delivery.key);
    }
    if (call.at >= delivery.expiresAtMs + SLOT_TOLERANCE_MS)
      report("P6", "a call after expiry", delivery.key);
  }
}

function toleranceOf(callAtMs: number, stalls: readonly Stall[]): number {
  const stoodStill = stalls.some(
    ({ fromMs, untilMs }) => callAtMs >= fromMs && callAtMs <= untilMs + LEASE_ALLOWANCE_MS,
  );
  return stoodStill ? LEASE_ALLOWANCE_MS : SLOT_TOLERANCE_MS;
}

/** When the provider's time after a refusal is over, on the story's clock; null when it named no usable time. */
function askedUntilMs(attempt: AttemptFacts, evidence: Evidence): number | null {
  if (attempt.settledAtMs === null || !["throttled", "quota"].includes(attempt.class ?? "")) return null;
  const text = attempt.retryAfter?.trim() ?? "";
  if (/^\d+$/.test(text)) return attempt.settledAtMs + Number(text) * 1000;
  // A date is counted from the answer's own, which is cut to whole seconds.
  const dateMs = / GMT$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(dateMs) ? null : dateMs - evidence.providersAheadMs - 1000;
}

/** P3: no call for a delivery before the time that the provider asked for, nor in the second after a refusal. */
function auditRetryAfter(
  delivery: DeliveryFacts,
  attempts: readonly AttemptFacts[],
  calls: readonly LedgerCall[],
  evidence: Evidence,
  report: Report,
): void {
  for (const attempt of attempts) {
    const { settledAtMs } = attempt;
    if (settledAtMs === null || !["throttled", "quota"].includes(attempt.class ?? "")) continue;
    const untilMs = Math.max(askedUntilMs(attempt, evidence) ?? 0, settledAtMs + 500);
    // What began before is not held up by it: an earlier call whose lease had run out may be on its way.
    const early = calls.find(
      (call) => call.at > settledAtMs && call.at < untilMs && beganAfter(attempts, call, settledAtMs),
    );
    if (early)
      report("P3", `a call ${Math.round(untilMs - early.at)} ms before the provider's time`, delivery.key);
  }
}

function beganAfter(attempts: readonly AttemptFacts[], call: LedgerCall, atMs: number): boolean {
  const slot = attempts.findLast((attempt) => attempt.slotAtMs <= call.at + ROUNDING_MS);
  return slot === undefined || slot.begunAtMs > atMs;
}

/** P5: what the outbox calls published, an engine has acknowledged. A wait that is too near is opened instead. */
function auditOutbox(evidence: Evidence, report: Report): void {
  for (const { name, eventId } of evidence.published) {
    const matters = name !== "reminder/scheduled" || evidence.waits.has(eventId);
    if (!matters || evidence.acknowledged.has(eventId)) continue;
    report("P5", "marked as published and never taken", eventId);
  }
}

/** P3: none begins in the limit's scope after the gate is committed. Every 429 of the email provider concerns all. */
function auditGate(evidence: Evidence, report: Report): void {
  const emails = evidence.deliveries.filter((row) => row.channel === "email");
  const attempts = emails.flatMap((row) =>
    (evidence.attempts.get(row.id) ?? []).map((attempt) => ({ row, attempt })),
  );
  for (const { attempt: refused } of attempts) {
    const untilMs = refused.class === "throttled" ? askedUntilMs(refused, evidence) : null;
    if (untilMs === null || refused.settledAtMs === null) continue;
    for (const { row, attempt } of attempts) {
      if (attempt.begunAtMs > refused.settledAtMs && attempt.begunAtMs < untilMs) {
        report("P3", "begun behind a closed gate", row.key);
      }
    }
  }
}

/** P1, P5, P6: what somebody was told about a reminder is so. */
function auditTold(told: Told, evidence: Evidence, report: Report): void {
  const deliveries = evidence.deliveries.filter((row) => row.reminderId === told.id);
  const begun = deliveries.flatMap((row) =>
    (evidence.attempts.get(row.id) ?? []).map((attempt) => ({ row, attempt })),
  );
  auditDue(told, deliveries, evidence, report);
  if (told.cancelled !== null) {
    const { atMs, channels } = told.cancelled;
    for (const { row, attempt } of begun) {
      const answer = channels.find((entry) => entry.channel === row.channel)?.outcome;
      if (attempt.begunAtMs <= atMs) continue;
      report("P6", `begun after a cancel that said ${answer}`, row.key);
    }
  }
  for (const { what, fromMs, untilMs } of told.stops) {
    for (const { row, attempt } of begun) {
      if (attempt.begunAtMs > fromMs && attempt.begunAtMs < untilMs)
        report("P6", `begun after ${what}`, row.key);
    }
  }
  for (const edit of told.edits) {
    for (const row of deliveries) {
      // A slot may lie behind an edit before which its attempt began.
      const first = evidence.attempts.get(row.id)?.[0];
      if (row.version < edit.version && first !== undefined && first.begunAtMs > edit.atMs) {
        report("P6", `version ${row.version} begun after the edit to ${edit.version}`, row.key);
      }
    }
  }
}

/** P6: nothing comes before the instant that was named, and the instant is the wall time that was asked for. */
function auditDue(
  { id, createdAtMs, dueAtMs, wall, retimed }: Told,
  deliveries: readonly DeliveryFacts[],
  evidence: Evidence,
  report: Report,
): void {
  if (wall !== null) {
    const shows = wallTime(dueAtMs, wall.timeZone);
    // A time that a change of clocks leaves out is told later by as much as the clocks jump.
    // The minute that has begun when it is asked for means now.
    const isAtOnce = dueAtMs - createdAtMs < 1_000;
    if (shows !== wall.local && !isAtOnce && wallExists(wall))
      report("P5", `${wall.local} became ${shows}`, id);
  }
  for (const row of deliveries) {
    const first = evidence.calls.find((call) => call.key === row.reference);
    if (first === undefined) continue;
    const leastMs = retimed ? row.scheduledAtMs : Math.max(dueAtMs, row.scheduledAtMs);
    if (first.at < leastMs - ROUNDING_MS) report("P6", `a call ${leastMs - first.at} ms early`, row.key);
  }
}

/** Whether some instant of the day shows this time on the wall. */
function wallExists({ local, timeZone }: { local: string; timeZone: string }): boolean {
  const aroundMs = Date.parse(`${local}Z`);
  for (let quarter = -60; quarter <= 60; quarter += 1) {
    if (wallTime(aroundMs + quarter * 900_000, timeZone) === local) return true;
  }
  return false;
}
