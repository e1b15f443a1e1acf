import { storePayloads } from "../db/payloads";
import { giveUpBatch, type LaneDegradation, readDegradations } from "../db/shipments/degradation";
import { moveToOtherChannel } from "../db/shipments/other-channel";
import { dispatchAll } from "./dispatch";
import { renderUpdate } from "./messages/shipment-payloads";

/** Batches per lane and call: some ten thousand updates; the next sweep goes on. */
const BATCHES_MAX = 40;

/**
 * Lets every policy that is switched on act on what waits now: at its switching on, and once a minute in the sweep. Each
 * batch is a transaction of its own. Returns how many updates were given up or moved.
 */
export async function degrade(partition: string | null = null): Promise<number> {
  let total = 0;
  for (const policy of await readDegradations(partition)) {
    if (policy.untilMs === null) continue;
    for (let batch = 0; batch < BATCHES_MAX; batch += 1) {
      const { count, more } = await actOnce(policy);
      total += count;
      if (!more) break;
    }
  }
  return total;
}

async function actOnce(policy: LaneDegradation): Promise<{ count: number; more: boolean }> {
  const { degradation } = policy;
  switch (degradation) {
    case "expire_oldest":
    case "coalesce": {
      const { ended, more } = await giveUpBatch({ ...policy, degradation });
      return { count: ended, more };
    }
    case "other_channel": {
      const { moved, partitions, unrendered } = await moveToOtherChannel(policy);
      await storePayloads(await Promise.all(unrendered.map(renderUpdate)));
      await dispatchAll(partitions);
      return { count: moved, more: moved > 0 || unrendered.length > 0 };
    }
  }
}
