import { RRuleTemporal } from "rrule-temporal";
import { Temporal } from "temporal-polyfill";
import { wallTimeAt } from "./due-time";
import { type Recurrence, readRecurrence, writeRecurrence } from "./recurrence-parts";

/** A zone whose clock never changes: in it the series is expanded as wall times. */
const STILL = "UTC";

/**
 * The next wall times of a series, strictly after `after`, or from its start on when `after` is null.
 *
 * Wall times are expanded without any zone and only then meet the clock (`resolveWallTime`), so that a change of the
 * clock never drops or moves an element: a skipped time comes later by the gap's length, one that happens twice comes at
 * its first reading. A month without the day takes its last day (RFC 7529 `SKIP=BACKWARD`): the 31st is the 30th in
 * April and the 31st again in May; 29 February is the 28th in other years. `COUNT` counts from the start.
 *
 * @param start wall time of the first, `YYYY-MM-DDTHH:MM:SS`; where the rule does not name its day, the first is later
 */
export function seriesAfter(input: {
  recurrence: string;
  start: string;
  after: string | null;
  limit: number;
}): string[] {
  const rule = readRecurrence(input.recurrence);
  if (rule === null) return [];
  const start = still(input.start);
  const series = new RRuleTemporal({
    temporal: Temporal,
    rruleString: `DTSTART:${compact(start)}\nRRULE:${ruleForExpansion(rule)}`,
  });
  const found: string[] = [];
  let next = series.next(input.after === null ? start : still(input.after), input.after === null);
  while (next !== null && found.length < input.limit) {
    found.push(wallTimeAt(next.epochMilliseconds, STILL));
    next = series.next(next, false);
  }
  return found;
}

function ruleForExpansion(rule: Recurrence): string {
  const byMonth = rule.frequency === "MONTHLY" || rule.frequency === "YEARLY";
  const text = writeRecurrence({ ...rule, until: null });
  const until = rule.until === null ? "" : `;UNTIL=${rule.until.replaceAll("-", "")}T235959Z`;
  return `${byMonth ? "RSCALE=GREGORIAN;SKIP=BACKWARD;" : ""}${text}${until}`;
}

function still(wallTime: string): Temporal.ZonedDateTime {
  return Temporal.PlainDateTime.from(wallTime).round("second").toZonedDateTime(STILL);
}

function compact(at: Temporal.ZonedDateTime): string {
  return `${at.toPlainDateTime().toString({ smallestUnit: "second" }).replace(/[-:]/g, "")}Z`;
}
