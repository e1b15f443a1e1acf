/** What a limiter says about itself, for rate headers. */
export type RateView = { remaining: number; nextInMs: number };

/**
 * A token bucket: holds at most `burst` calls, refilled at `ratePerSecond`. In any one-second window it lets through at most
 * `ratePerSecond + burst` calls. A refused call takes nothing.
 */
export class RateLimit {
  #ratePerSecond: number;
  #burst: number;
  #tokens: number;
  #countedAtMs = Number.NEGATIVE_INFINITY;

  constructor(ratePerSecond: number, burst: number) {
    this.#ratePerSecond = ratePerSecond;
    this.#burst = burst;
    this.#tokens = burst;
  }

  /** Applies new numbers from `nowMs` on. A full bucket stays full; what was spent stays spent, as far as the new burst can hold. */
  change(nowMs: number, ratePerSecond: number, burst: number): void {
    this.#refill(nowMs);
    this.#tokens = Math.min(burst, this.#tokens + Math.max(0, burst - this.#burst));
    this.#ratePerSecond = ratePerSecond;
    this.#burst = burst;
  }

  /** Fills the bucket to its burst. */
  refillWhole(): void {
    this.#tokens = this.#burst;
  }

  /** Takes one call if there is room for it. */
  take(nowMs: number): boolean {
    this.#refill(nowMs);
    if (this.#tokens < 1 - ROUNDING) return false;
    this.#tokens = Math.max(0, this.#tokens - 1);
    return true;
  }

  /** Calls that would fit now, and whole milliseconds until the next one fits. */
  view(nowMs: number): RateView {
    this.#refill(nowMs);
    const missing = Math.max(0, 1 - ROUNDING - this.#tokens);
    return {
      remaining: Math.floor(this.#tokens + ROUNDING),
      nextInMs: Math.ceil((missing / this.#ratePerSecond) * 1000),
    };
  }

  #refill(nowMs: number): void {
    const elapsedMs = Math.max(0, nowMs - this.#countedAtMs);
    // The first look finds a full bucket: Infinity × rate is cut to the burst.
    this.#tokens = Math.min(this.#burst, this.#tokens + (elapsedMs * this.#ratePerSecond) / 1000);
    this.#countedAtMs = Math.max(this.#countedAtMs, nowMs);
  }
}

/** Floating error of many small refills; a call that waited exactly its time must fit. */
const ROUNDING = 1e-9;

/** Counts units over a rolling window, as quotas do. */
export class RollingCount {
  readonly #windowMs: number;
  #entries: { atMs: number; units: number }[] = [];
  #total = 0;

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  add(nowMs: number, units: number): void {
    this.#entries.push({ atMs: nowMs, units });
    this.#total += units;
  }

  used(nowMs: number): number {
    let expired = 0;
    for (const entry of this.#entries) {
      if (entry.atMs > nowMs - this.#windowMs) break;
      this.#total -= entry.units;
      expired += 1;
    }
    if (expired > 0) this.#entries = this.#entries.slice(expired);
    return this.#total;
  }

  clear(): void {
    this.#entries = [];
    this.#total = 0;
  }
}
