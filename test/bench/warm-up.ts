import type { Channel } from "../../db/rules/outcome";
import { untilAccepted } from "./evidence";
import { makeReminders, makeShoppers, ringDoorbell } from "./load";
import { PROVIDERS, type Stage } from "./stage";

/** Enough for the compiler to have seen every path, and for the meter to know the call time. */
const DELIVERIES = 150;

/** Spread over these seconds: half of the slowest rate that a bench uses. */
const SPREAD_MS = 6_000;

/** Waits begin early enough that the engine, not the doorbell, opens them. */
const AHEAD_MS = 5_000;

/**
 * Sends a few deliveries through the whole stack and forgets the calls. The receipts that providers send are off: the
 * figures are about sending, and a receipt is a transaction of its own.
 */
export async function warmUp(stage: Stage, channels: readonly Channel[]): Promise<void> {
  for (const channel of channels) await stage.control(PROVIDERS[channel], { receipts: "absent" });
  const shoppers = await makeShoppers(stage, 10, [...new Set<Channel>(["email", ...channels])]);
  const startMs = Date.now() + AHEAD_MS;
  const wanted = Array.from({ length: DELIVERIES }, (_, index) => ({
    subscriberId: shoppers[index % shoppers.length]?.id ?? "",
    dueAtMs: startMs + (index * SPREAD_MS) / DELIVERIES,
    channels,
  }));
  await makeReminders(stage, wanted);
  await ringDoorbell(stage, shoppers[0] ?? { id: "", externalId: "" });
  for (const channel of channels) await untilAccepted(stage, PROVIDERS[channel], DELIVERIES, 60_000);
  await stage.clearCalls();
}
