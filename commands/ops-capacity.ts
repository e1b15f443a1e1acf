import { readCapacity } from "../db/console/capacity";
import { readImports } from "../db/console/imports";
import { costPerMillion } from "../db/rules/capacity";

const seconds = (ms: number | null) => (ms === null ? "never" : `${(ms / 1000).toFixed(0)} s`);

/** `ops capacity`: what a burst would meet, what became of the last imports, and what a million deliveries cost. */
export async function showCapacity(burst: number, json: boolean): Promise<void> {
  const [partitions, imports, cost] = [await readCapacity(burst), await readImports(), costPerMillion()];
  if (json) {
    console.log(JSON.stringify({ burst, partitions, imports, costPerMillion: cost }));
    return;
  }
  console.log(`A burst of ${burst} calls, in each partition:`);
  if (partitions.length === 0) console.log("  no partition yet: the first delivery makes one");
  for (const row of partitions) {
    const { drainMs, p50AgeMs, p99AgeMs, expiring } = row.forecast;
    console.log(`${row.partition}
  bulk gets ${row.perSecond.toFixed(1)}/s (${row.from}), accepted ${row.acceptedLastMinute.toFixed(1)}/s in the last minute, ${row.arrivalsPerSecond.toFixed(1)}/s arrive before it
  waiting ${row.backlogCost}${row.oldestMs === null ? "" : `, oldest ${seconds(row.oldestMs)}`}
  drain (B + N) / R ${seconds(drainMs)}, age p50 ${seconds(p50AgeMs)}, p99 ${seconds(p99AgeMs)}, expiring ${expiring}`);
  }
  console.log("\nImports of the last day, forecast beside what happened:");
  if (imports.length === 0) console.log("  none");
  for (const one of imports) {
    console.log(
      `  ${new Date(one.atMs).toISOString()}  ${one.scans} scans, ${one.sent} of ${one.deliveries - one.skipped} sent, ${one.superseded} superseded, ${one.pastDeadline} too late; p50 ${seconds(one.p50AgeMs)} (forecast ${seconds(one.forecastP50AgeMs)}), p99 ${seconds(one.p99AgeMs)} (forecast ${seconds(one.forecastP99AgeMs)})`,
    );
  }
  console.log("\nOne million deliveries, in normal and in throttled hours:");
  for (const { name, normal, throttled, unit } of cost.lines) {
    console.log(
      `  ${name.padEnd(22)} ${normal.toLocaleString("en")} | ${throttled.toLocaleString("en")} ${unit}`,
    );
  }
  console.log("Assumed:");
  for (const { name, value, unit, from } of cost.assumptions) {
    console.log(`  ${name.padEnd(36)} ${value} ${unit} (${from})`);
  }
}
