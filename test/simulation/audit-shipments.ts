import type { AttemptFacts, DeliveryFacts, Evidence, Report } from "./evidence";
import type { Announced, Following } from "./stage";

const UNKNOWN = new Set<string | null>(["ambiguous", "crashed", null]);

/** P5, P6: what followers and the shop were told about parcels is so. */
export function auditShipments(
  followings: readonly Following[],
  announced: readonly Announced[],
  evidence: Evidence,
  report: Report,
): void {
  for (const scan of announced) {
    const fanOut = evidence.fanOuts.find(
      ({ parcel, version }) => parcel === scan.parcel && version === scan.version,
    );
    if (fanOut === undefined) report("P5", "an announced scan is unknown", nameOf(scan));
    if (fanOut?.finished !== true) continue;
    for (const following of followings) {
      if (wasFollowing(following, scan)) auditFollower(following, scan, evidence, report);
    }
  }
  for (const following of followings) {
    auditLeft(following, evidence, report);
    if (following.policy === "latest") auditLatest(following, announced, evidence, report);
  }
}

const nameOf = ({ parcel, version }: Announced) => `${parcel} version ${version}`;

/** Whoever followed before the import was asked for, and had not asked to stop when it was answered. */
function wasFollowing(following: Following, scan: Announced): boolean {
  return (
    following.parcel === scan.parcel &&
    following.fromMs < scan.askedAtMs &&
    following.leftAskedAtMs > scan.atMs &&
    following.shopper.eraseAskedAtMs > scan.atMs
  );
}

function auditFollower(
  { shopper, channels }: Following,
  scan: Announced,
  evidence: Evidence,
  report: Report,
): void {
  const rows = evidence.deliveries.filter(
    (row) => row.parcel === scan.parcel && row.version === scan.version && row.subscriberId === shopper.id,
  );
  for (const channel of channels) {
    if (rows.some((row) => row.channel === channel)) continue;
    report("P5", `a follower has no row by ${channel}`, `${nameOf(scan)}, ${shopper.externalId}`);
  }
}

function begunOf(following: Following, evidence: Evidence) {
  return evidence.deliveries
    .filter((row) => row.parcel === following.parcel && row.subscriberId === following.shopper.id)
    .flatMap((row) => (evidence.attempts.get(row.id) ?? []).map((attempt) => ({ row, attempt })));
}

/** What may have gone out already is finished as it began; everything else stops. */
function auditLeft(following: Following, evidence: Evidence, report: Report): void {
  for (const { row, attempt } of begunOf(following, evidence)) {
    if (attempt.begunAtMs <= following.leftAtMs || mayHaveGoneOut(row, attempt, evidence)) continue;
    report("P6", "begun for a follower who has left", row.key);
  }
}

function mayHaveGoneOut(row: DeliveryFacts, attempt: AttemptFacts, evidence: Evidence): boolean {
  const before = evidence.attempts.get(row.id)?.filter((each) => each.number < attempt.number) ?? [];
  return before.some((each) => UNKNOWN.has(each.class));
}

/** Who wants only the latest gets no version that begins after a newer one was announced. */
function auditLatest(
  following: Following,
  announced: readonly Announced[],
  evidence: Evidence,
  report: Report,
): void {
  for (const { row, attempt } of begunOf(following, evidence)) {
    const newer = announced.find(
      (scan) => scan.parcel === row.parcel && scan.version > row.version && wasFollowing(following, scan),
    );
    if (newer === undefined || attempt.number > 1 || attempt.begunAtMs <= newer.atMs) continue;
    report("P6", `version ${row.version} begun after ${newer.version} was announced`, row.key);
  }
}
