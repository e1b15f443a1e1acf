import type { LaneHealth, PartitionHealth } from "./partitions";
import { readPartitionHealth } from "./partitions";
import { type OpenNotice, type PartitionPulse, readPulse } from "./pulse";

export interface PartitionView {
  health: PartitionHealth;
  pulse: PartitionPulse;
  notices: OpenNotice[];
}

/** One partition as its page shows it; null when there is none of this key. There are a handful: all are read. */
export async function readPartitionView(key: string): Promise<PartitionView | null> {
  const [all, pulses] = await Promise.all([readPartitionHealth(), readPulse()]);
  const health = all.find((entry) => entry.partition === key);
  const pulse = pulses.partitions.find((entry) => entry.partition === key);
  if (health === undefined || pulse === undefined) return null;
  return { health, pulse, notices: pulses.notices.filter((notice) => notice.partition === key) };
}

/** What waits or is out in all lanes. */
export function liveOf(lanes: readonly LaneHealth[]): number {
  return lanes.reduce((sum, lane) => sum + lane.ready + lane.waiting + lane.sending, 0);
}
