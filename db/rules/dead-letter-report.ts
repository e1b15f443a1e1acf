/** How long dead letters have lain undecided. */
export const DEAD_AGES = ["under_1h", "under_1d", "under_7d", "over_7d"] as const;
export type DeadAge = (typeof DEAD_AGES)[number];

/** Dead letters of one partition, reason and age, and the change since the report before. */
export interface DeadGroup {
  partition: string;
  reason: string;
  age: DeadAge;
  count: number;
  change: number;
}

/** What a report needs to know of the ones before it, newest first. */
export interface EarlierReport {
  slotMs: number;
  total: number;
  alert: "age" | "growth" | null;
  notify: "no" | "daily" | "alert";
  groups: readonly Omit<DeadGroup, "change">[];
}

export interface ReportDecision {
  groups: DeadGroup[];
  total: number;
  change: number;
  alert: "age" | "growth" | null;
  notify: "no" | "daily" | "alert";
}

/** Growth counts when it has lasted: so many hourly reports in a row with more dead than the one before. */
export const GROWING_REPORTS = 3;

/** One message in a row of bad luck is no growth: so many more than before the growth began. */
export const GROWTH_MIN = 10;

const DAY_MS = 86_400_000;

/**
 * What one report says: counts with their changes, whether something has lasted or grown, and whether operators are told.
 * They are told when an alert begins, once a day while anything is dead, and never of a single refusal: an alert needs
 * three growing hours, or a letter that has waited a week for a decision.
 */
export function decideReport(
  counts: readonly Omit<DeadGroup, "change">[],
  earlier: readonly EarlierReport[],
  slotMs: number,
): ReportDecision {
  const [last] = earlier;
  const total = counts.reduce((sum, group) => sum + group.count, 0);
  const alert = isGrowing(total, earlier)
    ? "growth"
    : counts.some((group) => group.age === "over_7d" && group.count > 0)
      ? "age"
      : null;
  const begins = alert !== null && (last === undefined || last.alert !== alert);
  const today = Math.floor(slotMs / DAY_MS);
  const toldToday = earlier.some(
    (report) => report.notify !== "no" && Math.floor(report.slotMs / DAY_MS) === today,
  );
  return {
    groups: withChanges(counts, last?.groups ?? []),
    total,
    change: total - (last?.total ?? 0),
    alert,
    notify: begins ? "alert" : total > 0 && !toldToday ? "daily" : "no",
  };
}

function isGrowing(total: number, earlier: readonly EarlierReport[]): boolean {
  const totals = [total, ...earlier.slice(0, GROWING_REPORTS).map((report) => report.total)];
  if (totals.length <= GROWING_REPORTS) return false;
  const grew = totals.slice(0, -1).every((count, index) => count > (totals[index + 1] ?? count));
  return grew && total - (totals.at(-1) ?? total) >= GROWTH_MIN;
}

function withChanges(
  counts: readonly Omit<DeadGroup, "change">[],
  before: readonly Omit<DeadGroup, "change">[],
): DeadGroup[] {
  const name = (group: Omit<DeadGroup, "change">) => `${group.partition} ${group.reason} ${group.age}`;
  const old = new Map(before.map((group) => [name(group), group]));
  const now = counts.map((group) => {
    const change = group.count - (old.get(name(group))?.count ?? 0);
    old.delete(name(group));
    return { ...group, change };
  });
  const gone = [...old.values()]
    .filter((group) => group.count > 0)
    .map(({ partition, reason, age, count }) => ({ partition, reason, age, count: 0, change: -count }));
  return [...now, ...gone];
}
