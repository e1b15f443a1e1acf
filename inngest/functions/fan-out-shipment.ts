import { NonRetriableError } from "inngest";
import { shipmentAnnouncedV1 } from "../../db/rules/event-catalog";
import { inngest } from "../client";
import { fanOut } from "../fan-out";

/** Steps per run, each some thousands of rows: several hundred thousand followers; the sweep goes on with more. */
const STEPS_MAX = 200;

/** A database that is away for some minutes must not end a fan-out. */
const RETRIES = 10;

/** Imports share the engine and the database with everything else: a few fan-outs at once fill every provider's window. */
const CONCURRENCY = 4;

/**
 * Gives every follower of up to fifty announced scans their rows, page by page. Each step is a bounded number of pages,
 * and the cursor is in the ledger: a crash, a rerun or a second run of the same event goes on where the rows end.
 */
export const fanOutShipment = inngest.createFunction(
  {
    id: "fan-out-shipment",
    triggers: [{ event: "shipment/announced" }],
    retries: RETRIES,
    concurrency: CONCURRENCY,
  },
  async ({ event, step }) => {
    const parsed = shipmentAnnouncedV1.safeParse(event.data);
    if (!parsed.success) throw new NonRetriableError(`shipment/announced: ${parsed.error.message}`);
    let remaining = parsed.data.shipmentEventIds;
    let followers = 0;
    for (let count = 0; count < STEPS_MAX && remaining.length > 0; count += 1) {
      const ids = remaining;
      const done = await step.run(`pages-${count}`, () => fanOut(ids));
      remaining = done.remaining;
      followers += done.followers;
    }
    return { followers, left: remaining.length };
  },
);
