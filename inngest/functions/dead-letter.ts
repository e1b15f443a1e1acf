import { NonRetriableError } from "inngest";
import { deliveryDeadV1 } from "../../db/rules/event-catalog";
import { inngest } from "../client";

/**
 * One run per burial, which fails on purpose, so that every dead letter stands as a failed run in the Inngest dashboard,
 * named by reason and key. It has no other effect: the ledger holds the truth.
 */
export const deadLetter = inngest.createFunction(
  { id: "dead-letter", triggers: [{ event: "delivery/dead" }], retries: 0 },
  ({ event }) => {
    const parsed = deliveryDeadV1.safeParse(event.data);
    if (!parsed.success) throw new NonRetriableError(`delivery/dead: ${parsed.error.message}`);
    throw new NonRetriableError(`${parsed.data.reason}: ${parsed.data.key}`);
  },
);
