import { storePayloads } from "../db/payloads";
import { openFanOutPage, pageSizeFor } from "../db/shipments/fan-out";
import { readUnrendered } from "../db/shipments/fan-out-facts";
import { readUnfinished, unfinishedOf } from "../db/shipments/record";
import { dispatchAll } from "./dispatch";
import { renderUpdate } from "./messages/shipment-payloads";

export interface FannedOut {
  deliveries: number;
  followers: number;
  /** Scans that still lack rows for somebody: the next step goes on where this one stopped. */
  remaining: string[];
}

/** Pages per call: some thousands of rows, about a second of work; a step stays far under every request limit. */
const PAGES_MAX = 10;

/** Scans that the sweep takes over at a time. */
const SWEPT_AT_ONCE = 50;
const SWEEPS_MAX = 20;

/** A fan-out that nobody has finished for so long has lost its run, or waits behind a forgetful engine. */
const OVERDUE_MS = 30_000;

/**
 * Renders and opens the next pages of these scans, page by page, and dispatches as it goes.
 *
 * A crash after storing payloads leaves them for the next try (first rendering wins); after a page, the cursor stands
 * behind it. Running it twice, or twice at once, opens nothing twice.
 */
export async function fanOut(eventIds: readonly string[]): Promise<FannedOut> {
  const total: FannedOut = { deliveries: 0, followers: 0, remaining: await unfinishedOf(eventIds) };
  for (let page = 0; page < PAGES_MAX && total.remaining.length > 0; page += 1) {
    const unrendered = await readUnrendered(total.remaining, pageSizeFor(total.remaining.length));
    await storePayloads(await Promise.all(unrendered.map(renderUpdate)));
    const outcome = await openFanOutPage(total.remaining);
    total.deliveries += outcome.deliveries;
    total.followers += outcome.followers;
    await dispatchAll(outcome.partitions);
    total.remaining = await unfinishedOf(total.remaining);
  }
  return total;
}

/** Goes on with fan-outs that a crash left, from Postgres alone. Bounded; the next sweep takes what is left. */
export async function fanOutOverdue(): Promise<number> {
  let followers = 0;
  for (let count = 0; count < SWEEPS_MAX; count += 1) {
    const overdue = await readUnfinished({ olderThanMs: OVERDUE_MS, limit: SWEPT_AT_ONCE });
    if (overdue.length === 0) break;
    followers += (await fanOut(overdue)).followers;
  }
  return followers;
}
