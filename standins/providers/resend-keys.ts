import type { Answer } from "./answer";
import { resendError } from "./resend-errors";

/** How long Resend answers a repeated idempotency key from memory. */
const KEY_LIFE_MS = 24 * 60 * 60 * 1000;
/** Characters a key may have (https://resend.com/docs/dashboard/emails/idempotency-keys). */
const LONGEST_KEY = 256;

/** What was answered under a key. */
export type FormerAnswer = { answer: Answer; providerMessageId: string | null };
type Entry = { payload: string; former: FormerAnswer | null; forgetAtMs: number };

/**
 * Resend's memory of idempotency keys, per API key and address. Only accepted requests are remembered, for 24 hours from
 * their acceptance; a request that still runs holds its key.
 */
export class IdempotencyKeys {
  readonly #entries = new Map<string, Entry>();

  /** Claims `key` for a request within `scope`. Null lets the request go on: as the first, or to be answered by {@link former}. */
  claim(scope: string, key: string, payload: string, nowMs: number): Answer | null {
    if (key.length < 1 || key.length > LONGEST_KEY) return resendError("invalid_idempotency_key");
    const known = this.#entries.get(`${scope} ${key}`);
    if (known && known.forgetAtMs > nowMs) {
      if (known.payload !== payload) return resendError("invalid_idempotent_request");
      return known.former ? null : resendError("concurrent_idempotent_requests");
    }
    this.#forgetOld(nowMs);
    this.#entries.set(`${scope} ${key}`, { payload, former: null, forgetAtMs: Number.POSITIVE_INFINITY });
    return null;
  }

  /** The answer an earlier request with this key got, if one was accepted. */
  former(scope: string, key: string): FormerAnswer | null {
    return this.#entries.get(`${scope} ${key}`)?.former ?? null;
  }

  /** Remembers what the running request was answered. */
  settle(scope: string, key: string, former: FormerAnswer, nowMs: number): void {
    const entry = this.#entries.get(`${scope} ${key}`);
    if (entry) Object.assign(entry, { former, forgetAtMs: nowMs + KEY_LIFE_MS });
  }

  /** Gives the key back: its request was not accepted and may be tried again. */
  release(scope: string, key: string): void {
    this.#entries.delete(`${scope} ${key}`);
  }

  clear(): void {
    this.#entries.clear();
  }

  #forgetOld(nowMs: number): void {
    for (const [key, { forgetAtMs }] of this.#entries) {
      if (forgetAtMs > nowMs) break;
      this.#entries.delete(key);
    }
  }
}
