import { effects } from "../db/effects";
import type { Claim } from "../db/ledger/begin";
import type { MessageContent } from "../db/rules/message-content";
import type { Channel } from "../db/rules/outcome";
import { adapterFor, isUnpreparable, type Prepared, type PrepareInput, type Unpreparable } from "./providers";

/** What preparing needs of a claimed delivery. */
type Preparable = Pick<Claim, "content" | "destination" | "reference" | "partition">;

/** Builds the provider's request for a claim: the same bytes on every attempt. */
export function prepareClaim(claim: Claim): Prepared | Unpreparable {
  return adapterFor(claim.channel).prepare(prepareInput(claim.channel, claim, claim.attemptId, claim.lane));
}

/** The hash of what must be the same on every attempt; a request that cannot be made hashes to why. */
export function contentHashOf(channel: Channel, row: Preparable): string {
  const prepared = adapterFor(channel).prepare(prepareInput(channel, row, effects.newId(), "standard"));
  return isUnpreparable(prepared) ? `invalid:${prepared.invalid}`.slice(0, 200) : prepared.contentHash;
}

function prepareInput(
  channel: Channel,
  row: Preparable,
  attemptId: string,
  lane: PrepareInput["lane"],
): PrepareInput {
  const { address, p256dh, auth } = row.destination;
  return {
    reference: row.reference,
    attemptId,
    content: row.content as MessageContent,
    destination:
      channel === "push" ? { endpoint: address, p256dh: p256dh ?? "", auth: auth ?? "" } : { address },
    partition: row.partition,
    lane,
  };
}
