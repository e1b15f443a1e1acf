import type { Channel } from "../../db/rules/outcome";
import type { Evidence, Report } from "./evidence";

/** What a partition may send per second when nobody has set anything (`db/config.ts`), and the burst beside it. */
const DEFAULT_LIMITS: Record<Channel, { ceiling: number; burst: number }> = {
  email: { ceiling: 5, burst: 1 },
  sms: { ceiling: 1, burst: 1 },
  push: { ceiling: 100, burst: 5 },
};

/** P7: arrivals in any second stay within rate and burst, the highest that was in force around it. */
export function auditRate(evidence: Evidence, report: Report): void {
  const partitionOf = new Map(evidence.deliveries.map((row) => [row.reference, row]));
  const arrivals = new Map<string, { atMs: number; channel: Channel; key: string }[]>();
  for (const call of evidence.calls) {
    const row = partitionOf.get(call.key ?? "");
    if (row === undefined || row.partition === null) continue;
    const list = arrivals.get(row.partition) ?? [];
    arrivals.set(row.partition, list);
    list.push({ atMs: call.at, channel: row.channel, key: row.key });
  }
  for (const [partition, list] of arrivals) {
    const changes = evidence.limits.filter((change) => change.partition === partition);
    list.sort((one, other) => one.atMs - other.atMs);
    let first = 0;
    for (const [index, { atMs, channel, key }] of list.entries()) {
      while ((list[first]?.atMs ?? atMs) <= atMs - 1000) first += 1;
      const limit = limitAround(DEFAULT_LIMITS[channel], changes, atMs);
      if (index - first + 1 > limit)
        report("P7", `${index - first + 1} calls in a second, ${limit} allowed`, key);
    }
  }
}

function limitAround(
  initial: { ceiling: number; burst: number },
  changes: Evidence["limits"],
  atMs: number,
): number {
  let { ceiling, burst } = initial;
  let highest = 0;
  const count = () => {
    highest = Math.max(highest, ceiling + burst);
  };
  // Slots reach half a second ahead: what was in force shortly before the window counts.
  const fromMs = atMs - 1_700;
  for (const change of changes) {
    if (change.atMs > atMs) break;
    if (change.atMs > fromMs) count();
    ceiling = change.ceiling ?? ceiling;
    burst = change.burst ?? burst;
  }
  count();
  return Math.max(1, Math.floor(highest));
}
