/** A message that a provider's list has, as far as it tells whether it is ours. */
export interface ListedMessage {
  /** The provider's id of it. */
  id: string;
  /** How long before the answer it was created, by the provider's own clock. */
  ageMs: number;
  /** Whether it has the same text, from the same sender, byte for byte. */
  same: boolean;
  /** The provider's word for what became of it. */
  status: string;
  errorCode: string | null;
}

/** What is known here about the calls whose outcome is not. */
export interface UnknownCalls {
  /** How long before the answer the first of them began, by the ledger's clock. */
  firstAgeMs: number;
  /** The same of the last one. */
  lastAgeMs: number;
  /** How many were begun. */
  calls: number;
  /** Messages of the list that belong to other deliveries. */
  claimedIds: readonly string[];
  /** Other deliveries with the same text to the same address of which a call may have been taken, unknown to us. */
  rivals: number;
}

export type LookUpVerdict =
  /** The provider took it: this message is it. */
  | { kind: "found"; message: ListedMessage }
  /** The list has nothing to this address in that time. It may still be missing there; nothing is decided by it. */
  | { kind: "absent" }
  /** There are messages of which nobody can say whose they are. */
  | { kind: "undecided"; messages: number };

/** A call may last half a minute, and both clocks are read to the second at best. */
const MARGIN_MS = 60_000;

/** After `reconcile_at`: at once, then when a slow list has caught up, and once a person may have been asked. */
export const LOOKS_AFTER_MS = [0, 5 * 60_000, 60 * 60_000, 6 * 3_600_000] as const;

/**
 * Whether the provider took a message, told from its list of messages to that address. Only what cannot be wrong decides:
 * a message with the same text from the same sender, created while our calls were under way, that belongs to no other
 * delivery, when no other delivery could have made it. That a message is missing never proves that it was not sent.
 */
export function judgeLookUp(listed: readonly ListedMessage[], known: UnknownCalls): LookUpVerdict {
  const inTime = listed.filter(
    ({ id, ageMs }) =>
      ageMs <= known.firstAgeMs + MARGIN_MS &&
      ageMs >= known.lastAgeMs - MARGIN_MS &&
      !known.claimedIds.includes(id),
  );
  if (inTime.length === 0) return { kind: "absent" };
  const ours = inTime.filter(({ same }) => same);
  const [message] = ours;
  const certain = message !== undefined && known.rivals === 0 && ours.length <= known.calls;
  return certain ? { kind: "found", message } : { kind: "undecided", messages: inTime.length };
}
