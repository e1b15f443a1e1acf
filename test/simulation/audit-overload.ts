import type { DeliveryFacts, Evidence, Report } from "./evidence";
import type { Following, PolicyAsked } from "./stage";

/** What people were told of lanes that may give something up, and whether instants can be compared. */
export interface Policies {
  policies: readonly PolicyAsked[];
  followings: readonly Following[];
  ledgerClockStepped: boolean;
}

/** The word with which a policy ends what it gives up. */
const REASON: Record<PolicyAsked["policy"], string> = {
  expire_oldest: "shed",
  coalesce: "superseded",
  other_channel: "moved",
};

/** Instants cross the database as microseconds; a batch that has begun may end right after it was switched off. */
const ROUNDING_MS = 0.01;

/** P1, P5, P6: under load only what was asked for is given up, nobody is told twice, and nobody not at all. */
export function auditOverload(promised: Policies, evidence: Evidence, report: Report): void {
  for (const row of evidence.deliveries) {
    if (row.reason === "shed" || row.reason === "moved") auditGivenUp(row, promised, report);
    if (row.reason === "moved") auditMoved(row, promised, evidence, report);
    if (row.reason === "superseded" && row.parcel !== null) auditSuperseded(row, promised, evidence, report);
    auditUnasked(row, promised, evidence, report);
  }
}

/** Reminders and security notices are never given up; an update only where, when and as late as operators said. */
function auditGivenUp(row: DeliveryFacts, promised: Policies, report: Report): void {
  if (row.parcel === null || row.lane === "urgent") {
    report("P5", `${row.reason} although it is no update of a parcel`, row.key);
    return;
  }
  if (policyBehind(row, promised) === undefined)
    report("P6", `${row.reason} although no policy of its lane was on, or before its window`, row.key);
}

function policyBehind(row: DeliveryFacts, promised: Policies): PolicyAsked | undefined {
  return promised.policies.find((asked) => {
    const isHis = asked.partition === row.partition && asked.lane === row.lane;
    if (!isHis || REASON[asked.policy] !== row.reason) return false;
    if (promised.ledgerClockStepped || row.finishedAtMs === null) return true;
    const isOldEnough =
      asked.policy === "coalesce" || row.finishedAtMs - row.scheduledAtMs > asked.windowMs - ROUNDING_MS;
    return isOldEnough && row.finishedAtMs >= asked.fromMs && row.finishedAtMs <= asked.untilMs + ROUNDING_MS;
  });
}

const siblingsOf = (row: DeliveryFacts, evidence: Evidence) =>
  evidence.deliveries.filter(
    (other) =>
      other.id !== row.id &&
      other.parcel === row.parcel &&
      other.version === row.version &&
      other.subscriberId === row.subscriberId,
  );

/** Moved is: not sent here, and carried by another channel that had not ended without it before. */
function auditMoved(row: DeliveryFacts, promised: Policies, evidence: Evidence, report: Report): void {
  if (evidence.calls.some((call) => call.key === row.reference && call.accepted))
    report("P9", "moved to another channel, and accepted on this one", row.key);
  const endedMs = row.finishedAtMs ?? 0;
  const others = siblingsOf(row, evidence).filter((other) => other.channel !== row.channel);
  const carries = (other: DeliveryFacts) =>
    other.reason !== "moved" &&
    (other.state === "delivered" ||
      other.finishedAtMs === null ||
      promised.ledgerClockStepped ||
      other.finishedAtMs >= endedMs);
  if (!others.some(carries)) report("P5", "moved to a channel that did not carry it any more", row.key);
  for (const device of siblingsOf(row, evidence)) {
    if (
      device.channel === row.channel &&
      device.state === "delivered" &&
      (device.finishedAtMs ?? 0) < endedMs
    )
      report("P6", "moved although another device had it already", row.key);
  }
}

/** Superseded is: a newer version of the parcel is told to the same reader. Who wants every one loses it only to a policy. */
function auditSuperseded(row: DeliveryFacts, promised: Policies, evidence: Evidence, report: Report): void {
  const following = followingOf(row, promised);
  if (following?.policy === "every" && policyBehind(row, promised) === undefined)
    report("P6", "superseded for somebody who wants every version, and no policy said so", row.key);
  const newer = evidence.fanOuts.filter(
    ({ parcel, version }) => parcel === row.parcel && version > row.version,
  );
  if (newer.some(({ finished }) => !finished)) return;
  const isTold = evidence.deliveries.some(
    (other) =>
      other.parcel === row.parcel && other.subscriberId === row.subscriberId && other.version > row.version,
  );
  if (!isTold) report("P5", "superseded, and nothing newer is told to its reader", row.key);
}

function followingOf(row: DeliveryFacts, { followings }: Policies): Following | undefined {
  return followings.find(({ parcel, shopper }) => parcel === row.parcel && shopper.id === row.subscriberId);
}

/** A channel that its follower did not choose carries an update only in the place of one that was moved. */
function auditUnasked(row: DeliveryFacts, promised: Policies, evidence: Evidence, report: Report): void {
  if (row.parcel === null) return;
  const following = followingOf(row, promised);
  if (following === undefined || following.channels.includes(row.channel)) return;
  if (!siblingsOf(row, evidence).some((other) => other.reason === "moved"))
    report("P1", "an update by a channel that its follower did not choose", row.key);
}
