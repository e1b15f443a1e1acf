import type { Claim } from "../db/ledger/begin";
import type { MessageContent } from "../db/rules/message-content";
import { forReader } from "./messages/links";
import { adapterFor, isUnpreparable, type Prepared, type Unpreparable } from "./providers";

/** What preparing needs of a delivery that is being claimed. */
export type Preparable = Pick<
  Claim,
  "key" | "content" | "destination" | "reference" | "partition" | "channel" | "attemptId" | "lane"
>;

/** Builds the provider's request: the same bytes on every attempt. */
export function prepare(row: Preparable): Prepared | Unpreparable {
  const { channel, reference, attemptId, partition, lane } = row;
  const { address, p256dh, auth } = row.destination;
  return adapterFor(channel).prepare({
    reference,
    attemptId,
    content: forReader(row.content as MessageContent, row.key),
    destination:
      channel === "push" ? { endpoint: address, p256dh: p256dh ?? "", auth: auth ?? "" } : { address },
    partition,
    lane,
  });
}

/** The hash of what must be the same on every attempt; a request that cannot be made hashes to why. */
export function contentHashOf(prepared: Prepared | Unpreparable): string {
  return isUnpreparable(prepared) ? `invalid:${prepared.invalid}`.slice(0, 200) : prepared.contentHash;
}
