import { readCapacity } from "../db/console/capacity";
import { type ForetoldEnd, readImports } from "../db/console/imports";
import { costPerMillion } from "../db/rules/capacity";
import { answer, type OpsAnswer } from "./ops-verbs";

const seconds = (ms: number | null) => (ms === null ? "never" : `${(ms / 1000).toFixed(0)} s`);

/** "over after 372 s, foretold 361 s (350 to 515 s)": what was written down then, beside what happened. */
function endOf(foretold: ForetoldEnd | null): string {
  if (foretold === null) return "no forecast was written down";
  const { expectedMs, earliestMs, latestMs, happenedMs } = foretold;
  const said = `${seconds(expectedMs)} foretold (${seconds(earliestMs)} to ${seconds(latestMs)})`;
  return happenedMs === null ? `end in ${said}` : `end after ${seconds(happenedMs)}, ${said}`;
}

/** `ops capacity`: what a burst would meet, what became of the last imports, and what a million deliveries cost. */
export async function showCapacity(burst: number): Promise<OpsAnswer> {
  const [partitions, imports, cost] = [await readCapacity(burst), await readImports(), costPerMillion()];
  return answer({ burst, partitions, imports, costPerMillion: cost }, [
    `A burst of ${burst} calls, in each partition:`,
    ...(partitions.length === 0 ? ["  no partition yet: the first delivery makes one"] : []),
    ...partitions.flatMap((row) => {
      const { drainMs, p50AgeMs, p99AgeMs, expiring } = row.forecast;
      return [
        row.partition,
        `  bulk gets ${row.perSecond.toFixed(1)}/s (${row.from}), accepted ${row.acceptedLastMinute.toFixed(1)}/s in the last minute, ${row.arrivalsPerSecond.toFixed(1)}/s arrive before it`,
        `  waiting ${row.backlogCost}${row.oldestMs === null ? "" : `, oldest ${seconds(row.oldestMs)}`}`,
        `  drain (B + N) / R ${seconds(drainMs)}, age p50 ${seconds(p50AgeMs)}, p99 ${seconds(p99AgeMs)}, expiring ${expiring}`,
      ];
    }),
    "",
    "Imports of the last day, what was foretold beside what happened, ages beside the rule at the rates of now:",
    ...(imports.length === 0 ? ["  none"] : []),
    ...imports.map(
      (one) =>
        `  ${new Date(one.atMs).toISOString()}  ${one.scans} scans, ${one.sent} of ${one.deliveries - one.skipped} sent, ${one.superseded} superseded, ${one.pastDeadline} too late; ${endOf(one.foretold)}; p50 ${seconds(one.p50AgeMs)} (rule ${seconds(one.forecastP50AgeMs)}), p99 ${seconds(one.p99AgeMs)} (rule ${seconds(one.forecastP99AgeMs)})`,
    ),
    "",
    "One million deliveries, in normal and in throttled hours:",
    ...cost.lines.map(
      ({ name, normal, throttled, unit }) =>
        `  ${name.padEnd(22)} ${normal.toLocaleString("en")} | ${throttled.toLocaleString("en")} ${unit}`,
    ),
    "Assumed:",
    ...cost.assumptions.map(
      ({ name, value, unit, from }) => `  ${name.padEnd(36)} ${value} ${unit} (${from})`,
    ),
  ]);
}
