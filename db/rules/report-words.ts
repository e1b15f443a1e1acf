import type { DeadAge, DeadGroup, ReportDecision } from "./dead-letter-report";

const AGE: Record<DeadAge, string> = {
  under_1h: "in the last hour",
  under_1d: "for up to a day",
  under_7d: "for up to a week",
  over_7d: "for more than a week",
};

const signed = (change: number) => (change > 0 ? `+${change}` : String(change));

/** A report in one sentence: the subject of its mail, its webhook's text, its line in the log. */
export function reportHeading({
  total,
  change,
  alert,
}: Pick<ReportDecision, "total" | "change" | "alert">): string {
  const letters = total === 1 ? "1 dead letter" : `${total} dead letters`;
  const since = change === 0 ? "unchanged since the last report" : `${signed(change)} since the last report`;
  switch (alert) {
    case "growth":
      return `Dead letters are growing: ${total}, ${since}`;
    case "age":
      return `${letters}, some for more than a week: ${since}`;
    case null:
      return `${letters}, ${since}`;
  }
}

/** One group as people read it. */
export function reportLine({ partition, reason, age, count, change }: DeadGroup): string {
  const changed = change === 0 ? "" : ` (${signed(change)})`;
  return `${partition}: ${count} ${reason} ${AGE[age]}${changed}`;
}
