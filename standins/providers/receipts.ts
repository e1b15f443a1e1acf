import type { Clock, Timer } from "../clock";
import type { ProviderName } from "./answer";
import type { Settings } from "./settings";

/** An HTTP request to the app; made at the moment it is sent, for signatures carry the time. */
export type ReceiptRequest = { url: string; headers: Record<string, string>; body: string };

/** One report about a message. `apply` moves the provider's own view of it. */
export type Receipt = {
  provider: ProviderName;
  event: string;
  providerMessageId: string;
  apply: () => void;
  /** Null when nobody asked to be told. */
  request: (() => ReceiptRequest) | null;
};

/** One try to deliver a receipt: the app's status, or why there is none. */
export type ReceiptTry = {
  provider: ProviderName;
  event: string;
  providerMessageId: string;
  at: number;
  url: string;
  status: number | null;
  error: string | null;
};

/** How long an app may take to answer; Twilio's own limit. */
const ANSWER_WITHIN_MS = 15_000;
/** Enough to look back over a demo. */
const MOST_TRIES = 5_000;

/**
 * Sends receipts to the app, each tried once. An app that does not answer, or answers 404, costs a line in the record and
 * nothing else.
 */
export class Receipts {
  readonly tries: ReceiptTry[] = [];
  readonly #clock: Clock;
  readonly #fetch: typeof fetch;
  readonly #timers = new Set<Timer>();

  constructor(clock: Clock, send: typeof fetch) {
    this.#clock = clock;
    this.#fetch = send;
  }

  /** Plans the reports on one message, in the order and number that the settings ask for. */
  plan(settings: Settings, receipts: Receipt[]): void {
    const slots = receipts.map((_, index) => (index + 1) * settings.receiptDelayMs);
    receipts.forEach((receipt, index) => {
      const slot = settings.receipts === "reversed" ? slots.length - 1 - index : index;
      const sends = { normal: 1, twice: 2, reversed: 1, absent: 0 }[settings.receipts];
      const atMs = this.#clock.nowMs() + (slots[slot] as number);
      // The provider's own view moves in true order, however the reports of it travel.
      this.#at(this.#clock.nowMs() + (slots[index] as number), receipt.apply);
      for (let count = 0; count < sends; count += 1) this.#at(atMs, () => this.#send(receipt));
    });
  }

  /** Sends one request to the app now, with the same one try. */
  sendNow(receipt: Receipt): void {
    receipt.apply();
    this.#send(receipt);
  }

  /** Forgets what was planned and tried. */
  clear(): void {
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
    this.tries.length = 0;
  }

  #at(atMs: number, run: () => void): void {
    const timer = this.#clock.setTimer(atMs, () => {
      this.#timers.delete(timer);
      run();
    });
    this.#timers.add(timer);
  }

  #send(receipt: Receipt): void {
    if (!receipt.request) return;
    const { url, headers, body } = receipt.request();
    const { provider, event, providerMessageId } = receipt;
    const entry: ReceiptTry = {
      provider,
      event,
      providerMessageId,
      at: this.#clock.nowMs(),
      url,
      status: null,
      error: null,
    };
    this.tries.push(entry);
    if (this.tries.length > MOST_TRIES) this.tries.shift();
    void this.#deliver(entry, headers, body);
  }

  async #deliver(entry: ReceiptTry, headers: Record<string, string>, body: string): Promise<void> {
    const deadline = new AbortController();
    const timer = this.#clock.setTimer(entry.at + ANSWER_WITHIN_MS, () =>
      deadline.abort(new DOMException("No answer in time.", "TimeoutError")),
    );
    try {
      const init = { method: "POST", headers, body, redirect: "manual", signal: deadline.signal } as const;
      const response = await this.#fetch(entry.url, init);
      entry.status = response.status;
      await response.body?.cancel();
    } catch (error) {
      entry.error = describeFailure(error);
    } finally {
      timer.cancel();
    }
  }
}

function describeFailure(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = (cause as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : cause instanceof Error ? cause.message : String(cause);
}
