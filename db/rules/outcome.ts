/** The three ways to reach a subscriber. */
export type Channel = "email" | "sms" | "push";

/** The four queues of a partition, by what waits in them. */
export type Lane = "urgent" | "standard" | "bulk" | "redrive";

/**
 * What a second call after an unknown outcome does at the provider: `keyed` sends nothing twice while the provider
 * remembers the idempotency key, `collapsing` may be accepted twice but replaces the first on screen, `blind` reaches
 * the person twice.
 */
export type Repeat = "keyed" | "collapsing" | "blind";

/**
 * Whom a refusal concerns. `account`: every partition of the provider account. `unknown`: this one destination for
 * certain, perhaps all of the partition.
 */
export type RefusalScope = "account" | "partition" | "destination" | "unknown";

/**
 * How one provider call ended: the closed list that every adapter maps its provider's answers to.
 *
 * - `accepted`: positive evidence, not merely a 2xx.
 * - `throttled`: not processed, a limit per second or per queue; `quota`: not processed, a limit per day or month.
 * - `transient`: certainly not processed, and a later call may succeed.
 * - `ambiguous`: may have been processed. With `needsReview` a repeat can prove nothing any more and none is made.
 * - `destination_rejected`: this address will not work (`dead`), is no longer there (`gone`), or said stop (`opted_out`).
 * - `message_rejected`: this message will not work anywhere.
 * - `config_rejected`: our key, domain or account is wrong, for everybody (`partition`, the default) or for some.
 * - `not_made`: no byte left.
 *
 * `retryAfterMs` is a duration, measured against the answer's own `Date`: null when the provider named no usable time.
 */
export type Outcome =
  | { class: "accepted"; providerMessageId: string | null }
  | { class: "throttled"; retryAfterMs: number | null; scope: RefusalScope }
  | { class: "quota"; retryAfterMs: number | null }
  | { class: "transient"; retryAfterMs?: number | null }
  | { class: "ambiguous"; retryAfterMs?: number | null; needsReview?: boolean }
  | { class: "destination_rejected"; disposition: "dead" | "gone" | "opted_out" }
  | { class: "message_rejected" }
  | { class: "config_rejected"; scope?: RefusalScope }
  | { class: "not_made" };

export type OutcomeClass = Outcome["class"];
